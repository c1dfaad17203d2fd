// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Tiles of 256 bits that go from registers to dst by a requantizing add, and by the short way of their panel: the bytes
// of the operations, one value at a time.
#include "cpu/kernels/gemm/gemm_vnni256_fused.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "cpu/kernels/float_conv/float_sum.hpp"
#include "unit/cpu/kernels/depthwise/vnni256_encodings.hpp"
#include "unit/cpu/kernels/gemm/gemm_residual_blocks.hpp"
#include "unit/cpu/kernels/gemm/gemm_vnni_lists.hpp"
#include "unit/cpu/kernels/gemm/gemm_vnni_micro_problem.hpp"

namespace fuseq::kernels {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using fuseq::test::with_each_encoding;

constexpr std::size_t kFirstChannel = 16;
constexpr std::size_t kMaxTileRows = 7;

int element_of(const Bytes& bytes, std::size_t at, bool is_signed) {
    return is_signed ? static_cast<std::int8_t>(bytes[at]) : bytes[at];
}

// An epilogue whose scaled sums are all bytes and some beyond them.
gemm::Epilogue random_epilogue(std::mt19937& rng, bool is_signed) {
    gemm::Epilogue epilogue;
    const float middle = is_signed ? 0.0f : 128.0f;
    epilogue.bias = constants(rng, 200 * (middle - 20), 200 * (middle + 20));
    epilogue.scale = constants(rng, 0.004f, 0.006f);
    return epilogue;
}

int expected_byte(const gemm::Epilogue& e, Store store, float sum, std::size_t c, int r) {
    float value = (sum + e.bias[c]) * e.scale[c];
    if (!e.ops.empty() && e.ops[0].kind == Kind::kClip) {
        value = std::min(std::max(value, e.ops[0].a[c]), e.ops[0].b[c]) * e.ops[1].a[c];
        return static_cast<int>(std::clamp(std::nearbyint(value), 0.0f, 255.0f));
    }
    value = std::nearbyint(value);
    if (!e.ops.empty()) {
        const float q = std::clamp(value, e.ops[0].a[0], e.ops[0].b[0]);
        return by_operations(e.ops, store, static_cast<int>(q), r);
    }
    return static_cast<int>(store == Store::kU8 ? std::clamp(value, 0.0f, 255.0f)
                                                : std::clamp(value, -128.0f, 127.0f));
}

void expect_bytes(const gemm::Epilogue& epilogue,
                  const MicroProblem& p,
                  const EpilogueMemory& memory,
                  std::size_t rows,
                  Store store) {
    const bool r_signed = std::any_of(epilogue.ops.begin(), epilogue.ops.end(), [](const auto& op) {
        return op.kind == Kind::kSum && op.binary.type == ElementType::i8;
    });
    for (std::size_t at = 0; at < EpilogueMemory::kPixels * kEpilogueChannels; ++at) {
        const std::size_t row = at / kEpilogueChannels - 2;  // the first pixel is number 2
        const std::size_t lane = at % kEpilogueChannels - kFirstChannel;
        if (row >= rows || lane >= gemm::kLanes) {
            ASSERT_EQ(memory.dst[at], 0xA5) << "byte " << at;
            continue;
        }
        auto sum = static_cast<float>(p.expected(row, lane));
        if (!epilogue.of_sum.empty()) {
            sum = std::fma(memory.sums[row], epilogue.of_sum[kFirstChannel + lane], sum);
        }
        ASSERT_EQ(element_of(memory.dst, at, store == Store::kI8),
                  expected_byte(epilogue, store, sum, kFirstChannel + lane,
                                element_of(memory.tensor, at, r_signed)))
            << "row " << row << ", channel " << lane;
    }
}

// Of the panel's channels, for any source; nothing where one has none.
std::optional<gemm::NarrowWay> find_way(const gemm::Epilogue& e,
                                        const MicroProblem& p,
                                        bool is_signed) {
    gemm::NarrowWay way{};
    for (std::size_t lane = 0; lane < gemm::kLanes; ++lane) {
        std::int64_t magnitudes = 0;
        for (std::size_t i = 4 * lane; i < p.wei.size(); i += 4 * gemm::kLanes) {
            for (std::size_t k = 0; k < 4; ++k) {
                magnitudes += std::abs(static_cast<int>(p.wei[i + k]));
            }
        }
        const std::size_t c = kFirstChannel + lane;
        ByteRule rule{.scale = e.scale[c],
                      .bias = e.bias[c],
                      .bias_first = true,
                      .is_signed = is_signed,
                      .min = p.init[lane] - 255 * magnitudes,
                      .max = p.init[lane] + 255 * magnitudes};
        if (!e.ops.empty() && e.ops[0].kind == Kind::kClip) {
            rule.clips = true;
            rule.low = e.ops[0].a[c];
            rule.high = e.ops[0].b[c];
            rule.factor = e.ops[1].a[c];
        }
        const auto sum = float_sum(rule);
        if (!sum) {
            return std::nullopt;
        }
        way.begin[lane] = sum->begin;
        way.scale[lane] = sum->scale;
        way.shift[lane] = sum->shift;
        way.limits[lane] = static_cast<std::uint8_t>(top_byte(rule));
    }
    return way;
}

// The number of tiles that there were. `way`: null for the long one.
std::size_t check_tiles(const gemm::Epilogue& epilogue,
                        const MicroProblem& p,
                        Store store,
                        const gemm::NarrowWay* way) {
    const gemm::Panel panel{
        .channel = kFirstChannel, .channels = gemm::kLanes, .vectors = 1, .way = way};
    std::size_t found = 0;
    EXPECT_TRUE(with_each_encoding([&] {
        const auto* functions = gemm::vnni256_fused_functions(epilogue, store, way != nullptr);
        ASSERT_NE(functions, nullptr);
        for (std::size_t rows = 1; rows <= kMaxTileRows; ++rows) {
            if (functions[rows - 1] != nullptr) {
                ++found;
                const EpilogueMemory memory(epilogue);
                functions[rows - 1](p.call(nullptr), memory.call(epilogue, panel, nullptr, rows));
                expect_bytes(epilogue, p, memory, rows, store);
            }
        }
    }));
    return found;
}

class Vnni256Fused : public testing::Test {
protected:
    void SetUp() override {
        if (!with_each_encoding([] {})) {
            GTEST_SKIP() << "this machine has neither AVX-VNNI nor AVX-512 VNNI";
        }
    }
};

TEST_F(Vnni256Fused, TilesThatAddGiveTheBytesOfTheOperations) {
    const auto seed = std::random_device{}();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 rng(seed);
    const MicroProblem p = random_micro_problem(1);
    int searched = 0, added = 0, ways = 0;
    for (const ElementType q : {ElementType::u8, ElementType::i8}) {
        for (const ElementType r : {ElementType::u8, ElementType::i8}) {
            for (const Store store : {Store::kU8, Store::kI8}) {
                for (int i = 0; i < 4; ++i, ++searched) {
                    gemm::Epilogue epilogue = random_epilogue(rng, q == ElementType::i8);
                    epilogue.ops = random_block(rng, q, r);
                    epilogue.add =
                        gemm::find_requantizing_add(epilogue.ops, store, kEpilogueChannels);
                    if (!epilogue.add) {
                        continue;
                    }
                    ++added;
                    EXPECT_GE(check_tiles(epilogue, p, store, nullptr), 2u);
                    if (const auto way = find_way(epilogue, p, q == ElementType::i8)) {
                        ++ways;
                        EXPECT_GE(check_tiles(epilogue, p, store, &*way), 2u);
                    }
                }
            }
        }
    }
    EXPECT_GT(added, searched / 2);
    EXPECT_GT(ways, added / 2);
}

TEST_F(Vnni256Fused, ShortWaysGiveTheBytesOfTheLongOne) {
    const auto seed = std::random_device{}();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 rng(seed);
    const MicroProblem p = random_micro_problem(1);
    int ways = 0;
    for (int i = 0; i < 20; ++i) {
        const Store store = i % 2 == 0 ? Store::kU8 : Store::kI8;
        const gemm::Epilogue epilogue = random_epilogue(rng, store == Store::kI8);
        EXPECT_GE(check_tiles(epilogue, p, store, nullptr), 2u);
        if (const auto way = find_way(epilogue, p, store == Store::kI8)) {
            ++ways;
            EXPECT_GE(check_tiles(epilogue, p, store, &*way), 2u);
        }
    }
    EXPECT_GT(ways, 10);
}

// A relu6 and the scale of a channel after it: the largest byte may be less than 255.
TEST_F(Vnni256Fused, ShortWaysClip) {
    const auto seed = std::random_device{}();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 rng(seed);
    const MicroProblem p = random_micro_problem(1);
    int ways = 0;
    for (int i = 0; i < 20; ++i) {
        gemm::Epilogue epilogue = random_epilogue(rng, false);
        for (float& scale : epilogue.scale) {
            scale *= 8.0f / 255.0f;  // values up to 8
        }
        epilogue.ops = {uniform(Kind::kClip, 0.0f, 6.0f), uniform(Kind::kScale, 1.0f)};
        epilogue.ops[1].a = constants(rng, 20.0f, 42.5f);
        if (const auto way = find_way(epilogue, p, false)) {
            ++ways;
            EXPECT_GE(check_tiles(epilogue, p, Store::kU8, &*way), 2u);
        }
    }
    EXPECT_GT(ways, 10);
}

// Zero points of weights take sums of windows away, before bias and scale; also before a relu6.
TEST_F(Vnni256Fused, TilesTakeZeroPointsOfWeightsAway) {
    const auto seed = std::random_device{}();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 rng(seed);
    const MicroProblem p = random_micro_problem(1);
    for (int i = 0; i < 8; ++i) {
        const Store store = i % 2 == 0 ? Store::kU8 : Store::kI8;
        gemm::Epilogue epilogue = random_epilogue(rng, store == Store::kI8);
        epilogue.of_sum = constants(rng, -0.5f, 0.5f);
        EXPECT_GE(check_tiles(epilogue, p, store, nullptr), 2u);
        // From 0 on bytes are bounded, else floats.
        for (const float low : {0.0f, 10.0f}) {
            epilogue.ops = {uniform(Kind::kClip, low, 150.0f), uniform(Kind::kScale, 1.25f)};
            epilogue.ops[1].a = constants(rng, 0.5f, 1.9f);
            EXPECT_GE(check_tiles(epilogue, p, Store::kU8, nullptr), 2u);
        }
    }
}

// Panels of layers have their way where the result is bytes of scaled sums, and all is exact.
TEST_F(Vnni256Fused, WholeAndHalfPanelsOfBytesHaveAShortWay) {
    std::mt19937 rng(17);
    const auto case_of = [&](ElementType dst, std::vector<GemmOp> ops) {
        Case c;
        c.params.form = GemmForm::kVnni256;
        c.params.shape = {.src_channels = 24, .dst_channels = 40, .src_width = 46, .dst_width = 46};
        c.params.dst_type = dst;
        c.params.ops = std::move(ops);
        c.weights = random_weights(rng, std::size_t{24} * 40);
        c.scale = {0.0031f};
        c.bias = {777.7f};
        c.src = fuseq::test::random_elements(rng, ElementType::u8, std::size_t{46} * 24);
        return c;
    };
    const auto ways = [&](const Case& c) {
        expect_exact(c);
        const gemm::Packed packed = gemm::pack(c.complete());
        return std::count_if(packed.panels.begin(), packed.panels.end(),
                             [](const gemm::Panel& panel) { return panel.way != nullptr; });
    };
    EXPECT_EQ(ways(case_of(ElementType::u8, {})), 3);  // two panels and half a one
    EXPECT_EQ(ways(case_of(ElementType::i8, {})), 3);
    const std::vector<GemmOp> clip{{.kind = Kind::kClip, .a = {0.0f}, .b = {6.0f}},
                                   {.kind = Kind::kScale, .a = {40.0f}}};
    EXPECT_EQ(ways(case_of(ElementType::u8, clip)), 3);
    EXPECT_EQ(ways(case_of(ElementType::i8, clip)), 0);
    EXPECT_EQ(ways(case_of(ElementType::f32, {})), 0);
    EXPECT_EQ(ways(case_of(ElementType::u8, {{.kind = Kind::kMax, .a = {3.0f}}})), 0);
    Case few_pixels = case_of(ElementType::u8, {});
    few_pixels.params.shape.src_width = few_pixels.params.shape.dst_width = 4;
    EXPECT_EQ(ways(few_pixels), 0);
    Case zero_points = case_of(ElementType::u8, {});
    zero_points.wei_zero_point.assign(40, 3.0f);
    EXPECT_EQ(ways(zero_points), 0);
    Case beyond = case_of(ElementType::u8, {});
    beyond.scale = {1e20f};
    EXPECT_EQ(ways(beyond), 0);
}

// Other tiles of the same result have the elu of the list: bytes must not depend on the tile.
TEST_F(Vnni256Fused, ActivationsAfterTheSumKeepTheirList) {
    gemm::Epilogue epilogue;
    epilogue.ops = {bytes(ElementType::u8)};
    epilogue.add.emplace();
    EXPECT_NE(gemm::vnni256_fused_functions(epilogue, Store::kU8, false), nullptr);
    epilogue.add->elu_table.emplace();
    EXPECT_EQ(gemm::vnni256_fused_functions(epilogue, Store::kU8, false), nullptr);
    epilogue.add->elu_table.reset();
    epilogue.add->below = gemm::RequantizingAdd::Sum{};
    EXPECT_EQ(gemm::vnni256_fused_functions(epilogue, Store::kU8, false), nullptr);
}

}  // namespace
}  // namespace fuseq::kernels
