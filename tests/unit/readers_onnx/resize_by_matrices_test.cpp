// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Forms of Resize that are products with matrices or a Gather, against ONNX Runtime 1.30 (values noted down).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "unit/readers_onnx/onnx_model.hpp"

namespace fuseq::test {
namespace {

using testing::AllOf;
using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;

// Resize of [1, 1, 1, 6] along the last axis.
class ResizeByMatrices : public testing::Test {
protected:
    ResizeByMatrices() { m.input("x", {1, 1, 1, 6}); }

    ::onnx::NodeProto* resize(const std::string& mode,
                              const std::string& roi,
                              const std::string& scales,
                              const std::string& sizes) {
        auto* node = m.node("Resize", {"x", roi, scales, sizes}, {"y"}, "resize");
        text(node, "mode", mode);
        integer_list(node, "axes", {3});
        m.output("y");
        return node;
    }
    void expect(const std::vector<float>& values) const {
        for (const std::string device : {"REFERENCE", "CPU"}) {
            const Tensor result =
                infer(m, device, {Tensor::of<float>({1, 1, 1, 6}, {1, 2, 4, 8, 16, 32})})[0];
            EXPECT_EQ(result.get_shape(), (Shape{1, 1, 1, values.size()}));
            EXPECT_THAT(to_floats(result), Pointwise(FloatNear(2e-5F), values)) << device;
        }
    }

    OnnxModel m{19};
};

TEST_F(ResizeByMatrices, AntialiasOfTriangles) {
    m.ints("sizes", {4});
    integer(resize("linear", "", "", "sizes"), "antialias", 1);
    expect({1.3333333F, 3.7777778F, 10.2222223F, 26.6666667F});
}

TEST_F(ResizeByMatrices, AntialiasOfCubics) {
    m.floats("scales", {1}, {0.5F});
    auto* node = resize("cubic", "", "scales", "");
    integer(node, "antialias", 1);
    real(node, "cubic_coeff_a", -0.5F);
    expect({1.3515625F, 5.6953125F, 23.6796875F});
}

TEST_F(ResizeByMatrices, ExcludeOutside) {
    m.floats("scales", {1}, {1.5F});
    integer(resize("cubic", "", "scales", ""), "exclude_outside", 1);
    expect({0.8986486F, 1.2857144F, 2.3044002F, 3.3831029F, 5.4375F, 9.2175903F, 13.5324030F,
            25.3714294F, 33.6216240F});
}

TEST_F(ResizeByMatrices, CropAndResizeWithPixelsBeyondTheSource) {
    m.ints("sizes", {4});
    m.floats("roi", {2}, {0.2F, 1.2F});
    auto* node = resize("linear", "roi", "", "sizes");
    text(node, "coordinate_transformation_mode", "tf_crop_and_resize");
    real(node, "extrapolation_value", -1);
    expect({2, 6.6666660F, 21.3333282F, -1});
}

TEST_F(ResizeByMatrices, HalfPixelSymmetric) {
    m.floats("scales", {1}, {0.7F});
    text(resize("linear", "", "scales", ""), "coordinate_transformation_mode",
         "half_pixel_symmetric");
    expect({1.3571427F, 3.5714283F, 9.7142849F, 26.2857132F});
}

// The smaller scale, 2, for both axes.
TEST(ResizeKeepsAspectRatio, NotLarger) {
    OnnxModel m(19);
    m.input("x", {1, 1, 2, 3});
    m.ints("sizes", {5, 6});
    auto* node = m.node("Resize", {"x", "", "", "sizes"}, {"y"}, "resize");
    text(node, "mode", "linear");
    integer_list(node, "axes", {2, 3});
    text(node, "keep_aspect_ratio_policy", "not_larger");
    m.output("y");
    const Tensor x = Tensor::of<float>({1, 1, 2, 3}, {0, 1, 2, 3, 4, 5});
    for (const std::string device : {"REFERENCE", "CPU"}) {
        const Tensor result = infer(m, device, {x})[0];
        EXPECT_EQ(result.get_shape(), (Shape{1, 1, 4, 6}));
        EXPECT_THAT(
            to_floats(result),
            Pointwise(FloatNear(1e-5F), {0.0F, 0.25F, 0.75F, 1.25F, 1.75F, 2.0F,  0.75F, 1.0F,
                                         1.5F, 2.0F,  2.5F,  2.75F, 2.25F, 2.5F,  3.0F,  3.5F,
                                         4.0F, 4.25F, 3.0F,  3.25F, 3.75F, 4.25F, 4.75F, 5.0F}));
    }
}

// 2 / (4 / 14) is 6.9999995 in f32: ONNX Runtime takes pixel 6, where 7 is exact.
TEST(ResizeToNearest, TakesThePixelsOfPlacesInF32) {
    OnnxModel m(19);
    m.input("x", {1, 1, 1, 14});
    m.ints("sizes", {1, 1, 1, 4});
    auto* node = m.node("Resize", {"x", "", "", "sizes"}, {"y"}, "resize");
    text(node, "mode", "nearest");
    text(node, "nearest_mode", "floor");
    text(node, "coordinate_transformation_mode", "asymmetric");
    m.output("y");
    std::vector<float> values(14);
    std::iota(values.begin(), values.end(), 0.0F);
    for (const std::string device : {"REFERENCE", "CPU"}) {
        EXPECT_THAT(to_floats(infer(m, device, {Tensor::of<float>({1, 1, 1, 14}, values)})[0]),
                    testing::ElementsAre(0, 3, 6, 10));
    }
}

TEST_F(ResizeByMatrices, RefusesWhatItCannotCompute) {
    m.ints("sizes", {4});
    auto* node = resize("nearest", "", "", "sizes");
    integer(node, "antialias", 1);
    EXPECT_THAT(
        error_text([&] { m.read(); }),
        AllOf(HasSubstr("'resize' (Resize)"), HasSubstr("antialias=1 needs mode linear or cubic")));
}

TEST_F(ResizeByMatrices, RefusesElementsThatNobodyCouldList) {
    m.ints("sizes", {2000000});
    integer(resize("linear", "", "", "sizes"), "antialias", 1);
    EXPECT_THAT(error_text([&] { m.read(); }),
                HasSubstr("dimension 3 of 6 elements becomes 2000000, expected 1 to 1048576"));
}

TEST(ResizeByMatricesOfOpenSizes, AreRefused) {
    OnnxModel m(19);
    m.input("x", {1, 1, -1, 6});
    m.floats("scales", {2}, {0.5F, 0.5F});
    auto* node = m.node("Resize", {"x", "", "scales"}, {"y"}, "resize");
    text(node, "mode", "linear");
    integer_list(node, "axes", {2, 3});
    integer(node, "antialias", 1);
    m.output("y");
    EXPECT_THAT(error_text([&] { m.read(); }),
                HasSubstr("dimension 2 is not known, which this form of Resize needs"));
}

}  // namespace
}  // namespace fuseq::test
