// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm/gemm_vnni_wide.hpp"

#include <gmock/gmock.h>

#include <map>
#include <numeric>
#include <set>

#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"
#include "cpu/machine/instructions.hpp"
#include "fuseq/error.hpp"
#include "unit/cpu/kernels/gemm/gemm_vnni_case.hpp"

namespace fuseq::kernels {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using fuseq::test::random_elements;
using gemm::WideWay;

// One row of pixels.
Case wide_case(std::mt19937& rng, GemmShape shape, ElementType dst_type, float scale) {
    Case c;
    shape.dst_width = shape.src_width;
    c.params.shape = shape;
    c.params.dst_type = dst_type;
    c.params.src_zero_point = static_cast<int>(rng() % 256);
    c.weights = random_weights(rng, shape.src_channels * shape.dst_channels);
    std::uniform_real_distribution<float> factor(0.5f, 1.0f);
    std::uniform_real_distribution<float> bias(-9000.0f, 9000.0f);
    for (std::size_t i = 0; i < shape.dst_channels; ++i) {
        c.scale.push_back(scale * factor(rng));
        c.bias.push_back(bias(rng));
    }
    c.src = random_elements(rng, ElementType::u8, shape.src_width * shape.src_channels);
    return c;
}

// A convolution of any kernel, with padding that keeps the size of the image.
Case windows_case(std::mt19937& rng, GemmShape shape) {
    shape.dst_height = shape.src_height;
    shape.pad_top = static_cast<std::ptrdiff_t>(shape.kernel_height / 2);
    shape.pad_left = static_cast<std::ptrdiff_t>(shape.kernel_width / 2);
    const std::size_t taps = shape.kernel_height * shape.kernel_width;
    Case c = wide_case(rng, shape, ElementType::u8, 0.0005f);
    c.params.src_zero_point = 0;
    c.weights = random_weights(rng, shape.src_channels * shape.dst_channels * taps);
    c.src = random_elements(rng, ElementType::u8,
                            shape.src_height * shape.src_width * shape.src_channels);
    return c;
}

std::set<WideWay> ways_of(const Case& c) {
    const gemm::Packed packed = gemm::pack(c.complete());
    std::set<WideWay> ways;
    for (const gemm::Panel& panel : packed.panels) {
        ways.insert(panel.constants->ways, panel.constants->ways + panel.vectors);
    }
    return ways;
}

// Panels of one to four vectors, whole and not, with tiles of all sizes.
TEST_F(GemmVnniTest, WidePanelsAreExact) {
    std::set<WideWay> ways;
    for (const std::size_t channels :
         {1, 3, 16, 17, 24, 31, 32, 40, 48, 63, 64, 65, 96, 130, 144}) {
        for (const std::size_t pixels : {1, 2, 3, 5, 6, 7, 11, 23, 25, 49, 100}) {
            for (const ElementType type : {ElementType::u8, ElementType::i8}) {
                SCOPED_TRACE(
                    detail::cat(channels, " channels, ", pixels, " pixels, ", to_string(type)));
                std::mt19937 rng(static_cast<unsigned>(channels * 1000 + pixels));
                const Case c = wide_case(
                    rng,
                    {.src_channels = 3 + pixels, .dst_channels = channels, .src_width = pixels},
                    type, 0.004f);
                expect_exact(c);
                ways.merge(ways_of(c));
            }
        }
    }
    EXPECT_TRUE(ways.contains(WideWay::kShort));
}

// Pixels of one byte: as many as there are fit into a part.
TEST_F(GemmVnniTest, WidePanelsOfOneChannelAreExact) {
    std::mt19937 rng(1);
    expect_exact(wide_case(rng, {.src_channels = 1, .dst_channels = 1, .src_width = 420},
                           ElementType::u8, 0.004f));
}

void add_zero_points(std::mt19937& rng, Case& c) {
    std::uniform_real_distribution<float> zero_point(-20.0f, 20.0f);
    for (std::size_t i = 0; i < c.params.shape.dst_channels; ++i) {
        c.wei_zero_point.push_back(zero_point(rng));
    }
}

// A clip at zero, or below it, or above it, and the scale of each channel.
void add_clip(std::mt19937& rng, Case& c, float low) {
    c.params.ops.resize(2);
    c.params.ops[0] = {.kind = GemmOp::Kind::kClip, .a = {low}, .b = {6.0f}};
    c.params.ops[1].kind = GemmOp::Kind::kScale;
    std::uniform_real_distribution<float> factor(15.0f, 60.0f);
    for (std::size_t i = 0; i < c.params.shape.dst_channels; ++i) {
        c.params.ops[1].a.push_back(factor(rng));
    }
}

// A relu6 and the scale of each channel, in panels of one to four vectors.
TEST_F(GemmVnniTest, WidePanelsClipAndScale) {
    std::set<WideWay> ways;
    for (const std::size_t channels : {8, 16, 24, 48, 64, 100, 144}) {
        for (const std::size_t pixels : {1, 5, 26, 49}) {
            SCOPED_TRACE(detail::cat(channels, " channels, ", pixels, " pixels"));
            std::mt19937 rng(static_cast<unsigned>(channels * 1000 + pixels));
            Case c = wide_case(
                rng, {.src_channels = 4 * pixels, .dst_channels = channels, .src_width = pixels},
                ElementType::u8, 0.0003f);
            add_clip(rng, c, 0.0f);
            EXPECT_EQ(GemmVnni(c.complete()).implementation(), "gemm_vnni512:6x4");
            expect_exact(c);
            ways.merge(ways_of(c));
        }
    }
    EXPECT_TRUE(ways.contains(WideWay::kShort));
    EXPECT_TRUE(ways.contains(WideWay::kFactor));
}

// The clip of the values is not one of the bytes where it is above zero, or turned round.
TEST_F(GemmVnniTest, WidePanelsClipValues) {
    for (const bool sums : {false, true}) {
        for (const bool turned : {false, true}) {
            SCOPED_TRACE(detail::cat(sums ? "sums" : "no sums", turned ? ", turned" : ""));
            std::mt19937 rng(23);
            Case c = wide_case(rng, {.src_channels = 24, .dst_channels = 70, .src_width = 30},
                               ElementType::u8, 0.0003f);
            add_clip(rng, c, turned ? -3.0f : 0.5f);
            if (turned) {
                c.params.ops[1].a[7] *= -1.0f;
            }
            if (sums) {
                add_zero_points(rng, c);
            }
            EXPECT_TRUE(ways_of(c).contains(sums ? WideWay::kSummedClipped : WideWay::kClipped));
            expect_exact(c);
        }
    }
}

// Sums of 21 bits rarely have a short way, values beyond 32 bits never.
TEST_F(GemmVnniTest, WidePanelsTakeTheLongWayWhereTheyMust) {
    std::mt19937 rng(7);
    const GemmShape shape{.src_channels = 512, .dst_channels = 70, .src_width = 30};
    const Case many = wide_case(rng, shape, ElementType::u8, 0.0001f);
    EXPECT_TRUE(ways_of(many).contains(WideWay::kLong));
    expect_exact(many);
    const Case large = wide_case(rng, shape, ElementType::u8, 1e6f);
    EXPECT_THAT(ways_of(large), testing::ElementsAre(WideWay::kClipped));
    expect_exact(large);
    Case negative = wide_case(rng, shape, ElementType::i8, 0.001f);
    negative.scale[3] = -0.001f;
    EXPECT_TRUE(ways_of(negative).contains(WideWay::kLong));
    expect_exact(negative);
}

// Zero points of weights, with and without a clip, in panels of one to four vectors.
TEST_F(GemmVnniTest, WidePanelsAddSumsOfWindows) {
    std::set<WideWay> ways;
    for (const std::size_t channels : {8, 16, 24, 40, 64, 100, 144}) {
        for (const std::size_t pixels : {1, 2, 3, 5, 6, 11, 26, 49, 100}) {
            SCOPED_TRACE(detail::cat(channels, " channels, ", pixels, " pixels"));
            std::mt19937 rng(static_cast<unsigned>(channels * 1000 + pixels));
            const bool clips = rng() % 2 == 0;
            const ElementType type = clips || rng() % 2 == 0 ? ElementType::u8 : ElementType::i8;
            Case c = wide_case(
                rng, {.src_channels = 3 + pixels, .dst_channels = channels, .src_width = pixels},
                type, clips ? 0.0003f : 0.004f);
            add_zero_points(rng, c);
            if (clips) {
                constexpr float kLows[] = {0.0f, -1.0f, 0.5f};
                add_clip(rng, c, kLows[rng() % 3]);
            }
            EXPECT_EQ(GemmVnni(c.complete()).implementation(), "gemm_vnni512:6x4");
            expect_exact(c);
            ways.merge(ways_of(c));
        }
    }
    EXPECT_THAT(ways, testing::ElementsAre(WideWay::kSummed, WideWay::kSummedFactor,
                                           WideWay::kSummedClipped));
}

// Values that leave the range of 32-bit integers.
TEST_F(GemmVnniTest, WidePanelsSaturateWithSumsOfWindows) {
    std::mt19937 rng(11);
    Case c = wide_case(rng, {.src_channels = 50, .dst_channels = 70, .src_width = 30},
                       ElementType::u8, 1e6f);
    add_zero_points(rng, c);
    EXPECT_THAT(ways_of(c), testing::ElementsAre(WideWay::kSummedClipped));
    expect_exact(c);
    add_clip(rng, c, 0.0f);
    EXPECT_THAT(ways_of(c), testing::ElementsAre(WideWay::kSummedClipped));
    expect_exact(c);
}

// Windows whose rows at the edges leave rows of the kernel out.
TEST_F(GemmVnniTest, WidePanelsAddSumsOfWindowsWithPadding) {
    for (const std::size_t stride : {1, 2}) {
        for (const int zero_point : {0, 130}) {
            SCOPED_TRACE(detail::cat("stride ", stride, ", zero point ", zero_point));
            std::mt19937 rng(static_cast<unsigned>(zero_point));
            GemmShape shape{.src_channels = 12, .dst_channels = 80};
            shape.src_height = shape.src_width = 2 * 9 - 1;
            shape.dst_height = shape.dst_width = stride == 1 ? 17 : 9;
            shape.kernel_height = shape.kernel_width = 3;
            shape.stride_height = shape.stride_width = stride;
            shape.pad_top = shape.pad_left = 1;
            Case c;
            c.params.shape = shape;
            c.params.src_zero_point = zero_point;
            c.weights = random_weights(rng, 9 * shape.src_channels * shape.dst_channels);
            c.scale = {0.002f};
            c.src = random_elements(rng, ElementType::u8, 17 * 17 * shape.src_channels);
            add_zero_points(rng, c);
            EXPECT_EQ(GemmVnni(c.complete()).implementation(), "gemm_vnni512:6x4");
            expect_exact(c);
        }
    }
}

// An elu and what quantizes it by channel; the last case leaves the range of 32-bit integers.
Case elu_case(std::mt19937& rng, const GemmShape& shape, ElementType dst_type, float scale) {
    constexpr GemmOp::Kind kKinds[] = {GemmOp::Kind::kAffine, GemmOp::Kind::kLinear,
                                       GemmOp::Kind::kScale, GemmOp::Kind::kShift};
    Case c = wide_case(rng, shape, dst_type, scale);
    c.params.ops = {{.kind = GemmOp::Kind::kEltwise,
                     .eltwise = {.kind = post_ops::EltwiseKind::kElu,
                                 .alpha = rng() % 2 == 0 ? 1.0f : 0.7f,
                                 .scale = rng() % 2 == 0 ? 1.0f : 9.0f}}};
    if (rng() % 5 != 0) {
        c.params.ops.push_back(
            {.kind = kKinds[rng() % 4],
             .a = fuseq::test::random_floats(rng, shape.dst_channels, 5.0f, 60.0f),
             .b = fuseq::test::random_floats(rng, shape.dst_channels, -3.0f, 40.0f)});
    }
    return c;
}

// Good to the last bit but for ties; the same in tiles of all sizes.
void expect_elu(Case c) {
    const bool is_unsigned = c.params.dst_type == ElementType::u8;
    const GemmVnni gemm(c.complete());
    EXPECT_EQ(gemm.implementation(), "gemm_vnni512:6x4");
    const Bytes got = run(gemm, c, 1);
    EXPECT_EQ(run(gemm, c, std::min<std::size_t>(3, c.params.shape.dst_width)), got);
    const ElementType type = c.params.dst_type;
    c.params.dst_type = ElementType::f32;
    const std::vector<float> exact = expected(c);
    for (std::size_t i = 0; i < exact.size(); ++i) {
        const float limited =
            std::clamp(exact[i], is_unsigned ? 0.0f : -128.0f, is_unsigned ? 255.0f : 127.0f);
        ASSERT_LE(std::abs(fuseq::test::element(got, type, i) - limited), 0.5002f)
            << "element " << i << " is " << exact[i];
    }
}

TEST_F(GemmVnniTest, WidePanelsHaveElus) {
    for (const std::size_t channels : {1, 8, 16, 24, 48, 64, 100}) {
        for (const std::size_t pixels : {1, 3, 5, 26, 49}) {
            for (const ElementType type : {ElementType::u8, ElementType::i8}) {
                SCOPED_TRACE(detail::cat(channels, " channels, ", pixels, " pixels"));
                std::mt19937 rng(static_cast<unsigned>(channels * 1000 + pixels));
                const GemmShape shape{
                    .src_channels = 2 + pixels, .dst_channels = channels, .src_width = pixels};
                expect_elu(elu_case(rng, shape, type, 0.0003f));
                expect_elu(elu_case(rng, shape, type, 3e5f));
            }
        }
    }
}

TEST_F(GemmVnniTest, OtherElusAreNotWide) {
    std::mt19937 rng(7);
    const GemmShape shape{.src_channels = 20, .dst_channels = 33, .src_width = 3};
    const auto name = [](const Case& c) { return GemmVnni(c.complete()).implementation(); };
    Case c = wide_case(rng, shape, ElementType::u8, 0.001f);
    c.params.ops = {{.kind = GemmOp::Kind::kEltwise,
                     .eltwise = {.kind = post_ops::EltwiseKind::kElu, .alpha = 1.0f}}};
    EXPECT_EQ(name(c), "gemm_vnni512:6x4");
    Case other = c;
    other.params.ops[0].eltwise.alpha = 2.0f;  // steeper than above zero
    EXPECT_EQ(name(other), "gemm_vnni512:14x2");
    other = c;
    other.params.ops[0].eltwise.kind = post_ops::EltwiseKind::kSwish;
    EXPECT_EQ(name(other), "gemm_vnni512:14x2");
    other = c;
    other.wei_zero_point = {1.0f};
    EXPECT_EQ(name(other), "gemm_vnni512:14x2");
    other = c;
    other.params.ops.push_back({.kind = GemmOp::Kind::kScale, .a = std::vector<float>(33, 2.0f)});
    EXPECT_EQ(name(other), "gemm_vnni512:6x4");
    other.params.ops[1].a[32] = -2.0f;
    EXPECT_EQ(name(other), "gemm_vnni512:14x2");
    other.params.ops[1] = {.kind = GemmOp::Kind::kRound};
    EXPECT_EQ(name(other), "gemm_vnni512:14x2");
}

// Weights that do not stay in L1 suit machines that load two wide vectors a cycle, but not in tiles
// of a row of few pixels, nor in layers of few.
TEST_F(GemmVnniTest, WidePanelsOfMuchDepth) {
    const std::string deep =
        loads_one_wide_vector_a_cycle() ? "gemm_vnni512:14x2" : "gemm_vnni512:6x4";
    std::mt19937 rng(7);
    const auto name_of_exact = [&](const GemmShape& shape) {
        const Case c = windows_case(rng, shape);
        expect_exact(c);
        return GemmVnni(c.complete()).implementation();
    };
    for (const std::size_t pixels : {1, 6, 64, 75}) {
        const GemmShape row{.src_channels = 1030, .dst_channels = 70, .src_width = pixels};
        EXPECT_EQ(name_of_exact(row), deep);
    }
    EXPECT_EQ(name_of_exact({.src_channels = 1030, .dst_channels = 70, .src_width = 49}),
              "gemm_vnni512:14x2");
    GemmShape shape{.src_channels = 68, .dst_channels = 64, .src_height = 9, .src_width = 12};
    shape.kernel_height = shape.kernel_width = 3;
    EXPECT_EQ(name_of_exact(shape), deep);
    shape.src_width = 11;
    EXPECT_EQ(name_of_exact(shape), "gemm_vnni512:14x2");
    shape.src_width = 12;
    shape.dst_channels = 96;
    EXPECT_EQ(name_of_exact(shape), "gemm_vnni512:14x2");
}

GemmOp round_to(ElementType type) {
    const float low = type == ElementType::u8 ? 0.0f : -128.0f;
    return {.kind = GemmOp::Kind::kRoundClip, .a = {low}, .b = {low + 255.0f}};
}

// A residual input of another scale after a quantization.
Case add_case(
    std::mt19937& rng, const GemmShape& shape, ElementType q, ElementType r, ElementType dst_type) {
    Case c = wide_case(rng, shape, dst_type, 0.004f);
    c.binary_sources = {random_elements(rng, r, c.elements())};
    c.params.ops = {round_to(q),
                    {.kind = GemmOp::Kind::kScale, .a = {0.6137f}},
                    {.kind = GemmOp::Kind::kSum, .binary = {.type = r, .scale = 0.7319f}}};
    return c;
}

// Panels of one to four vectors, whole and not, with tiles of all sizes.
TEST_F(GemmVnniTest, WidePanelsAddResidualInputs) {
    constexpr ElementType kTypes[] = {ElementType::u8, ElementType::i8};
    std::size_t wide = 0, all = 0;
    for (const std::size_t channels : {1, 16, 24, 40, 48, 64, 77, 144}) {
        for (const std::size_t pixels : {1, 2, 3, 5, 6, 27, 49, 100}) {
            SCOPED_TRACE(detail::cat(channels, " channels, ", pixels, " pixels"));
            std::mt19937 rng(static_cast<unsigned>(channels * 1000 + pixels));
            Case c = add_case(
                rng, {.src_channels = 3 + pixels, .dst_channels = channels, .src_width = pixels},
                kTypes[rng() % 2], kTypes[rng() % 2], kTypes[rng() % 2]);
            if (rng() % 3 == 0) {
                add_zero_points(rng, c);
            }
            expect_exact(c);
            wide += GemmVnni(c.complete()).implementation() == "gemm_vnni512:6x4" ? 1 : 0;
            ++all;
        }
    }
    EXPECT_GT(wide, all * 3 / 4);  // not all lists have one
}

// Then an elu, of few values below zero and of many, down to the lowest byte and not.
TEST_F(GemmVnniTest, WidePanelsAddAndTakeAnElu) {
    constexpr ElementType kTypes[] = {ElementType::u8, ElementType::i8};
    std::map<std::size_t, int> found;
    for (const std::size_t channels : {1, 16, 24, 40, 48, 64, 77, 144}) {
        for (const std::size_t pixels : {1, 2, 3, 6, 27, 100}) {
            SCOPED_TRACE(detail::cat(channels, " channels, ", pixels, " pixels"));
            std::mt19937 rng(static_cast<unsigned>(channels * 1000 + pixels));
            Case c = add_case(
                rng, {.src_channels = 3 + pixels, .dst_channels = channels, .src_width = pixels},
                ElementType::u8, kTypes[rng() % 2], ElementType::u8);
            const float scale = rng() % 2 == 0 ? 6.3f : 12.1f;
            const float zero_point = scale + (rng() % 2 == 0 ? 0.0f : 2.9f);
            c.params.ops[1] = {.kind = GemmOp::Kind::kLinear, .a = {0.6137f}, .b = {-90.0f}};
            c.params.ops.push_back({.kind = GemmOp::Kind::kScale, .a = {1.0f / scale}});
            c.params.ops.push_back(
                {.kind = GemmOp::Kind::kEltwise,
                 .eltwise = {.kind = post_ops::EltwiseKind::kElu, .alpha = 1.0f, .scale = scale}});
            c.params.ops.push_back({.kind = GemmOp::Kind::kShift, .a = {zero_point}});
            const auto add = gemm::pack(c.complete()).epilogue.add;
            ++found[add && add->elu_table ? add->elu_table->steps : 0];
            if (add) {
                EXPECT_EQ(GemmVnni(c.complete()).implementation(), "gemm_vnni512:6x4");
                expect_exact(c);
            }
        }
    }
    EXPECT_LT(found[0], 10);  // of 48
    EXPECT_GT(found[32], 6);
    EXPECT_GT(found[64], 6);
}

// Where the residual input is, with pixels that do not fill a group of two or four.
TEST_F(GemmVnniTest, WidePanelsAddInPlace) {
    for (const std::size_t channels : {16, 32, 64 + 9}) {
        for (const std::size_t pixels : {2, 3, 27, 97}) {
            SCOPED_TRACE(detail::cat(channels, " channels, ", pixels, " pixels"));
            std::mt19937 rng(static_cast<unsigned>(channels * 1000 + pixels));
            const Case c =
                add_case(rng, {.src_channels = 20, .dst_channels = channels, .src_width = pixels},
                         ElementType::u8, ElementType::u8, ElementType::u8);
            GemmVnni gemm = GemmVnni::to_be_packed(c.complete());
            gemm.pack(c.complete());
            EXPECT_EQ(gemm.implementation(), "gemm_vnni512:6x4");
            const Bytes want = run(gemm, c, 1);
            Bytes both = c.binary_sources[0];
            const void* binary_sources[] = {both.data()};
            gemm.run({.src = c.src.data(), .dst = both.data(), .binary_sources = binary_sources}, 0,
                     {});
            EXPECT_EQ(both, want);
        }
    }
}

// Values beyond 32 bits before the requantizing add, and a tensor that gets its number late.
TEST_F(GemmVnniTest, WidePanelsAddWhatIsSaturated) {
    std::mt19937 rng(5);
    Case c = add_case(rng, {.src_channels = 64, .dst_channels = 80, .src_width = 30},
                      ElementType::u8, ElementType::u8, ElementType::u8);
    for (float& scale : c.scale) {
        scale = 1e6f;
    }
    expect_exact(c);
    GemmVnni gemm = GemmVnni::to_be_packed(c.complete());
    c.binary_sources.insert(c.binary_sources.begin(),
                            random_elements(rng, ElementType::u8, c.elements()));
    c.params.ops[2].binary.input = 1;
    gemm.pack(c.complete());
    EXPECT_EQ(run(gemm, c, 1), run(GemmVnni(c.complete()), c, 1));
    expect_exact(c);
}

TEST_F(GemmVnniTest, WidePanelsAreForBytesAfterNothingElse) {
    std::mt19937 rng(7);
    const auto name = [](const Case& c) { return GemmVnni(c.complete()).implementation(); };
    Case c = wide_case(rng, {.src_channels = 20, .dst_channels = 70, .src_width = 3},
                       ElementType::u8, 0.01f);
    EXPECT_EQ(name(c), "gemm_vnni512:6x4");
    c.params.dst_type = ElementType::f32;
    EXPECT_EQ(name(c), "gemm_vnni512:14x2");
    c.params.dst_type = ElementType::u8;
    c.wei_zero_point = {1.0f};
    EXPECT_EQ(name(c), "gemm_vnni512:6x4");
    c.params.ops.resize(1);
    EXPECT_EQ(name(c), "gemm_vnni512:14x2");
}

// Two packs within lanes of 128 bits give the order of memory.
TEST(GemmVnniWideTest, PlacesOfChannels) {
    const auto places = [](std::size_t vectors, std::vector<std::size_t> channels) {
        for (std::size_t& c : channels) {
            c = gemm::wide_place(c, vectors);
        }
        return channels;
    };
    using testing::ElementsAre;
    EXPECT_THAT(places(1, {0, 5, 15}), ElementsAre(0, 5, 15));
    EXPECT_THAT(places(2, {0, 3, 4, 7, 8, 31}), ElementsAre(0, 3, 16, 19, 4, 31));
    EXPECT_THAT(places(3, {0, 4, 8, 12, 47}), ElementsAre(0, 16, 32, 4, 47));
    EXPECT_THAT(places(4, {0, 4, 8, 12, 16, 63}), ElementsAre(0, 16, 32, 48, 4, 63));
    for (std::size_t vectors = 1; vectors <= 4; ++vectors) {
        std::set<std::size_t> all;
        for (std::size_t c = 0; c < 16 * vectors; ++c) {
            all.insert(gemm::wide_place(c, vectors));
        }
        EXPECT_EQ(all.size(), 16 * vectors);
        EXPECT_EQ(*all.rbegin(), 16 * vectors - 1);
    }
}

}  // namespace
}  // namespace fuseq::kernels
