// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The forms of the integer product with panels of 16 channels, on every instruction set that this
// machine has.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"
#include "cpu/machine/avx_vnni.hpp"
#include "cpu/machine/instructions.hpp"
#include "cpu/machine/traits.hpp"
#include "fuseq/error.hpp"
#include "unit/cpu/kernels/common/on_every_target.hpp"
#include "unit/cpu/kernels/gemm/gemm_narrow_forms.hpp"
#include "unit/cpu/kernels/gemm/gemm_residual_blocks.hpp"
#include "unit/cpu/kernels/gemm/gemm_vnni_case.hpp"

namespace fuseq::kernels {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using fuseq::test::on_every_target;
using fuseq::test::random_elements;

INSTANTIATE_TEST_SUITE_P(Forms, GemmNarrow, testing::ValuesIn(kNarrowForms), name_of_form);

TEST_P(GemmNarrow, RandomCasesAreExact) {
    on_every_target([] {
        for (unsigned seed = 0; seed < 150; ++seed) {
            SCOPED_TRACE(detail::cat("seed ", seed));
            std::mt19937 rng(seed);
            expect_exact(random_case(rng));
        }
    });
}

// Weights that few, some or nearly all steps of bytes must be signed for, and the largest source.
TEST_P(GemmNarrow, WeightsOfEveryMagnitudeAreExact) {
    on_every_target([] {
        for (const int largest : {1, 64, 90, 128}) {
            for (unsigned seed = 0; seed < 20; ++seed) {
                SCOPED_TRACE(detail::cat("weights up to ", largest, ", seed ", seed));
                std::mt19937 rng(seed);
                Case c = random_case(rng);
                for (std::int8_t& w : c.weights) {
                    w = static_cast<std::int8_t>(static_cast<int>(rng() % (2 * largest)) - largest);
                }
                if (seed % 2 == 0) {
                    std::fill(c.src.begin(), c.src.end(), std::uint8_t{255});
                }
                expect_exact(c);
            }
        }
    });
}

// The largest sums, of every number of channels in the last step: nothing saturates, as two
// products of vpmaddubsw would.
TEST_P(GemmNarrow, ExtremeValuesDoNotSaturate) {
    on_every_target([] {
        for (const std::size_t depth : {129, 130, 131, 132}) {
            for (const std::int32_t zero_point : {0, 255}) {
                for (const int weight : {-128, 127}) {
                    SCOPED_TRACE(detail::cat("depth ", depth, ", zero point ", zero_point,
                                             ", weights ", weight));
                    Case c;
                    c.params.shape = {.src_channels = depth,
                                      .dst_channels = 19,
                                      .src_width = 11,
                                      .dst_width = 11};
                    c.params.form = GetParam();
                    c.params.src_zero_point = zero_point;
                    c.params.dst_type = ElementType::f32;
                    c.weights.assign(depth * 19, static_cast<std::int8_t>(weight));
                    c.scale = {1.0f};
                    c.src.assign(11 * depth, zero_point == 0 ? 255 : 0);
                    const float sum = static_cast<float>((zero_point == 0 ? 255 : -255) * weight *
                                                         static_cast<int>(depth));
                    const GemmVnni gemm(c.complete());
                    const Bytes got = run(gemm, c, 1);
                    for (std::size_t i = 0; i < c.elements(); ++i) {
                        ASSERT_EQ(fuseq::test::element(got, ElementType::f32, i), sum)
                            << "element " << i;
                    }
                }
            }
        }
    });
}

// Values beyond 32-bit integers become the largest and the lowest byte, without operations and with
// a list of them, in tiles of an even and of an odd number of rows.
TEST_P(GemmNarrow, ValuesBeyondIntegersSaturate) {
    on_every_target([] {
        for (const std::size_t width : {6, 7}) {
            for (const int weight : {-1, 1}) {
                for (const bool listed : {false, true}) {
                    SCOPED_TRACE(
                        detail::cat("width ", width, ", weights ", weight, ", list ", listed));
                    Case c;
                    c.params.shape = {.src_channels = 4,
                                      .dst_channels = 16,
                                      .src_width = width,
                                      .dst_width = width};
                    c.params.form = GetParam();
                    c.params.dst_type = ElementType::u8;
                    if (listed) {
                        c.params.ops = {{.kind = GemmOp::Kind::kShift, .a = {1.0f}}};
                    }
                    c.weights.assign(std::size_t{4} * 16, static_cast<std::int8_t>(weight));
                    c.scale = {1e20f};
                    c.src.assign(width * 4, 3);
                    const GemmVnni gemm(c.complete());
                    const Bytes got = run(gemm, c, 1);
                    for (std::size_t i = 0; i < c.elements(); ++i) {
                        ASSERT_EQ(got[i], weight < 0 ? 0 : 255) << "element " << i;
                    }
                }
            }
        }
    });
}

// Rows of a kernel of 3 x 3 with edges apart, more than a block of source, panels that are not
// full.
TEST_P(GemmNarrow, ConvolutionsOfSeveralBlocks) {
    on_every_target([] {
        for (const std::size_t channels : {3, 16, 38, 64}) {
            SCOPED_TRACE(detail::cat(channels, " channels"));
            std::mt19937 rng(static_cast<unsigned>(channels));
            Case c;
            c.params.shape = shape_3x3(channels, 37, 33, 40);
            c.params.form = GetParam();
            c.params.src_type = ElementType::i8;
            c.params.src_zero_point = -7;
            c.weights = random_weights(rng, 37 * channels * 9);
            c.scale = {0.001f};
            c.src = random_elements(rng, ElementType::i8, 33 * 40 * channels);
            expect_exact(c);
        }
    });
}

// Rows of few pixels, whose edges are apart from five inner ones on.
TEST_P(GemmNarrow, ShortRowsAreExact) {
    on_every_target([] {
        for (const std::size_t width : {5, 6, 7, 8, 9}) {
            SCOPED_TRACE(detail::cat(width, " pixels"));
            std::mt19937 rng(static_cast<unsigned>(width));
            Case c;
            c.params.shape = shape_3x3(20, 32, width, width);
            c.params.form = GetParam();
            c.params.dst_type = ElementType::u8;
            c.weights = random_weights(rng, std::size_t{20} * 32 * 9);
            c.scale = {0.002f};
            c.src = random_elements(rng, ElementType::u8, width * width * 20);
            expect_exact(c);
        }
    });
}

TEST_P(GemmNarrow, MatrixProductOfSeveralBlocks) {
    on_every_target([] {
        for (const std::size_t rows : {1, 13, 700}) {
            SCOPED_TRACE(detail::cat(rows, " rows"));
            std::mt19937 rng(static_cast<unsigned>(rows));
            Case c;
            c.params.shape = {
                .src_channels = 1027, .dst_channels = 83, .src_width = rows, .dst_width = rows};
            c.params.form = GetParam();
            c.params.src_zero_point = 3;
            c.params.dst_type = ElementType::f32;
            c.weights = random_weights(rng, 1027 * 83);
            c.scale = {0.5f};
            c.src = random_elements(rng, ElementType::u8, rows * 1027);
            expect_exact(c);
        }
    });
}

// Lists that are compiled as one, and neighbours of theirs that are not, for whole panels, a half one
// and one of another number of channels, without and with zero points of weights.
TEST_P(GemmNarrow, ListsOfOperationsAreExact) {
    using Kind = GemmOp::Kind;
    const std::vector<std::vector<Kind>> lists = {
        {},
        {Kind::kScale},
        {Kind::kShift},
        {Kind::kLinear},
        {Kind::kAffine},
        {Kind::kMax},
        {Kind::kMax, Kind::kScale},
        {Kind::kMax, Kind::kLinear},
        {Kind::kMax, Kind::kAffine},
        {Kind::kMax, Kind::kShift},
        {Kind::kPrelu},
        {Kind::kPrelu, Kind::kShift},
        {Kind::kPrelu, Kind::kLinear},
        {Kind::kPrelu, Kind::kAffine},
        {Kind::kClip, Kind::kScale},
        {Kind::kSum},
        {Kind::kSum, Kind::kScale},
        {Kind::kRoundClip, Kind::kAffine, Kind::kSum},
        {Kind::kRoundClip, Kind::kScale, Kind::kSum},
        {Kind::kRoundClip, Kind::kScale, Kind::kSum, Kind::kLinear},
        {Kind::kRoundClip, Kind::kScale, Kind::kSum, Kind::kAffine},
        {Kind::kRoundClip, Kind::kScale, Kind::kLinear, Kind::kSum, Kind::kScale},
        {Kind::kRoundClip, Kind::kScale, Kind::kAffine, Kind::kSum, Kind::kScale}};
    constexpr ElementType kTypes[] = {ElementType::u8, ElementType::i8, ElementType::f32};
    on_every_target([&] {
        std::mt19937 rng(11);
        for (std::size_t n = 0; n < 3 * lists.size() * std::size(kTypes); ++n) {
            const std::size_t i = n / 3;
            // The last panel has 6 channels or 8.
            const std::size_t channels = n % 3 == 0 ? 38 : 40;
            SCOPED_TRACE(detail::cat("list ", i / std::size(kTypes), ", type ", i, ", case ", n));
            Case c;
            c.params.form = GetParam();
            c.params.shape = {
                .src_channels = 21, .dst_channels = channels, .src_width = 17, .dst_width = 17};
            c.params.dst_type = kTypes[i % std::size(kTypes)];
            c.weights = random_weights(rng, 21 * channels);
            if (n % 3 == 2) {
                c.wei_zero_point = fuseq::test::random_floats(rng, channels, -2.0f, 2.0f);
            }
            c.scale = {0.003f};
            c.bias = {100.5f};
            c.src = random_elements(rng, ElementType::u8, 17 * 21);
            for (const ElementType type : kTypes) {
                c.binary_sources.push_back(random_elements(rng, type, c.elements()));
            }
            for (const Kind kind : lists[i / std::size(kTypes)]) {
                const std::size_t input = rng() % std::size(kTypes);
                const bool bounds = kind == Kind::kClip || kind == Kind::kRoundClip;
                c.params.ops.push_back(
                    {.kind = kind,
                     .a = {bounds ? -40.0f : 0.75f},
                     .b = {bounds ? 60.0f : -3.5f},
                     .binary = {.input = input, .type = kTypes[input], .scale = 0.5f}});
            }
            expect_exact(c);
        }
    });
}

// Residual inputs of rounded sums, in tiles of every form and whole panels and one that is not. The
// operations of all bytes may be a requantizing add, which other constants than random ones have too.
TEST_P(GemmNarrow, ResidualsOfRoundedSumsAreExact) {
    const auto seed = std::random_device{}();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    on_every_target([&] {
        std::mt19937 rng(seed);
        for (int i = 0; i < 8; ++i) {
            SCOPED_TRACE(detail::cat("case ", i));
            const ElementType q = i % 2 == 0 ? ElementType::u8 : ElementType::i8;
            const ElementType r = i / 2 % 2 == 0 ? ElementType::u8 : ElementType::i8;
            Case c;
            c.params.form = GetParam();
            c.params.shape = {
                .src_channels = 24, .dst_channels = 40, .src_width = 46, .dst_width = 46};
            c.params.dst_type = i / 4 == 0 ? ElementType::u8 : ElementType::i8;
            c.weights = random_weights(rng, std::size_t{24} * 40);
            c.scale = {0.003f};
            c.bias = fuseq::test::random_floats(rng, 40, -9000.0f, 40000.0f);
            c.src = random_elements(rng, ElementType::u8, std::size_t{46} * 24);
            c.binary_sources = {random_elements(rng, r, c.elements())};
            for (const PackedOp& op : random_block(rng, q, r)) {
                c.params.ops.push_back({.kind = op.kind,
                                        .a = {op.a.empty() ? 0.0f : op.a[0]},
                                        .b = {op.b.empty() ? 0.0f : op.b[0]},
                                        .binary = op.binary});
            }
            expect_exact(c);
        }
    });
}

// The bound of a plain step: two weights of one sign whose sum is 128 fit, 129 do not.
TEST(GemmBytes, StepsThatCannotSaturateArePlain) {
    const auto is_plain = [](int a, int b, std::size_t at) {
        std::int8_t weights[4 * gemm::kLanes] = {};
        weights[at] = static_cast<std::int8_t>(a);
        weights[at + 1] = static_cast<std::int8_t>(b);
        return gemm::is_plain(weights);
    };
    for (const std::size_t at : {0, 2, 30, 62}) {
        EXPECT_TRUE(is_plain(127, 1, at));
        EXPECT_FALSE(is_plain(127, 2, at));
        EXPECT_TRUE(is_plain(-64, -64, at));
        EXPECT_FALSE(is_plain(-64, -65, at));
        EXPECT_TRUE(is_plain(-128, 127, at));
        EXPECT_TRUE(is_plain(-128, 0, at));
        EXPECT_FALSE(is_plain(-128, -1, at));
    }
    EXPECT_TRUE(is_plain(127, 0, 1)) << "weights of two pairs of products are not added";
}

// Magnitude times masked source, and the constant, are the product, and no two of them leave 16
// bits, for all bytes.
TEST(GemmBytes, SignedStepsGiveTheProducts) {
    for (int w = -128; w <= 127; ++w) {
        std::int8_t weights[4 * gemm::kLanes] = {};
        weights[0] = static_cast<std::int8_t>(w);
        std::int8_t packed[8 * gemm::kLanes];
        std::int32_t init[gemm::kLanes] = {};
        gemm::pack_signed(weights, packed, init);
        std::uint8_t magnitude;
        std::memcpy(&magnitude, &packed[0], 1);
        for (int x = 0; x <= 255; ++x) {
            const auto masked =
                static_cast<std::uint8_t>(x ^ static_cast<std::uint8_t>(packed[4 * gemm::kLanes]));
            const int product = magnitude * static_cast<std::int8_t>(masked);
            ASSERT_EQ(product + init[0], x * w) << x << " * " << w;
            ASSERT_LE(2 * product, 32767) << x << " * " << w;
            ASSERT_GE(2 * product, -32768) << x << " * " << w;
        }
    }
}

// Plain steps first; all steps once; signed ones take two vectors.
TEST(GemmBytes, StepsOfATapAreOrderedByKind) {
    Case c;
    c.params.shape = {.src_channels = 32, .dst_channels = 16, .src_width = 6, .dst_width = 6};
    c.params.form = GemmForm::kBytes;
    c.weights.assign(16 * 32, 1);
    c.weights[7 * 32 + 8] = c.weights[7 * 32 + 9] = 100;    // step 2
    c.weights[3 * 32 + 22] = c.weights[3 * 32 + 23] = -70;  // step 5
    c.scale = {1.0f};
    c.src.assign(6 * 32, 255);
    const gemm::Packed packed = gemm::pack(c.complete());
    const gemm::PackedWeights& weights = *packed.weights;
    ASSERT_EQ(weights.steps.size(), 1u);
    EXPECT_EQ(weights.steps[0].plain, 6u);
    EXPECT_EQ(weights.order, (std::vector<std::uint32_t>{0, 4, 12, 16, 24, 28, 8, 20}));
    EXPECT_EQ(weights.values.size(), (6 + 2 * 2) * 64u);
    expect_exact(c);
}

TEST(GemmForm, BestIsWhatTheMachineHas) {
    EXPECT_EQ(best_form(), has_avx512_vnni()                          ? GemmForm::kVnni512
                           : has_avx_vnni() || has_avx_vnni_in_evex() ? GemmForm::kVnni256
                                                                      : GemmForm::kBytes);
}

}  // namespace
}  // namespace fuseq::kernels
