// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/layer_kinds.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace fuseq::quantizer {
namespace {

const std::string kGrid = " strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]";

// The layer "n" of a model with inputs %x and %y of f32[1,4,6,6] and constants of one number.
class LayerKindsTest : public ::testing::Test {
protected:
    const Node& layer(const std::string& lines) {
        model_ = Model::from_text(R"(
            %x = Parameter : f32[1,4,6,6]
            %y = Parameter : f32[1,4,6,6]
            %zero = Const value={0} : f32[]
            %one = Const value={1} : f32[]
            %w = Const value=fill(1) : f32[8,4,3,3]
            %axis = Const value={1} : i64[]
            )" + lines + "\n%r = Result(%n)");
        return *model_->find("n");
    }
    LayerKind kind(const std::string& lines) { return kind_of(layer(lines)); }

    std::shared_ptr<Model> model_;
};

TEST_F(LayerKindsTest, AnchorsHaveWeightsThatAreConstant) {
    EXPECT_EQ(kind("%n = Convolution(%x, %w)" + kGrid), LayerKind::kAnchor);
    EXPECT_EQ(kind("%n = MatMul(%x, %y)"), LayerKind::kAnchor);
    // Weights that are computed, and a matrix of constants at the left.
    EXPECT_EQ(kind("%v = Parameter : f32[8,4,3,3]\n%n = Convolution(%x, %v)" + kGrid),
              LayerKind::kFloat);
    EXPECT_EQ(kind("%m = Const value=fill(1) : f32[6,6]\n%n = MatMul(%m, %x)"), LayerKind::kFloat);
}

TEST_F(LayerKindsTest, WhatMovesElementsIsAMovement) {
    EXPECT_EQ(kind("%n = Concat(%x, %y) axis=1"), LayerKind::kMovement);
    EXPECT_EQ(kind("%s = Const value={1,144} : i64[2]\n%n = Reshape(%x, %s) special_zero=false"),
              LayerKind::kMovement);
    // A part that is constant has a scale of its own.
    EXPECT_EQ(kind("%c = Const value=fill(3) : f32[1,4,6,6]\n%n = Concat(%x, %c) axis=1"),
              LayerKind::kFloat);
}

TEST_F(LayerKindsTest, APadMovesWhereItsValueIsZero) {
    const std::string pads =
        "%b = Const value={0,0,1,1} : i64[4]\n%e = Const value={0,0,1,1} : i64[4]\n";
    EXPECT_EQ(kind(pads + "%n = Pad(%x, %b, %e, %zero) pad_mode=constant"), LayerKind::kMovement);
    EXPECT_EQ(kind(pads + "%n = Pad(%x, %b, %e) pad_mode=reflect"), LayerKind::kMovement);
    EXPECT_EQ(kind(pads + "%n = Pad(%x, %b, %e, %one) pad_mode=constant"), LayerKind::kFloat);
}

TEST_F(LayerKindsTest, AnOperationOfTwoTensorsIsACarrierAndWithAConstantAnActivation) {
    EXPECT_EQ(kind("%n = Add(%x, %y)"), LayerKind::kCarrier);
    EXPECT_EQ(kind("%n = Add(%x, %one)"), LayerKind::kActivation);
    EXPECT_EQ(kind("%n = Multiply(%x, %y)"), LayerKind::kCarrier);
    EXPECT_EQ(kind("%n = ReLU(%x)"), LayerKind::kActivation);
    // One tensor in two places.
    EXPECT_EQ(kind("%s = Sigmoid(%x)\n%n = Multiply(%x, %s)"), LayerKind::kActivation);
    // No integers follow from a quotient or a power of two tensors.
    EXPECT_EQ(kind("%n = Divide(%x, %y)"), LayerKind::kFloat);
    EXPECT_EQ(kind("%n = Power(%x, %y)"), LayerKind::kFloat);
}

TEST_F(LayerKindsTest, IntegersAreNotQuantized) {
    EXPECT_EQ(kind("%i = Convert(%x) destination_type=i32\n%n = ReLU(%i)"), LayerKind::kFloat);
}

TEST_F(LayerKindsTest, DataInputsAreThoseWithTheValues) {
    const Node& concat = layer("%n = Concat(%x, %y) axis=1");
    EXPECT_TRUE(is_data_input(concat, 0));
    EXPECT_TRUE(is_data_input(concat, 1));
    EXPECT_TRUE(is_data_input(layer("%n = Add(%x, %y)"), 1));
    EXPECT_FALSE(is_data_input(layer("%n = Add(%x, %one)"), 1));
    EXPECT_FALSE(is_data_input(layer("%n = Convolution(%x, %w)" + kGrid), 1));
    EXPECT_FALSE(is_data_input(layer("%n = Gather(%x, %axis, %axis)"), 1));
}

TEST_F(LayerKindsTest, AMaximumNeedsOneScaleAndASumDoesNot) {
    EXPECT_TRUE(needs_one_scale(layer("%n = Maximum(%x, %y)")));
    EXPECT_TRUE(needs_one_scale(layer("%n = Concat(%x, %y) axis=1")));
    EXPECT_FALSE(needs_one_scale(layer("%n = Add(%x, %y)")));
}

TEST_F(LayerKindsTest, DepthwiseHasOneInputChannelAGroup) {
    EXPECT_TRUE(is_depthwise(
        layer("%v = Const value=fill(1) : f32[4,2,1,3,3]\n%n = GroupConvolution(%x, %v)" + kGrid)));
    EXPECT_FALSE(is_depthwise(
        layer("%v = Const value=fill(1) : f32[2,2,2,3,3]\n%n = GroupConvolution(%x, %v)" + kGrid)));
    EXPECT_FALSE(is_depthwise(layer("%n = Convolution(%x, %w)" + kGrid)));
}

}  // namespace
}  // namespace fuseq::quantizer
