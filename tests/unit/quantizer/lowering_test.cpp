// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/lowering.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fuseq::quantizer {
namespace {

std::shared_ptr<Model> normalized_convolution() {
    return Model::from_text(R"(
        %x = Parameter : f32[1,1,4,4]
        %stored = Const value={1,2} : f16[2,1,1,1]
        %w = Convert(%stored) destination_type=f32
        %conv = Convolution(%x, %w) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
        %gamma = Const value={2,3} : f32[2]
        %beta = Const value={5,7} : f32[2]
        %mean = Const value={1,1} : f32[2]
        %variance = Const value={4,9} : f32[2]
        %bn = BatchNormInference.5(%conv, %gamma, %beta, %mean, %variance) epsilon=0
        %r = Result(%bn))");
}

// gamma / sqrt(variance) = {1, 1}; beta - mean * that = {4, 6}.
TEST(Lower, TakesBatchNormApartAndFoldsIt) {
    const auto model = lower(*normalized_convolution(), {});
    EXPECT_TRUE(model->find_all("BatchNormInference").empty());
    EXPECT_TRUE(model->find_all("Convert").empty());
    ASSERT_EQ(model->find_all("Convolution").size(), 1U);
    EXPECT_TRUE(model->find_all("Multiply").empty());
    const Node* conv = model->find_all("Convolution")[0];
    EXPECT_THAT(to_floats(conv->input_node(1)->constant()), testing::ElementsAre(1, 2));
    const Node* add = model->find_all("Add").at(0);
    EXPECT_THAT(to_floats(add->input_node(1)->constant()), testing::ElementsAre(4, 6));
}

TEST(Lower, LeavesKindsThatAreNamed) {
    const auto model = lower(*normalized_convolution(), {"BatchNormInference"});
    EXPECT_EQ(model->find_all("BatchNormInference").size(), 1U);
}

TEST(Lower, DoesNotChangeTheOriginalNorItsShapes) {
    const auto original = Model::from_text(R"(
        %x = Parameter : f32[?,3,8,8]
        %shape = ShapeOf(%x) output_type=i64
        %flat = Reshape(%x, %shape) special_zero=false
        %r = Result(%flat))");
    const std::string before = original->to_text();
    const auto model = lower(*original, {});
    EXPECT_EQ(original->to_text(), before);
    EXPECT_EQ(model->find_all("ShapeOf").size(), 1U);
    EXPECT_TRUE(model->input().partial_shape()[0].is_dynamic());
}

}  // namespace
}  // namespace fuseq::quantizer
