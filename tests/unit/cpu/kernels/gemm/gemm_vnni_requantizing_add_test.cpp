// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Requantizing adds give the bytes of the operations for every pair of bytes; tiles with them, the bytes of the
// micro-kernel and the general epilogue.
#include <gtest/gtest.h>

#include <cmath>

#include "fuseq/error.hpp"
#include "unit/cpu/kernels/common/on_every_target.hpp"
#include "unit/cpu/kernels/gemm/gemm_residual_blocks.hpp"
#include "unit/cpu/kernels/gemm/gemm_vnni_lists.hpp"
#include "unit/cpu/kernels/gemm/gemm_vnni_micro_problem.hpp"

namespace fuseq::kernels {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using fuseq::test::on_every_target;
using gemm::RequantizingAdd;

constexpr std::size_t kChannels = 48;

// By the definition of RequantizingAdd.
int by_integers(const RequantizingAdd& add, Store store, int q, int r) {
    const auto sum_of = [&](const RequantizingAdd::Sum& of) {
        const auto factor = [&](unsigned shift) {
            const auto upper =
                static_cast<std::int16_t>(static_cast<std::uint32_t>(of.upper) >> shift);
            const auto lower =
                static_cast<std::uint16_t>(static_cast<std::uint32_t>(of.lower) >> shift);
            return 256 * std::int64_t{upper} + (lower >> 8);
        };
        const std::int64_t sum = factor(0) * (q - (add.q_unsigned ? 128 : 0)) +
                                 factor(16) * (r - (add.r_flip != 0 ? 128 : 0)) + of.c;
        EXPECT_EQ(sum, static_cast<std::int32_t>(sum));
        return sum;
    };
    const std::int64_t above = sum_of(add.sum);
    const std::int64_t sum = add.below ? std::max(above, sum_of(*add.below)) : above;
    auto value = static_cast<int>(sum >> add.shift);
    if (add.elu_table) {
        const std::size_t last = add.elu_table->steps - 1;
        const bool on_line = value < 0 || static_cast<std::size_t>(value) > last;
        const std::int64_t on_curve =
            sum + add.elu_table->add[on_line ? last : static_cast<std::size_t>(value)];
        EXPECT_EQ(on_curve, static_cast<std::int32_t>(on_curve));
        value = std::max(static_cast<int>(on_curve >> add.shift), add.elu_table->min);
    }
    return store == Store::kU8 ? std::clamp(value, 0, 255) : std::clamp(value, -128, 127);
}

// What is found, which is the same on every target.
std::optional<RequantizingAdd> found_add(const std::vector<PackedOp>& ops, Store store) {
    const auto add = gemm::find_requantizing_add(ops, store, kChannels);
    on_every_target([&](const std::string&) {
        EXPECT_EQ(gemm::find_requantizing_add(ops, store, kChannels), add);
    });
    return add;
}

void expect_same_bytes(const std::vector<PackedOp>& ops, Store store, const RequantizingAdd& add) {
    const int q0 = static_cast<int>(ops[0].a[0]);
    int r0 = 0;
    for (const PackedOp& op : ops) {
        r0 = op.kind == Kind::kSum && op.binary.type == ElementType::i8 ? -128 : r0;
    }
    int wrong = 0;
    for (int q = q0; q < q0 + 256; ++q) {
        for (int r = r0; r < r0 + 256; ++r) {
            wrong += by_integers(add, store, q, r) != by_operations(ops, store, q, r) ? 1 : 0;
        }
    }
    EXPECT_EQ(wrong, 0);
}

TEST(RequantizingAdds, RequantizingAddsGiveTheBytesOfTheOperationsForAllPairs) {
    const auto seed = std::random_device{}();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 rng(seed);
    int found = 0;
    int tried = 0;
    for (const ElementType q : {ElementType::u8, ElementType::i8}) {
        for (const ElementType r : {ElementType::u8, ElementType::i8}) {
            for (const Store store : {Store::kU8, Store::kI8}) {
                for (int i = 0; i < 5; ++i, ++tried) {
                    const auto ops = random_block(rng, q, r);
                    if (const auto add = found_add(ops, store)) {
                        ++found;
                        expect_same_bytes(ops, store, *add);
                    }
                }
            }
        }
    }
    EXPECT_GT(found, tried / 2);  // 95 % and more
}

// An elu after the sum, of `scale` bytes for 1, that begins about where half of all sums are.
std::vector<PackedOp> random_elu_block(std::mt19937& rng,
                                       ElementType r,
                                       float scale,
                                       float zero_point) {
    std::uniform_real_distribution<float> real(0.0f, 1.0f);
    const float by = 0.4f + 0.6f * real(rng);
    const float middle = (r == ElementType::u8 ? -100.0f : -30.0f) - 56 * real(rng);
    std::vector<PackedOp> ops{bytes(ElementType::u8)};
    ops.push_back(uniform(Kind::kLinear, by, middle));
    ops.push_back(tensor(r, 0.5f + 0.5f * real(rng)));
    ops.push_back(uniform(Kind::kScale, 1.0f / scale));
    PackedOp elu = uniform(Kind::kEltwise, 0);
    elu.eltwise = {.kind = post_ops::EltwiseKind::kElu, .alpha = 1.0f, .scale = scale};
    ops.push_back(elu);
    ops.push_back(uniform(Kind::kShift, zero_point));
    return ops;
}

TEST(RequantizingAdds, EluTablesGiveTheBytesOfAnElu) {
    const auto seed = std::random_device{}();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 rng(seed);
    int found = 0, tried = 0, is_long = 0;
    for (const ElementType r : {ElementType::u8, ElementType::i8}) {
        for (const float scale : {2.7f, 5.0f, 7.8f, 11.5f, 15.0f}) {
            for (const float shift : {0.0f, 3.3f}) {  // down to the lowest byte, or not
                const auto ops = random_elu_block(rng, r, scale, scale + shift);
                ++tried;
                if (const auto add = found_add(ops, Store::kU8)) {
                    ++found;
                    ASSERT_TRUE(add->elu_table.has_value());
                    is_long += add->elu_table->is_long() ? 1 : 0;
                    expect_same_bytes(ops, Store::kU8, *add);
                    gemm::Epilogue epilogue;
                    epilogue.add = add;
                    EXPECT_EQ(gemm::fused_add_functions(epilogue, Store::kU8), nullptr);
                }
            }
        }
    }
    EXPECT_GT(found, tried / 2);
    EXPECT_GT(is_long, 0);
    EXPECT_LT(is_long, found);
}

// A leaky relu after the sum, and what quantizes it.
std::vector<PackedOp> random_leaky_block(std::mt19937& rng, ElementType r, Store store) {
    std::uniform_real_distribution<float> real(0.0f, 1.0f);
    const float middle = (r == ElementType::u8 ? -100.0f : -30.0f) - 56 * real(rng);
    std::vector<PackedOp> ops{bytes(ElementType::u8)};
    ops.push_back(uniform(Kind::kLinear, 0.4f + 0.6f * real(rng), middle));
    ops.push_back(tensor(r, 0.5f + 0.5f * real(rng)));
    ops.push_back(uniform(Kind::kPrelu, 0.05f + 0.3f * real(rng)));
    ops.push_back(uniform(Kind::kLinear, 0.6f + 0.3f * real(rng),
                          store == Store::kU8 ? 10 + 30 * real(rng) : -60 * real(rng)));
    return ops;
}

TEST(RequantizingAdds, LeakyRelusAreTheLargerOfTwoRequantizingAdds) {
    const auto seed = std::random_device{}();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 rng(seed);
    int found = 0;
    int tried = 0;
    for (const ElementType r : {ElementType::u8, ElementType::i8}) {
        for (const Store store : {Store::kU8, Store::kI8}) {
            for (int i = 0; i < 5; ++i, ++tried) {
                const auto ops = random_leaky_block(rng, r, store);
                if (const auto add = found_add(ops, store)) {
                    ++found;
                    ASSERT_TRUE(add->below.has_value());
                    expect_same_bytes(ops, store, *add);
                    gemm::Epilogue epilogue;
                    epilogue.add = add;
                    EXPECT_EQ(gemm::fused_add_functions(epilogue, store), nullptr);
                }
            }
        }
    }
    EXPECT_GT(found, tried / 2);
}

TEST(RequantizingAdds, OtherLeakyRelusHaveNoRequantizingAdd) {
    std::mt19937 rng(3);
    const auto has_join = [](const std::vector<PackedOp>& ops) {
        return gemm::find_requantizing_add(ops, Store::kU8, kChannels).has_value();
    };
    const auto ops = random_leaky_block(rng, ElementType::u8, Store::kU8);
    EXPECT_TRUE(has_join(ops));
    auto other = ops;
    other[3].a[0] = 1.5f;  // not the larger of both lines; nor the same in all channels
    EXPECT_FALSE(has_join(other));
    other[3] = uniform(Kind::kPrelu, 1.5f);
    EXPECT_FALSE(has_join(other));
    other = ops;
    other[4] = uniform(Kind::kLinear, -0.7f, 200.0f);  // turned round
    EXPECT_FALSE(has_join(other));
    other = ops;
    other.insert(other.begin() + 4, ops[3]);  // two of them
    EXPECT_FALSE(has_join(other));
    other = ops;
    std::swap(other[2], other[3]);  // before the tensor
    EXPECT_FALSE(has_join(other));
}

// Whole layers whose tiles leave through it: panels of one to four vectors, tails of pixels.
TEST_F(GemmVnniTest, WidePanelsHaveLeakyRelusOfRoundedSums) {
    int wide = 0;
    for (const std::size_t channels : {8, 16, 24, 48, 64, 100}) {
        for (const std::size_t pixels : {1, 5, 26, 49}) {
            SCOPED_TRACE(detail::cat(channels, " channels, ", pixels, " pixels"));
            std::mt19937 rng(static_cast<unsigned>(channels * 1000 + pixels));
            const Store store = rng() % 2 == 0 ? Store::kU8 : Store::kI8;
            const ElementType type = rng() % 2 == 0 ? ElementType::u8 : ElementType::i8;
            Case c;
            c.params.shape = {.src_channels = 8,
                              .dst_channels = channels,
                              .src_width = pixels,
                              .dst_width = pixels};
            c.params.dst_type = store == Store::kU8 ? ElementType::u8 : ElementType::i8;
            c.weights = random_weights(rng, 8 * channels);
            c.scale = {0.002f};
            c.bias = fuseq::test::random_floats(rng, channels, 0.0f, 60000.0f);
            c.src = fuseq::test::random_elements(rng, ElementType::u8, pixels * 8);
            c.binary_sources = {fuseq::test::random_elements(rng, type, c.elements())};
            for (const PackedOp& op : random_leaky_block(rng, type, store)) {
                c.params.ops.push_back({.kind = op.kind,
                                        .a = {op.a.empty() ? 0.0f : op.a[0]},
                                        .b = {op.b.empty() ? 0.0f : op.b[0]},
                                        .binary = op.binary});
            }
            wide += GemmVnni(c.complete()).implementation() == "gemm_vnni512:6x4" ? 1 : 0;
            expect_exact(c);
        }
    }
    EXPECT_GT(wide, 12);
}

TEST(RequantizingAdds, OtherActivationsHaveNoRequantizingAdd) {
    std::mt19937 rng(3);
    const auto has_add = [](const std::vector<PackedOp>& ops, Store store = Store::kU8) {
        return gemm::find_requantizing_add(ops, store, kChannels).has_value();
    };
    const auto ops = random_elu_block(rng, ElementType::u8, 5.0f, 5.3f);
    EXPECT_TRUE(has_add(ops));
    EXPECT_FALSE(has_add(ops, Store::kI8));
    auto other = ops;
    other[0] = bytes(ElementType::i8);
    EXPECT_FALSE(has_add(other));
    other = ops;
    other[4].eltwise.kind = post_ops::EltwiseKind::kTanh;
    EXPECT_FALSE(has_add(other));
    other = ops;
    other[4].eltwise.alpha = 3.0f;  // steeper than the line
    EXPECT_FALSE(has_add(other));
    other = ops;
    other.push_back(ops[4]);  // two of them
    EXPECT_FALSE(has_add(other));
    other = ops;
    std::swap(other[2], other[4]);  // before the tensor
    EXPECT_FALSE(has_add(other));
    other = ops;
    other[3] = uniform(Kind::kScale, 1.0f / 90);  // more values below zero than steps
    other[4].eltwise.scale = 90.0f;
    other[5] = uniform(Kind::kShift, 90.0f);
    EXPECT_FALSE(has_add(other));
}

TEST(RequantizingAdds, ARequantizingAddByHand) {
    // A quarter, so that half of the sums are not close to a change: (q + r + 1) / 4.
    const std::vector<PackedOp> ops{bytes(ElementType::u8), tensor(ElementType::u8, 1.0f),
                                    uniform(Kind::kAffine, 0.25f, 0.125f)};
    const auto add = gemm::find_requantizing_add(ops, Store::kU8, kChannels);
    ASSERT_TRUE(add.has_value());
    EXPECT_TRUE(add->q_unsigned);
    EXPECT_EQ(add->r_flip, static_cast<std::int32_t>(0x80808080u));
    EXPECT_EQ(add->shift, 22);
    EXPECT_EQ(by_integers(*add, Store::kU8, 0, 0), 0);
    EXPECT_EQ(by_integers(*add, Store::kU8, 1, 0), 0);      // 0.375
    EXPECT_EQ(by_integers(*add, Store::kU8, 1, 1), 1);      // 0.625
    EXPECT_EQ(by_integers(*add, Store::kU8, 200, 57), 64);  // 64.375
    EXPECT_EQ(by_integers(*add, Store::kU8, 255, 255), 128);
}

TEST(RequantizingAdds, OtherListsHaveNoRequantizingAdd) {
    const auto has_add = [](const std::vector<PackedOp>& ops, Store store = Store::kU8) {
        return gemm::find_requantizing_add(ops, store, kChannels).has_value();
    };
    const PackedOp q = bytes(ElementType::u8);
    const PackedOp r = tensor(ElementType::u8, 0.7319f);
    const PackedOp scale = uniform(Kind::kScale, 0.6137f);
    EXPECT_TRUE(has_add({q, scale, r}));
    EXPECT_FALSE(has_add({q, scale, r}, Store::kF32));
    EXPECT_FALSE(has_add({}));
    EXPECT_FALSE(has_add({q, scale}));                           // no tensor
    EXPECT_FALSE(has_add({q, r, r}));                            // two
    EXPECT_FALSE(has_add({q, tensor(ElementType::f32, 1.0f)}));  // not of bytes
    EXPECT_FALSE(has_add({scale, r}));                           // no quantization
    EXPECT_FALSE(has_add({uniform(Kind::kRoundClip, 0, 15), scale, r}));
    EXPECT_FALSE(has_add({uniform(Kind::kRoundClip, -0.5f, 254.5f), scale, r}));
    EXPECT_FALSE(has_add({q, uniform(Kind::kMax, 0), r}));
    EXPECT_FALSE(has_add({q, tensor(ElementType::u8, 90.0f)}));  // needs more than 24 bits
    // Half of all sums are halves, which are rounded to even numbers.
    EXPECT_FALSE(has_add({q, tensor(ElementType::u8, 1.0f), uniform(Kind::kScale, 0.5f)}));
    PackedOp by_channel = scale;
    by_channel.a[kChannels - 1] = 0.62f;
    EXPECT_FALSE(has_add({q, by_channel, r}));
    by_channel.a[kChannels - 1] = 0.6137f;
    by_channel.a[kChannels] = 0.0f;  // after the last channel
    EXPECT_TRUE(has_add({q, by_channel, tensor(ElementType::u8, 0.7319f)}));
}

// The number of functions that there were.
std::size_t expect_same_tiles(const gemm::Epilogue& epilogue, Store store) {
    const auto* functions = gemm::fused_functions(epilogue, store);
    EXPECT_EQ(functions, gemm::fused_add_functions(epilogue, store));
    const MicroProblem p = random_micro_problem(2);
    const gemm::Panel panel{.channel = 16, .channels = 2 * gemm::kLanes, .vectors = 2};
    const auto* micro = gemm::micro_functions<2>();
    std::size_t found = 0;
    for (std::size_t rows = 1; rows <= gemm::kMaxRows[2]; ++rows) {
        if (functions[rows - 1] == nullptr) {
            continue;
        }
        ++found;
        EpilogueMemory memory(epilogue);
        functions[rows - 1](p.call(nullptr), memory.call(epilogue, panel, nullptr, rows));
        EpilogueMemory other(epilogue);
        AlignedVector<std::int32_t> tile((gemm::kTileVectors + 3) * gemm::kLanes);
        micro[rows - 1](p.call(tile.data()));
        gemm::general_epilogue(store, 2, true)(other.call(epilogue, panel, tile.data(), rows));
        EXPECT_EQ(memory.dst, other.dst) << rows << " rows";
    }
    return found;
}

TEST_F(GemmVnniTest, TilesThatAddGiveTheBytesOfTheGeneralEpilogue) {
    std::mt19937 rng(11);
    std::size_t found = 0;
    for (const ElementType q : {ElementType::u8, ElementType::i8}) {
        for (const ElementType r : {ElementType::u8, ElementType::i8}) {
            for (const Store store : {Store::kU8, Store::kI8}) {
                gemm::Epilogue epilogue = epilogue_of(random_block(rng, q, r));
                epilogue.add = gemm::find_requantizing_add(epilogue.ops, store, kChannels);
                ASSERT_TRUE(epilogue.add.has_value());
                found += expect_same_tiles(epilogue, store);
            }
        }
    }
    EXPECT_EQ(found, 8u * 4);
}

}  // namespace
}  // namespace fuseq::kernels
