// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Positions and weights are those of OpenVINO's definition of Interpolate, worked out by hand.
#include "cpu/lowering/resize_request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "fuseq/model.hpp"

namespace fuseq::cpu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ResizeRequestTest : public ::testing::Test {
protected:
    // The verdict on the Interpolate of a tensor, whose last dimensions become `sizes`.
    Verdict ask(const std::string& source,
                const std::string& sizes,
                const std::string& attributes,
                const std::string& axes = "2,3") {
        const std::string count = axes.size() == 1 ? "1" : "2";
        model_ = Model::from_text("%x = Parameter : " + source + "\n%s = Const value={" + sizes +
                                  "} : i64[" + count + "]\n%f = Const value=fill(2) : f32[" +
                                  count + "]\n%a = Const value={" + axes + "} : i64[" + count +
                                  "]\n%n = Interpolate.4(%x, %s, %f, %a) " + attributes +
                                  " shape_calculation_mode=sizes\n%r = Result(%n)");
        return resize_request(*model_->find("n"), params_);
    }

    std::shared_ptr<Model> model_;
    kernels::ResizeParams params_;
};

TEST_F(ResizeRequestTest, NearestHasOneSourceAPosition) {
    ASSERT_TRUE(ask("u8[2,3,2,3]", "4,6",
                    "mode=nearest nearest_mode=floor coordinate_transformation_mode=asymmetric"));
    EXPECT_EQ(params_.batch, 2U);
    EXPECT_EQ(params_.channels, 3U);
    EXPECT_EQ(params_.src_height, 2U);
    EXPECT_EQ(params_.src_width, 3U);
    EXPECT_EQ(params_.src_type, ElementType::u8);
    EXPECT_THAT(params_.rows.low, ElementsAre(0, 0, 1, 1));
    EXPECT_THAT(params_.columns.low, ElementsAre(0, 0, 1, 1, 2, 2));
    EXPECT_THAT(params_.columns.high, IsEmpty());
}

// align_corners: position i of 5 lies at i * (3 - 1) / (5 - 1) = i / 2.
TEST_F(ResizeRequestTest, LinearHasTwoSourcesAndAWeight) {
    ASSERT_TRUE(ask("f32[1,1,1,3]", "1,5",
                    "mode=linear_onnx coordinate_transformation_mode=align_corners"));
    const kernels::ResizeAxis& columns = params_.columns;
    ASSERT_EQ(columns.low.size(), 5U);
    for (std::size_t i = 0; i < 5; ++i) {
        const float at = static_cast<float>(columns.low[i]) +
                         columns.weight[i] * static_cast<float>(columns.high[i] - columns.low[i]);
        EXPECT_FLOAT_EQ(at, static_cast<float>(i) / 2) << i;
    }
}

TEST_F(ResizeRequestTest, ThreeDimensionsAreOneRow) {
    ASSERT_TRUE(ask("i8[1,4,5]", "10",
                    "mode=nearest nearest_mode=floor coordinate_transformation_mode=asymmetric",
                    "2"));
    EXPECT_EQ(params_.src_height, 1U);
    EXPECT_THAT(params_.rows.low, ElementsAre(0));
    EXPECT_EQ(params_.columns.low.size(), 10U);
}

TEST_F(ResizeRequestTest, RefusesWithTheReason) {
    const std::string nearest =
        "mode=nearest nearest_mode=floor coordinate_transformation_mode=asymmetric";
    EXPECT_THAT(ask("i32[1,3,2,3]", "4,6", nearest).reason(), HasSubstr("for f32, u8 and i8"));
    EXPECT_THAT(ask("u8[1,3,2,3]", "4,6", "mode=linear_onnx").reason(),
                HasSubstr("a weighted sum of integers"));
    EXPECT_THAT(ask("f32[1,3,4,4]", "8,8", "mode=cubic").reason(), HasSubstr("more taps"));
    EXPECT_THAT(ask("f32[1,3,4,4]", "6,8", nearest, "1,3").reason(), HasSubstr("another axis"));
    EXPECT_THAT(ask("f32[1,3,4,4]", "8,8", nearest + " pads_begin=[0,0,1,0]").reason(),
                HasSubstr("pads"));
    EXPECT_THAT(ask("f32[1,1,1,1]", "1,1048577", nearest).reason(),
                HasSubstr("more than 1048576 positions"));
    EXPECT_TRUE(ask("f32[1,1,1,1]", "1,1048576", nearest));
}

TEST_F(ResizeRequestTest, OtherOperationsAreOfAnotherKind) {
    model_ = Model::from_text("%x = Parameter : f32[1,3,4,4]\n%n = ReLU(%x)\n%r = Result(%n)");
    EXPECT_TRUE(resize_request(*model_->find("n"), params_).is_other_kind());
    EXPECT_FALSE(is_linear_resize(*model_->find("n")));
}

TEST_F(ResizeRequestTest, WeightedSumsAreLinear) {
    EXPECT_FALSE(ask("f32[1,1,2,2]", "4,4", "mode=linear").is_other_kind());
    EXPECT_TRUE(is_linear_resize(*model_->find("n")));
    EXPECT_FALSE(ask("f32[1,1,2,2]", "4,4", "mode=nearest").is_other_kind());
    EXPECT_FALSE(is_linear_resize(*model_->find("n")));
}

}  // namespace
}  // namespace fuseq::cpu
