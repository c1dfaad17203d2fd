// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/channel_scales.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "quantizer/insertion.hpp"
#include "support/run_reference.hpp"

namespace fuseq::quantizer {
namespace {

using test::run_reference;
using testing::ElementsAre;

TensorProfile seen(const std::vector<float>& values) {
    TensorProfile profile;
    profile.histogram = Histogram(64);
    profile.add(values, {1, values.size(), 1, 1});
    return profile;
}

Conversion conversion_of(const std::shared_ptr<Model>& model,
                         const std::map<std::string, std::vector<float>>& ranges) {
    Conversion conversion{model, {}, {}, {}, {}, {}};
    conversion.options.device = "REFERENCE";
    for (const auto& [name, values] : ranges) {
        conversion.profile.tensors[name] = seen(values);
    }
    return conversion;
}

// A hard-swish, which no weights can be divided for, before a convolution: channels of 16 and 1.
std::shared_ptr<Model> swish(const std::string& more = "") {
    return Model::from_text(R"(model "m"
        %x = Parameter : f32[1,2,1,1]
        %h = HSwish(%x)
        %w = Const value={1,1,-1,1} : f32[2,2,1,1]
        %c = Convolution(%h, %w) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
        %out = Result(%c))" +
                            more);
}

std::vector<float> constant_of(const Model& model,
                               const std::string& layer,
                               std::size_t input = 1) {
    return to_floats(model.find(layer)->input_node(input)->constant());
}

// s = sqrt(range / share): 4 : 1, geometric mean 2.
TEST(ChannelScales, AreDividedBeforeTheIntegersAndMultipliedWhereTheyAreRead) {
    const auto model = swish();
    Conversion conversion = conversion_of(model, {{"x", {16, 1}}, {"h", {16, 1}}});
    EXPECT_EQ(scale_channels(conversion, 0.5, {}), 1U);
    EXPECT_THAT(constant_of(*model, "h/scaled"), ElementsAre(0.5f, 2));
    EXPECT_THAT(constant_of(*model, "c"), ElementsAre(2, 0.5f, -2, 0.5f));
    const TensorProfile& scaled = conversion.profile.tensors.at("h/scaled");
    EXPECT_EQ(scaled.channels[0].max, 8);
    EXPECT_EQ(scaled.channels[1].max, 2);
    EXPECT_EQ(scaled.range.max, 8);
    // Others may go on reading the tensor itself.
    EXPECT_EQ(conversion.profile.tensors.at("h").range.max, 16);
}

// The Multiply is no layer of the result: the limits of the FakeQuantize differ by channel.
TEST(ChannelScales, BecomeInputLimitsOfTheFakeQuantize) {
    const auto model = swish();
    Conversion conversion = conversion_of(model, {{"x", {16, 1}}, {"h", {16, 1}}});
    scale_channels(conversion, 0.5, {});
    const QuantizedModel result = convert(conversion);
    EXPECT_EQ(result.model->find("h/scaled"), nullptr);
    const Node* fq = result.model->find("h/fq");
    EXPECT_EQ(fq->input_node(0)->name(), "h");
    EXPECT_THAT(to_floats(fq->input_node(2)->constant()), ElementsAre(16, 4));  // 8 * 2, 8 / 2
    EXPECT_EQ(fq->input(2).shape(), (Shape{1, 2, 1, 1}));
    EXPECT_THAT(to_floats(fq->input_node(4)->constant()), ElementsAre(8));
}

// Of rows, channels are the last dimension. Limits along it would be no limits of channels.
TEST(ChannelScales, StayAMultiplyBeforeRows) {
    const auto model = Model::from_text(R"(model "m"
        %x = Parameter : f32[1,3,2]
        %h = Gelu(%x) approximation_mode=ERF
        %w = Const value={1,1,-1,1} : f32[2,2]
        %c = MatMul(%h, %w) transpose_a=false transpose_b=true
        %out = Result(%c))");
    Conversion conversion = conversion_of(model, {});
    TensorProfile& profile = conversion.profile.tensors["h"];
    profile.histogram = Histogram(64);
    profile.add(std::vector<float>{16, 1, 0, 0, 0, 0}, {1, 3, 2}, 2);
    EXPECT_EQ(scale_channels(conversion, 0.5, {}), 1U);
    const QuantizedModel result = convert(conversion);
    const Node* scaled = result.model->find("h/scaled");
    ASSERT_NE(scaled, nullptr);
    EXPECT_EQ(scaled->input(1).shape(), (Shape{1, 1, 2}));
    const Node* fq = result.model->find("h/scaled/fq");
    EXPECT_EQ(fq->input_node(0), scaled);
    EXPECT_THAT(to_floats(fq->input_node(2)->constant()), ElementsAre(8));
    EXPECT_THAT(constant_of(*model, "c"), ElementsAre(2, 0.5f, -2, 0.5f));
}

TEST(ChannelScales, ReadersInFloatKeepTheTensor) {
    const auto model = swish("\n%tail = Tanh(%h)\n%second = Result(%tail)");
    Conversion conversion = conversion_of(model, {{"x", {16, 1}}, {"h", {16, 1}}});
    EXPECT_EQ(scale_channels(conversion, 0.5, {}), 1U);
    EXPECT_EQ(model->find("tail")->input_node(0)->name(), "h");
}

// A sum cannot make up for factors; nor is anything done where models are compared, nor twice.
TEST(ChannelScales, NeedAnchorsAlone) {
    const auto added = Model::from_text(R"(model "m"
        %x = Parameter : f32[1,2,1,1]
        %h = HSwish(%x)
        %sum = Add(%h, %x)
        %w = Const value={1,1,-1,1} : f32[2,2,1,1]
        %c = Convolution(%sum, %w) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
        %out = Result(%c))");
    Conversion conversion =
        conversion_of(added, {{"x", {16, 1}}, {"h", {16, 1}}, {"sum", {20, 20}}});
    EXPECT_EQ(scale_channels(conversion, 0.5, {}), 0U);
    Conversion compared = conversion_of(swish(), {{"x", {16, 1}}, {"h", {16, 1}}});
    EXPECT_EQ(scale_channels(compared, 0.5, {{"c", 0}}), 0U);
    Conversion equalized = conversion_of(swish(), {{"x", {16, 1}}, {"h", {16, 1}}});
    EXPECT_EQ(scale_channels(equalized, 0.5, {}, {"h"}), 0U);
    Conversion unknown = conversion_of(swish(), {});
    unknown.profile.tensors["h"].histogram = Histogram(64);
    EXPECT_EQ(scale_channels(unknown, 0.5, {}), 0U);
}

// Two tensors that share a scale, dealt out to a depthwise convolution: every channel gets the
// whole range. By hand: the geometric mean of 8, 2, 1, 1 is 2.
std::shared_ptr<Model> shuffled() {
    return Model::from_text(R"(model "m"
        %x = Parameter : f32[1,2,2,2]
        %a = HSwish(%x)
        %b = Gelu(%x) approximation_mode=ERF
        %join = Concat(%a, %b) axis=1
        %s1 = Const value={1,2,2,2,2} : i64[5]
        %apart = Reshape(%join, %s1) special_zero=false
        %order = Const value={0,2,1,3,4} : i64[5]
        %dealt = Transpose(%apart, %order)
        %s2 = Const value={1,4,2,2} : i64[4]
        %moved = Reshape(%dealt, %s2) special_zero=false
        %w = Const value={1,2,3,4} : f32[4,1,1,1,1]
        %c = GroupConvolution(%moved, %w) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
        %out = Result(%c))");
}

TEST(ChannelScales, FollowChannelsThroughAShuffle) {
    const auto model = shuffled();
    Conversion conversion = conversion_of(
        model, {{"x", {8, 2}}, {"a", {8, 2}}, {"b", {1, 1}}, {"moved", {8, 1, 2, 1}}});
    EXPECT_EQ(scale_channels(conversion, 0.5, {}), 2U);
    EXPECT_THAT(constant_of(*model, "a/scaled"), ElementsAre(0.25f, 1));
    EXPECT_THAT(constant_of(*model, "b/scaled"), ElementsAre(2, 2));
    // %moved has the channels a0, b0, a1, b1.
    EXPECT_THAT(constant_of(*model, "c"), ElementsAre(4, 1, 3, 2));
    for (const RealRange& channel : conversion.profile.tensors.at("moved").channels) {
        EXPECT_EQ(channel.max, 2);
    }
}

TEST(ChannelScales, ComputeTheSame) {
    const auto model = shuffled();
    Tensor input(ElementType::f32, {1, 2, 2, 2});
    for (std::size_t i = 0; i < input.get_size(); ++i) {
        input.data<float>()[i] = static_cast<float>(i) - 3;
    }
    const std::vector<float> before = run_reference(model, input);
    Conversion conversion = conversion_of(
        model, {{"x", {8, 2}}, {"a", {8, 3}}, {"b", {1, 0.5f}}, {"moved", {8, 1, 3, 0.5f}}});
    EXPECT_EQ(scale_channels(conversion, 0.5, {}), 2U);
    const std::vector<float> after = run_reference(model, input);
    for (std::size_t i = 0; i < before.size(); ++i) {
        EXPECT_NEAR(after[i], before[i], 1e-5 * (1 + std::abs(before[i])));
    }
}

// Channels that are alike gain nothing.
TEST(ChannelScales, AreLeftWhereChannelsAreAlike) {
    Conversion conversion = conversion_of(swish(), {{"x", {16, 16}}, {"h", {16, 15.9f}}});
    EXPECT_EQ(scale_channels(conversion, 0.5, {}), 0U);
}

}  // namespace
}  // namespace fuseq::quantizer
