// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

const std::string kPlain = "strides=1,1; dilations=1,1; pads_begin=0,0; pads_end=0,0";
// Value 3 y + x.
const In kRamp = in_f32({1, 1, 3, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8});
const In kOne = in_f32({1, 1, 1, 1}, {1});
const In kDigits = in_f32({1, 1, 2, 2}, {1, 10, 100, 1000});

In zeros(const Shape& shape) {
    return in_f32(shape, std::vector<float>(shape_size(shape)));
}

// All positions moved alike by one tap.
In moved(float y, float x) {
    std::vector<float> values(9, y);
    values.insert(values.end(), 9, x);
    return in_f32({1, 2, 3, 3}, values);
}

std::vector<float> shifted(float y, float x, const std::string& attributes = "") {
    return to_floats(
        run_op("DeformableConvolution", 8, kPlain + attributes, {kRamp, moved(y, x), kOne})[0]);
}
using Floats = std::vector<float>;

TEST(DeformableConvolution, IsAConvolutionWithoutOffsets) {
    expect_tensor<float>(
        run_op("DeformableConvolution", 1, kPlain, {kRamp, zeros({1, 8, 2, 2}), kDigits})[0],
        {1, 1, 2, 2}, {4310, 5421, 7643, 8754});
    expect_tensor<float>(run_op("DeformableConvolution", 1,
                                "strides=2,2; dilations=1,1; pads_begin=1,1; pads_end=0,0",
                                {kRamp, zeros({1, 8, 2, 2}), kDigits})[0],
                         {1, 1, 2, 2}, {0, 2100, 6030, 8754});
    expect_tensor<float>(run_op("DeformableConvolution", 1,
                                "strides=1,1; dilations=2,2; pads_begin=0,0; pads_end=0,0",
                                {kRamp, zeros({1, 8, 1, 1}), kDigits})[0],
                         {1, 1, 1, 1}, {8620});
    // Pads at the end only, and by rule.
    const std::vector<float> padded = {4310, 5421, 502, 7643, 8754, 805, 76, 87, 8};
    for (const std::string rule :
         {"pads_begin=0,0; pads_end=1,1", "pads_begin=3,3; pads_end=3,3; auto_pad=same_upper"}) {
        expect_tensor<float>(
            run_op("DeformableConvolution", 1, "strides=1,1; dilations=1,1; " + rule,
                   {kRamp, zeros({1, 8, 3, 3}), kDigits})[0],
            {1, 1, 3, 3}, padded);
    }
    expect_tensor<float>(
        run_op("DeformableConvolution", 1,
               "strides=3,3; dilations=1,1; pads_begin=3,3; pads_end=3,3; auto_pad=valid",
               {kRamp, zeros({1, 8, 1, 1}), kDigits})[0],
        {1, 1, 1, 1}, {4310});
}

TEST(DeformableConvolution, ReadsBetweenCells) {
    EXPECT_EQ(shifted(0, 0), (Floats{0, 1, 2, 3, 4, 5, 6, 7, 8}));
    EXPECT_EQ(shifted(1, 0), (Floats{3, 4, 5, 6, 7, 8, 0, 0, 0}));
    EXPECT_EQ(shifted(0, -1), (Floats{0, 0, 1, 0, 3, 4, 0, 6, 7}));
    EXPECT_EQ(shifted(0.25F, 0), (Floats{0.75F, 1.75F, 2.75F, 3.75F, 4.75F, 5.75F, 6, 7, 8}));
    // Past the last cell by less than one: its value. Before the first: nothing.
    EXPECT_EQ(shifted(0.5F, 0.5F), (Floats{2, 3, 3.5F, 5, 6, 6.5F, 6.5F, 7.5F, 8}));
    EXPECT_EQ(shifted(-0.5F, 0), (Floats{0, 0, 0, 1.5F, 2.5F, 3.5F, 4.5F, 5.5F, 6.5F}));
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(shifted(nan, 0), Floats(9, 0.0F));
    EXPECT_EQ(shifted(0, 1e30F), Floats(9, 0.0F));
}

// A tap that lies outside reads nothing, whatever its mask is.
TEST(DeformableConvolution, IgnoresTheMaskOfTapsOutside) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const Tensor out = run_op(
        "DeformableConvolution", 8, "strides=1,1; dilations=1,1; pads_begin=1,0; pads_end=0,0",
        {in_f32({1, 1, 1, 1}, {5}), zeros({1, 2, 2, 1}), kOne, in_f32({1, 1, 2, 1}, {nan, 2})})[0];
    expect_tensor<float>(out, {1, 1, 2, 1}, {0, 10});
}

TEST(DeformableConvolution, ReadsZerosAroundTheImageIfAsked) {
    const std::string pad = "; bilinear_interpolation_pad=true";
    EXPECT_EQ(shifted(0.5F, 0, pad), (Floats{1.5F, 2.5F, 3.5F, 4.5F, 5.5F, 6.5F, 3, 3.5F, 4}));
    EXPECT_EQ(shifted(-0.5F, 0, pad), (Floats{0, 0.5F, 1, 1.5F, 2.5F, 3.5F, 4.5F, 5.5F, 6.5F}));
    EXPECT_EQ(shifted(0, -0.75F, pad),
              (Floats{0, 0.25F, 1.25F, 0.75F, 3.25F, 4.25F, 1.5F, 6.25F, 7.25F}));
    EXPECT_EQ(shifted(-1, 0, pad), (Floats{0, 0, 0, 0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(shifted(0.5F, 0, "; bilinear_interpolation_pad=false"), shifted(0.5F, 0));
}

TEST(DeformableConvolution, MovesEveryTapOfItsOwn) {
    // Tap 0 one down, tap 1 one to the left: 3, 1, 6, 8.
    const In offsets = in_f32({1, 8, 1, 1}, {1, 0, 0, -1, 0, 0, 0, 0});
    const std::string wide = "strides=1,1; dilations=2,2; pads_begin=0,0; pads_end=0,0";
    expect_tensor<float>(run_op("DeformableConvolution", 8, wide, {kRamp, offsets, kDigits})[0],
                         {1, 1, 1, 1}, {8613});
    // 3 * 1 * 1 + 1 * 10 * 0.5 + 0 + 8 * 1000 * 2
    expect_tensor<float>(
        run_op("DeformableConvolution", 8, wide,
               {kRamp, offsets, kDigits, in_f32({1, 4, 1, 1}, {1, 0.5F, 0, 2})})[0],
        {1, 1, 1, 1}, {16008});
}

TEST(DeformableConvolution, KeepsGroupsAndImagesApart) {
    const In src = in_f32({1, 2, 1, 2}, {1, 2, 3, 4});
    // The second deformable group swaps its positions.
    const In offsets = in_f32({1, 4, 1, 2}, {0, 0, 0, 0, 0, 0, 1, -1});
    expect_tensor<float>(
        run_op("DeformableConvolution", 1, kPlain + "; group=2; deformable_group=2",
               {src, offsets, in_f32({2, 1, 1, 1}, {10, 100})})[0],
        {1, 2, 1, 2}, {10, 20, 400, 300});
    expect_tensor<float>(run_op("DeformableConvolution", 1, kPlain + "; deformable_group=2",
                                {src, offsets, in_f32({1, 2, 1, 1}, {10, 100})})[0],
                         {1, 1, 1, 2}, {410, 320});
    // One deformable group for two groups, with a mask a deformable group.
    expect_tensor<float>(run_op("DeformableConvolution", 8, kPlain + "; group=2",
                                {src, in_f32({1, 2, 1, 2}, {0, 0, 1, -1}),
                                 in_f32({2, 1, 1, 1}, {10, 100}), in_f32({1, 1, 1, 2}, {1, 2})})[0],
                         {1, 2, 1, 2}, {20, 20, 400, 600});
    expect_tensor<float>(run_op("DeformableConvolution", 1, kPlain,
                                {in_f32({2, 1, 1, 2}, {1, 2, 3, 4}),
                                 in_f32({2, 2, 1, 2}, {0, 0, 0, 0, 0, 0, 1, -1}), kOne})[0],
                         {2, 1, 1, 2}, {1, 2, 4, 3});
}

// More positions than one tile and one task hold, and no multiple of either.
TEST(DeformableConvolution, CoversAllPositions) {
    std::vector<float> src(2 * 13 * 21);
    std::vector<float> expected(src.size());
    for (std::size_t i = 0; i < src.size(); ++i) {
        src[i] = static_cast<float>(i);
        expected[i] = 3 * static_cast<float>(i);
    }
    expect_tensor<float>(
        run_op("DeformableConvolution", 1, kPlain,
               {in_f32({2, 1, 13, 21}, src), zeros({2, 2, 13, 21}), in_f32({1, 1, 1, 1}, {3})})[0],
        {2, 1, 13, 21}, expected);
}

TEST(DeformableConvolution, TakesIntegers) {
    expect_tensor<std::int32_t>(run_op("DeformableConvolution", 8, kPlain,
                                       {in<std::int32_t>({1, 1, 1, 2}, {5, 7}),
                                        in<std::int32_t>({1, 2, 1, 2}, {0, 0, 1, -1}),
                                        in<std::int32_t>({1, 1, 1, 1}, {-2})})[0],
                                {1, 1, 1, 2}, {-14, -10});
}

TEST(DeformableConvolution, DoesNotReadBesideItsCells) {
    const float infinite = std::numeric_limits<float>::infinity();
    expect_tensor<float>(run_op("DeformableConvolution", 1, kPlain,
                                {in_f32({1, 1, 1, 3}, {infinite, 1, infinite}),
                                 in_f32({1, 2, 1, 3}, {9, 0, 9, 0, 0, 0}), kOne})[0],
                         {1, 1, 1, 3}, {0, 1, 0});
}

std::string shape(const std::string& attributes,
                  const std::string& src,
                  const std::string& offsets,
                  const std::string& wei,
                  const std::string& mask) {
    return shape_of("DeformableConvolution", 8, attributes,
                    {open(ElementType::f32, src), open(ElementType::f32, offsets),
                     open(ElementType::f32, wei), open(ElementType::f32, mask)});
}

TEST(DeformableConvolution, Infers) {
    EXPECT_EQ(shape(kPlain, "[1,4,224,224]", "[1,50,220,220]", "[64,4,5,5]", "[1,25,220,220]"),
              "[1,64,220,220]");
    // What one input does not tell another does.
    EXPECT_EQ(shape(kPlain, "[?,4,?,224]", "[2,?,220,?]", "[64,4,5,5]", "..."), "[2,64,220,220]");
    EXPECT_EQ(shape(kPlain, "...", "...", "[64,4,5,5]", "[?,25,7,?]"), "[?,64,7,?]");
    EXPECT_EQ(shape(kPlain, "...", "...", "...", "..."), "[?,?,?,?]");
    EXPECT_EQ(shape_of("DeformableConvolution", 1, kPlain + "; group=2; deformable_group=4",
                       {open(ElementType::f32, "[1,8,9,9]"), open(ElementType::f32, "[1,72,7,7]"),
                        open(ElementType::f32, "[6,4,3,3]")}),
              "[1,6,7,7]");
}

TEST(DeformableConvolution, Refuses) {
    const auto refused = [](const std::string& attributes, const std::string& src,
                            const std::string& offsets, const std::string& wei,
                            const std::string& mask) {
        return error_of("DeformableConvolution", 8, attributes,
                        {open(ElementType::f32, src), open(ElementType::f32, offsets),
                         open(ElementType::f32, wei), open(ElementType::f32, mask)});
    };
    const std::string src = "[1,4,9,9]";
    const std::string offsets = "[1,18,7,7]";
    const std::string wei = "[6,4,3,3]";
    const std::string mask = "[1,9,7,7]";
    EXPECT_THAT(refused(kPlain + "; group=0", src, offsets, wei, mask), HasSubstr("group is 0"));
    EXPECT_THAT(refused(kPlain + "; deformable_group=-1", src, offsets, wei, mask),
                HasSubstr("deformable_group is -1, expected a value in [1, 16777216]"));
    EXPECT_THAT(refused("strides=0,1; dilations=1,1", src, offsets, wei, mask),
                HasSubstr("strides has the value 0"));
    EXPECT_THAT(refused("strides=1,1,1; dilations=1,1", src, offsets, wei, mask),
                HasSubstr("strides has 3 values, expected 2"));
    EXPECT_THAT(refused(kPlain, "[4,9,9]", offsets, wei, mask),
                HasSubstr("src has shape [4,9,9], expected rank 4"));
    EXPECT_THAT(refused(kPlain, src, offsets, "[6,3,3,3]", mask),
                HasSubstr("src has 4 channels, wei of shape [6,3,3,3] in 1 groups expects 3"));
    EXPECT_THAT(refused(kPlain + "; group=4", src, offsets, "[6,1,3,3]", mask),
                HasSubstr("wei has 6 channels of dst, expected a multiple of the 4 groups"));
    EXPECT_THAT(refused(kPlain + "; deformable_group=3", src, offsets, wei, mask),
                HasSubstr("src has 4 channels, expected a multiple of deformable_group, 3"));
    EXPECT_THAT(refused(kPlain, src, "[1,17,7,7]", wei, mask),
                HasSubstr("offsets has shape [1,17,7,7], expected [1,18,H,W]"));
    EXPECT_THAT(refused(kPlain, src, offsets, wei, "[2,9,7,7]"),
                HasSubstr("mask has shape [2,9,7,7], expected [1,9,H,W]"));
    EXPECT_THAT(refused(kPlain, src, "[1,18,7,8]", wei, mask),
                HasSubstr("offsets has shape [1,18,7,8], dst has size 7 in spatial dimension 1"));
    EXPECT_THAT(refused(kPlain, "[1,4,2,9]", offsets, wei, mask),
                HasSubstr("the kernel of extent 3 does not fit into the padded src of size 2"));
    EXPECT_THAT(error_of("DeformableConvolution", 1, kPlain,
                         {open(ElementType::f32, src), open(ElementType::i32, offsets),
                          open(ElementType::f32, wei)}),
                HasSubstr("input 1 is i32, input 0 is f32, expected the same type"));
    // Known at run time only.
    EXPECT_THAT(
        blind_error_of("DeformableConvolution", 1, kPlain, {kRamp, zeros({1, 8, 2, 3}), kDigits}),
        HasSubstr("offsets has another size than dst, 2, in spatial dimension 1"));
    EXPECT_THAT(blind_error_of("DeformableConvolution", 1, kPlain,
                               {in_f32({1, 1, 1, 1}, {1}), zeros({1, 8, 1, 1}), kDigits}),
                HasSubstr("the kernel of extent 2 does not fit into the padded src of size 1"));
}

}  // namespace
}  // namespace fuseq::test
