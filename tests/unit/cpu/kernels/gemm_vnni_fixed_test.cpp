// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The epilogues known at compile time give the bytes of the general one, which other tests compare
// with the definition.
#include <gtest/gtest.h>

#include <random>

#include "cpu/kernels/gemm_vnni_detail.hpp"
#include "gemm_vnni_case.hpp"

namespace fuseq::kernels {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using gemm::PackedOp;
using gemm::Store;
using Kind = GemmOp::Kind;

constexpr std::size_t kChannels = 50;
constexpr std::size_t kPixels = 20;
constexpr std::size_t kPadded = 64;

AlignedVector<float> constants(std::mt19937& rng, float low, float high) {
    const std::vector<float> list = fuseq::test::random_floats(rng, kPadded, low, high);
    return {list.begin(), list.end()};
}

PackedOp operation(std::mt19937& rng, Kind kind) {
    PackedOp op;
    op.kind = kind;
    op.a = constants(rng, -40.0f, 2.0f);
    op.b = constants(rng, 3.0f, 90.0f);
    op.binary.scale = 0.375f;
    return op;
}
PackedOp sum(ElementType type) {
    PackedOp op;
    op.kind = Kind::kSum;
    op.binary = {.type = type, .scale = 0.375f};
    return op;
}
PackedOp elu() {
    PackedOp op;
    op.kind = Kind::kEltwise;
    op.eltwise = {.kind = post_ops::EltwiseKind::kElu, .alpha = 1.1f, .scale = 1.5f};
    op.quick = true;
    return op;
}

// The lists that networks have, beginning with none.
std::vector<std::vector<PackedOp>> frequent_lists(std::mt19937& rng) {
    const auto op = [&](Kind kind) { return operation(rng, kind); };
    std::vector<std::vector<PackedOp>> lists{{},
                                             {op(Kind::kMax)},
                                             {op(Kind::kPrelu)},
                                             {op(Kind::kPrelu), op(Kind::kShift)},
                                             {op(Kind::kShift)},
                                             {op(Kind::kClip), op(Kind::kScale)},
                                             {sum(ElementType::f32), op(Kind::kScale)}};
    for (const ElementType type : {ElementType::u8, ElementType::i8, ElementType::f32}) {
        lists.push_back({sum(type)});
    }
    for (const ElementType type : {ElementType::u8, ElementType::i8}) {
        lists.push_back({op(Kind::kRoundClip), op(Kind::kAffine), sum(type)});
        lists.push_back({op(Kind::kRoundClip), op(Kind::kScale), op(Kind::kLinear), sum(type),
                         op(Kind::kScale)});
    }
    return lists;
}

// Of activations, for integers only.
std::vector<std::vector<PackedOp>> quick_lists(std::mt19937& rng) {
    const auto op = [&](Kind kind) { return operation(rng, kind); };
    return {
        {elu(), op(Kind::kAffine)},
        {op(Kind::kRoundClip), op(Kind::kAffine), sum(ElementType::u8), elu(), op(Kind::kShift)},
        {op(Kind::kRoundClip), op(Kind::kScale), op(Kind::kLinear), sum(ElementType::u8),
         op(Kind::kScale), elu(), op(Kind::kShift)}};
}

// `rows` pixels from the third on, of a panel that begins at channel 16.
Bytes finish(gemm::EpilogueFunction function,
             const gemm::Epilogue& epilogue,
             const gemm::Panel& panel,
             std::size_t rows) {
    std::mt19937 rng(3);
    Bytes dst(kPixels * kChannels * sizeof(float), 0xA5);
    const Bytes tensor = fuseq::test::random_elements(rng, ElementType::u8, dst.size() / 4 * 4);
    const Bytes floats = fuseq::test::random_elements(rng, ElementType::f32, dst.size() / 4);
    const bool f32 = !epilogue.ops.empty() && epilogue.ops[0].binary.type == ElementType::f32;
    const void* extras[] = {f32 ? floats.data() : tensor.data()};
    AlignedVector<std::int32_t> tile((gemm::kTileVectors + 3) * gemm::kLanes);
    for (std::int32_t& v : tile) {
        v = static_cast<std::int32_t>(rng() % 60000) - 30000;
    }
    const GemmArgs args{.dst = dst.data(), .extras = extras};
    function({.epilogue = &epilogue,
              .panel = &panel,
              .tile = tile.data(),
              .rows = rows,
              .pixel = 2,
              .channels = kChannels,
              .args = &args});
    return dst;
}

void expect_same(const std::vector<PackedOp>& ops, Store store) {
    std::mt19937 rng(17);
    const gemm::Epilogue epilogue{
        .bias = constants(rng, -300.0f, 300.0f), .scale = constants(rng, 1e-3f, 8e-3f), .ops = ops};
    for (const std::size_t vectors : {1, 2}) {
        for (const std::size_t missing : {0, 3}) {
            const gemm::Panel panel{
                .channel = 16, .channels = vectors * gemm::kLanes - missing, .vectors = vectors};
            const auto fixed = gemm::fixed_epilogue(epilogue, store, vectors, missing == 0);
            ASSERT_NE(fixed, nullptr);
            const auto general = gemm::general_epilogue(store, vectors, missing == 0);
            for (const std::size_t rows : {1, 2, 3, 4, 7, 14}) {
                ASSERT_EQ(finish(fixed, epilogue, panel, rows),
                          finish(general, epilogue, panel, rows))
                    << vectors << " vectors, " << missing << " channels missing, " << rows
                    << " rows";
            }
        }
    }
}

TEST_F(GemmVnniTest, FixedEpiloguesGiveTheBytesOfTheGeneralOne) {
    std::mt19937 rng(5);
    const auto lists = frequent_lists(rng);
    for (std::size_t i = 0; i < lists.size(); ++i) {
        for (const Store store : {Store::kU8, Store::kI8, Store::kF32}) {
            SCOPED_TRACE(testing::Message() << "list " << i << ", store " << int(store));
            expect_same(lists[i], store);
        }
    }
    const auto quick = quick_lists(rng);
    for (std::size_t i = 0; i < quick.size(); ++i) {
        for (const Store store : {Store::kU8, Store::kI8}) {
            SCOPED_TRACE(testing::Message() << "quick list " << i << ", store " << int(store));
            expect_same(quick[i], store);
        }
    }
}

TEST_F(GemmVnniTest, OtherEpiloguesAreNotFixed) {
    std::mt19937 rng(5);
    gemm::Epilogue epilogue;
    EXPECT_NE(gemm::fixed_epilogue(epilogue, Store::kU8, 2, true), nullptr);
    epilogue.clamp = true;  // values beyond 32-bit integers: only the general one looks after them
    EXPECT_EQ(gemm::fixed_epilogue(epilogue, Store::kU8, 2, true), nullptr);
    epilogue.clamp = false;
    epilogue.ops = {operation(rng, Kind::kMin), operation(rng, Kind::kMin)};
    EXPECT_EQ(gemm::fixed_epilogue(epilogue, Store::kU8, 2, true), nullptr);
    epilogue.ops = {elu(), operation(rng, Kind::kAffine)};
    EXPECT_EQ(gemm::fixed_epilogue(epilogue, Store::kF32, 2, true), nullptr);
}

}  // namespace
}  // namespace fuseq::kernels
