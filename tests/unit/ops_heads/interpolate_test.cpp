// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/resize/interpolate.hpp"

#include "unit/ops_heads/run_op.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;
using Transform = CoordinateTransformation;

InterpolateAttrs make(InterpolateMode mode,
                      Transform transform = Transform::kHalfPixel,
                      NearestMode nearest = NearestMode::kRoundPreferFloor) {
    InterpolateAttrs attrs;
    attrs.mode = mode;
    attrs.coordinate_transformation_mode = transform;
    attrs.nearest_mode = nearest;
    return attrs;
}

// Resizes a line to a size; opset 4.
std::vector<float> resize(const InterpolateAttrs& attrs,
                          const std::vector<float>& values,
                          std::int64_t size) {
    const Tensor in = floats({values.size()}, values);
    const auto out = run_op("Interpolate", 4, attrs,
                            {in, i64s({1}, {size}), floats({1}, {1}), i64s({1}, {0})}, {1, 2, 3});
    return to_floats(out[0]);
}

MATCHER_P(IsNear, expected, "") {
    return testing::ExplainMatchResult(testing::Pointwise(testing::FloatNear(1e-5F), expected), arg,
                                       result_listener);
}
using Line = std::vector<float>;

TEST(Interpolate, NearestRoundsByItsMode) {
    const auto pick = [](Transform transform, NearestMode mode, std::int64_t size) {
        return resize(make(InterpolateMode::kNearest, transform, mode), {1, 2, 3}, size);
    };
    EXPECT_EQ(pick(Transform::kAsymmetric, NearestMode::kFloor, 6), (Line{1, 1, 2, 2, 3, 3}));
    EXPECT_EQ(pick(Transform::kAsymmetric, NearestMode::kCeil, 6), (Line{1, 2, 2, 3, 3, 3}));
    // Positions 0, 0.5, 1, 1.5, 2, 2.5.
    EXPECT_EQ(pick(Transform::kAsymmetric, NearestMode::kRoundPreferFloor, 6),
              (Line{1, 1, 2, 2, 3, 3}));
    EXPECT_EQ(pick(Transform::kAsymmetric, NearestMode::kRoundPreferCeil, 6),
              (Line{1, 2, 2, 3, 3, 3}));
    // Positions 0 and 1.5: simple rounds up where the axis shrinks.
    EXPECT_EQ(pick(Transform::kAsymmetric, NearestMode::kSimple, 2), (Line{1, 3}));
    EXPECT_EQ(pick(Transform::kAsymmetric, NearestMode::kSimple, 6), (Line{1, 1, 2, 2, 3, 3}));
    // Positions 0.25 and 1.75; 1.5 for a single value, 0 as PyTorch does it.
    EXPECT_EQ(pick(Transform::kHalfPixel, NearestMode::kRoundPreferFloor, 2), (Line{1, 3}));
    EXPECT_EQ(pick(Transform::kHalfPixel, NearestMode::kFloor, 1), (Line{2}));
    EXPECT_EQ(pick(Transform::kPytorchHalfPixel, NearestMode::kFloor, 1), (Line{1}));
    EXPECT_EQ(pick(Transform::kTfHalfPixelForNn, NearestMode::kFloor, 2), (Line{1, 3}));
    EXPECT_EQ(pick(Transform::kAlignCorners, NearestMode::kFloor, 5), (Line{1, 1, 2, 2, 3}));
}

TEST(Interpolate, NearestKeepsOtherTypes) {
    const Tensor in = Tensor::of<std::uint8_t>({1, 2, 2}, {1, 2, 3, 255});
    const auto out =
        run_op("Interpolate", 4,
               make(InterpolateMode::kNearest, Transform::kAsymmetric, NearestMode::kFloor),
               {in, i32s({2}, {4, 3}), floats({2}, {1, 1}), i32s({2}, {-1, 1})}, {1, 2, 3});
    EXPECT_EQ(out[0].get_shape(), (Shape{1, 3, 4}));
    expect_ints(out[0], {1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 255, 255});
}

TEST(Interpolate, LinearOnnx) {
    EXPECT_THAT(resize(make(InterpolateMode::kLinearOnnx), {0, 1}, 4),
                IsNear(Line{0, 0.25F, 0.75F, 1}));
    EXPECT_THAT(resize(make(InterpolateMode::kLinearOnnx, Transform::kAlignCorners), {0, 2, 4}, 5),
                IsNear(Line{0, 1, 2, 3, 4}));
}

TEST(Interpolate, LinearInTwoDimensions) {
    const Tensor in = floats({1, 1, 2, 2}, {0, 4, 8, 12});
    for (const auto mode : {InterpolateMode::kLinear, InterpolateMode::kLinearOnnx}) {
        const auto out = run_op("Interpolate", 11, make(mode, Transform::kAlignCorners),
                                {in, i64s({2}, {3, 3}), i64s({2}, {2, 3})}, {1, 2});
        expect_values(out[0], {0, 2, 4, 4, 6, 8, 8, 10, 12});
    }
}

TEST(Interpolate, LinearLeavesOutWhatLiesOutside) {
    EXPECT_THAT(resize(make(InterpolateMode::kLinear), {0, 1}, 4),
                IsNear(Line{0, 0.25F, 0.75F, 1}));
    InterpolateAttrs attrs = make(InterpolateMode::kLinear);
    // Without antialiasing the positions 0.5 and 2.5 lie between two values.
    EXPECT_THAT(resize(attrs, {7, 14, 21, 28}, 2), IsNear(Line{10.5F, 24.5F}));
    attrs.antialias = true;  // weights 0.75, 0.75, 0.25 over their sum 1.75
    EXPECT_THAT(resize(attrs, {7, 14, 21, 28}, 2), IsNear(Line{12, 23}));
    EXPECT_THAT(resize(attrs, {0, 1}, 4), IsNear(Line{0, 0.25F, 0.75F, 1}));
}

TEST(Interpolate, Cubic) {
    InterpolateAttrs attrs = make(InterpolateMode::kCubic, Transform::kAsymmetric);
    attrs.cube_coeff = -0.5F;  // half-way: -1/16, 9/16, 9/16, -1/16
    EXPECT_THAT(resize(attrs, {0, 16, 32, 48}, 8), IsNear(Line{0, 7, 16, 24, 32, 41, 48, 49}));
}

TEST(Interpolate, PillowModes) {
    const Tensor in = floats({4}, {7, 14, 21, 28});
    const auto out = run_op("Interpolate", 11, make(InterpolateMode::kBilinearPillow),
                            {in, i64s({1}, {2}), i64s({1}, {0})}, {1, 2});
    expect_values(out[0], {12, 23}, 1e-5F);
    InterpolateAttrs cubic = make(InterpolateMode::kBicubicPillow);
    cubic.cube_coeff = -0.5F;
    // Position 2 lies at 1.25: values 0 to 2 weigh 0.2265625, 0.8671875, -0.0703125; what would
    // weigh -0.0234375 lies before the first value, so the sum is 1.0234375.
    const auto twice =
        run_op("Interpolate", 11, cubic,
               {floats({4}, {64, 0, 0, 64}), i64s({1}, {8}), i64s({1}, {0})}, {1, 2});
    EXPECT_NEAR(to_floats(twice[0])[2], 64 * 0.2265625F / 1.0234375F, 1e-5F);
    EXPECT_THAT(refusal("Interpolate", 4, cubic,
                        {open("[4]"), i64s({1}, {8}), floats({1}, {1}), i64s({1}, {0})}),
                HasSubstr("mode is bicubic_pillow, which exists from opset 11 on"));
}

TEST(Interpolate, PadsWithZerosFirst) {
    InterpolateAttrs attrs = make(InterpolateMode::kNearest);
    attrs.pads_begin = {1, 0};
    attrs.pads_end = {0, 1};
    const auto out =
        run_op("Interpolate", 11, attrs, {floats({1, 2}, {5, 6}), i64s({2}, {2, 3})}, {1});
    expect_values(out[0], {0, 0, 0, 5, 6, 0});
}

TEST(Interpolate, ScalesGiveSizes) {
    InterpolateAttrs attrs =
        make(InterpolateMode::kNearest, Transform::kAsymmetric, NearestMode::kFloor);
    attrs.shape_calculation_mode = ShapeCalculation::kScales;
    const auto out =
        run_op("Interpolate", 4, attrs,
               {floats({3}, {1, 2, 3}), i64s({1}, {9}), floats({1}, {1.6666666F})}, {1, 2});
    expect_values(out[0], {1, 1, 2, 2, 3});
    EXPECT_EQ(shapes_of("Interpolate", 4, attrs,
                        {open("[1,?,2..8]"), i64s({2}, {1, 1}), floats({2}, {2, 0.5F}),
                         i64s({2}, {2, 1})}),
              "[1,?,4..16]");
    EXPECT_EQ(shapes_of("Interpolate", 11, attrs, {open("[1,2]"), open("[2]")}), "[?,?]");
    EXPECT_EQ(shapes_of("Interpolate", 11, make(InterpolateMode::kNearest),
                        {open("[1,2,3]"), i64s({1}, {7}), open("[1]", element::i64)}),
              "[?,?,?]");
}

TEST(Interpolate, RefusesBadValues) {
    const InterpolateAttrs attrs = make(InterpolateMode::kNearest);
    const auto why = [&](const InterpolateAttrs& a, const Tensor& wanted, const Tensor& axes) {
        return refusal("Interpolate", 11, a, {open("[1,2,3]"), wanted, axes});
    };
    EXPECT_THAT(why(attrs, i64s({1}, {0}), i64s({1}, {1})), HasSubstr("sizes has the value 0"));
    EXPECT_THAT(why(attrs, i64s({1}, {4}), i64s({1}, {3})), HasSubstr("axes is 3"));
    EXPECT_THAT(why(attrs, i64s({2}, {4, 4}), i64s({2}, {1, -2})),
                HasSubstr("names axis -2 twice"));
    EXPECT_THAT(why(attrs, i64s({2}, {4, 4}), i64s({1}, {1})), HasSubstr("expected 1 values"));
    EXPECT_THAT(why(attrs, floats({1}, {4}), i64s({1}, {1})), HasSubstr("sizes is f32"));
    InterpolateAttrs scales = attrs;
    scales.shape_calculation_mode = ShapeCalculation::kScales;
    EXPECT_THAT(why(scales, floats({1}, {-2}), i64s({1}, {1})),
                HasSubstr("scales has the value -2"));
    InterpolateAttrs pads = attrs;
    pads.pads_end = {-1};
    EXPECT_THAT(why(pads, i64s({1}, {4}), i64s({1}, {1})), HasSubstr("pads_end has the value -1"));
    EXPECT_THAT(
        error_of([&] {
            run_op("Interpolate", 11, attrs, {floats({2}, {1, 2}), i64s({1}, {4}), i64s({1}, {7})});
        }),
        HasSubstr("axes has the value 7"));
}

TEST(Interpolate1, ResizesNamedAxes) {
    Interpolate1Attrs attrs;
    attrs.axes = {1};
    attrs.mode = Interpolate1Mode::kLinear;
    const std::vector<Tensor> inputs{floats({1, 3}, {0, 2, 4}), i64s({1}, {5})};
    expect_values(run_op("Interpolate", 1, attrs, inputs, {1})[0], {0, 1, 2, 3, 4});
    attrs.align_corners = false;  // positions 0, 0.6, 1.2, 1.8, 2.4
    expect_values(run_op("Interpolate", 1, attrs, inputs, {1})[0], {0, 1.2F, 2.4F, 3.6F, 4});
    attrs.mode = Interpolate1Mode::kNearest;
    expect_values(run_op("Interpolate", 1, attrs, inputs)[0], {0, 0, 2, 2, 4});
    attrs.mode = Interpolate1Mode::kArea;
    EXPECT_THAT(refusal("Interpolate", 1, attrs, {open("[1,3]"), i64s({1}, {5})}),
                HasSubstr("mode is area"));
    attrs.mode = Interpolate1Mode::kCubic;
    EXPECT_THAT(refusal("Interpolate", 1, attrs, {open("[1,3]"), i64s({2}, {5, 5})}),
                HasSubstr("expected 1 values, one an axis"));
}

}  // namespace
}  // namespace fuseq::test
