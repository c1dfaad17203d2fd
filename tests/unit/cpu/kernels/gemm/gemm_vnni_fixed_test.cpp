// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The epilogues known at compile time give the bytes of the general one, which other tests compare
// with the definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "unit/cpu/kernels/gemm/gemm_vnni_lists.hpp"

namespace fuseq::kernels {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using gemm::Store;
using Kind = GemmOp::Kind;

// A tile of `rows` pixels, of a panel that begins at channel 16.
Bytes finish(gemm::EpilogueFunction function,
             const gemm::Epilogue& epilogue,
             const gemm::Panel& panel,
             std::size_t rows) {
    std::mt19937 rng(3);
    EpilogueMemory memory(epilogue);
    AlignedVector<std::int32_t> tile((gemm::kTileVectors + 3) * gemm::kLanes);
    for (std::int32_t& v : tile) {
        v = static_cast<std::int32_t>(rng() % 60000) - 30000;
    }
    function(memory.call(epilogue, panel, tile.data(), rows));
    return memory.dst;
}

void expect_same(const gemm::Epilogue& epilogue, Store store) {
    for (const std::size_t vectors : {1, 2}) {
        for (const std::size_t missing : {0, 3}) {
            const gemm::Panel panel{
                .channel = 16, .channels = vectors * gemm::kLanes - missing, .vectors = vectors};
            const auto fixed = gemm::fixed_epilogue(epilogue, store, vectors, missing == 0);
            if (fixed == nullptr) {  // other panels than those of two whole vectors have few lists
                EXPECT_TRUE((missing != 0 || vectors == 1) && !epilogue.ops.empty());
                continue;
            }
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

// With and without zero points of weights. Nothing bounds the floats of another tensor.
void expect_same(const std::vector<PackedOp>& ops, Store store) {
    gemm::Epilogue epilogue = epilogue_of(ops);
    epilogue.clamp = std::any_of(ops.begin(), ops.end(), [](const PackedOp& op) {
        return op.kind == Kind::kSum && op.binary.type == ElementType::f32;
    });
    expect_same(epilogue, store);
    expect_same(with_zero_points(epilogue), store);
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

// Parts of a convolution, of which some are beyond every integer, by the definition.
TEST_F(GemmVnniTest, PartsThatAreAddedUpAsFloatsAreExact) {
    for (const std::size_t parts : {1, 2, 5, 8, 9}) {
        for (const std::size_t channels : {7, 32, 58}) {
            for (const ElementType type : {ElementType::u8, ElementType::i8}) {
                SCOPED_TRACE(testing::Message() << parts << " parts, " << channels << " channels, "
                                                << to_string(type));
                std::mt19937 rng(static_cast<unsigned>(parts * 100 + channels));
                Case c;
                c.params.shape = {
                    .src_channels = 20, .dst_channels = channels, .src_width = 45, .dst_width = 45};
                c.params.dst_type = type;
                c.weights = random_weights(rng, 20 * channels);
                c.scale = {0.003f};
                c.bias = {1234.5f};
                if (rng() % 2 == 0) {
                    c.wei_zero_point = {0.25f};
                }
                c.src = fuseq::test::random_elements(rng, ElementType::u8, 20 * 45);
                for (std::size_t i = 0; i < parts; ++i) {
                    c.binary_sources.push_back(
                        fuseq::test::random_elements(rng, ElementType::f32, c.elements()));
                    c.params.ops.push_back({.kind = Kind::kSum,
                                            .binary = {.input = parts - 1 - i,
                                                       .type = ElementType::f32,
                                                       .scale = i % 2 == 0 ? 1.0f : 0.37f}});
                }
                c.params.ops.push_back({.kind = Kind::kScale, .a = {0.8f}});
                const gemm::Packed packed = gemm::pack(c.complete());
                const gemm::Panel& panel = packed.panels[0];
                const bool whole = panel.channels == panel.vectors * gemm::kLanes;
                EXPECT_EQ(gemm::fixed_epilogue(packed.epilogue, packed.store, panel.vectors,
                                               whole) != nullptr,
                          parts <= 8);
                expect_exact(c);
            }
        }
    }
}

TEST_F(GemmVnniTest, OtherEpiloguesAreNotFixed) {
    std::mt19937 rng(5);
    gemm::Epilogue epilogue;
    EXPECT_NE(gemm::fixed_epilogue(epilogue, Store::kU8, 2, true), nullptr);
    // Values beyond 32-bit integers: only the general one looks after them, but where it is the
    // floats of another tensor that may be there.
    epilogue.clamp = true;
    EXPECT_EQ(gemm::fixed_epilogue(epilogue, Store::kU8, 2, true), nullptr);
    EXPECT_NE(gemm::fixed_epilogue(epilogue, Store::kF32, 2, true), nullptr);
    epilogue.ops = {sum(ElementType::f32), operation(rng, Kind::kPrelu),
                    operation(rng, Kind::kScale)};
    EXPECT_NE(gemm::fixed_epilogue(epilogue, Store::kU8, 2, true), nullptr);
    epilogue.clamp = false;
    epilogue.ops = {operation(rng, Kind::kMin), operation(rng, Kind::kMin)};
    EXPECT_EQ(gemm::fixed_epilogue(epilogue, Store::kU8, 2, true), nullptr);
    epilogue.ops = {elu(), operation(rng, Kind::kAffine)};
    EXPECT_EQ(gemm::fixed_epilogue(epilogue, Store::kF32, 2, true), nullptr);
}

}  // namespace
}  // namespace fuseq::kernels
