// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/equalization.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/run_reference.hpp"

namespace fuseq::quantizer {
namespace {

using test::run_reference;
using testing::ElementsAre;

// Channels of %r have ranges 16 and 1; weights that read them have equal shares.
std::shared_ptr<Model> two_channels() {
    return Model::from_text(R"(model "m"
        %x = Parameter : f32[1,1,1,1]
        %w1 = Const value={16,1} : f32[2,1,1,1]
        %c1 = Convolution(%x, %w1) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
        %b = Const value={8,4} : f32[1,2,1,1]
        %a = Add(%c1, %b)
        %r = ReLU(%a)
        %w2 = Const value={1,1,-1,1} : f32[2,2,1,1]
        %c2 = Convolution(%r, %w2) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
        %out = Result(%c2))");
}

TensorProfile seen(float first, float second) {
    TensorProfile profile;
    profile.histogram = Histogram(64);
    profile.add(std::vector<float>{first, second}, {1, 2, 1, 1});
    return profile;
}

Profile profile_of_two() {
    Profile profile;
    for (const char* name : {"c1", "a", "r"}) {
        profile.tensors[name] = seen(16, 1);
    }
    return profile;
}

std::vector<float> constant_of(const Model& model, const std::string& layer) {
    return to_floats(model.find(layer)->input_node(1)->constant());
}

// strength 1/2: s = sqrt(range / share), normalized: sqrt(16) : sqrt(1), geometric mean 2.
TEST(Equalization, DividesWhereAChannelIsMadeAndMultipliesWhereItIsRead) {
    const auto model = two_channels();
    Profile profile = profile_of_two();
    EXPECT_THAT(equalize(*model, profile, 0.5, {}), ElementsAre("r"));
    EXPECT_THAT(constant_of(*model, "c1"), ElementsAre(8, 2));
    EXPECT_THAT(constant_of(*model, "a"), ElementsAre(4, 8));
    EXPECT_THAT(constant_of(*model, "c2"), ElementsAre(2, 0.5f, -2, 0.5f));
    for (const char* name : {"c1", "a", "r"}) {
        const TensorProfile& tensor = profile.tensors.at(name);
        EXPECT_EQ(tensor.channels[0].max, 8);
        EXPECT_EQ(tensor.channels[1].max, 2);
        EXPECT_EQ(tensor.range.max, 8);
        EXPECT_EQ(tensor.channel_sums[1], 2);
        EXPECT_EQ(tensor.histogram.total(), 0U);
    }
}

TEST(Equalization, ComputesTheSame) {
    const auto model = Model::from_text(R"(model "m"
        %x = Parameter : f32[1,4,6,6]
        %w1 = Const value=random(1) : f32[8,4,3,3]
        %c1 = Convolution(%x, %w1) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
        %s = Const value=random(2) : f32[8]
        %p = PReLU(%c1, %s)
        %m = MaxPool(%p) strides=[2,2] pads_begin=[0,0] pads_end=[0,0] kernel=[2,2]
        %w2 = Const value=random(3) : f32[2,6,4,1,1]
        %c2 = GroupConvolution(%m, %w2) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
        %f = Const value={0,-1} : i64[2]
        %flat = Reshape(%c2, %f) special_zero=true
        %w3 = Const value=random(4) : f32[108,5]
        %fc = MatMul(%flat, %w3) transpose_a=false transpose_b=false
        %rows = ReLU(%fc)
        %w4 = Const value=random(5) : f32[3,5]
        %last = MatMul(%rows, %w4) transpose_a=false transpose_b=true
        %out = Result(%last))");
    Profile profile;
    for (const auto& [name, shape] : {std::pair<std::string, Shape>{"c1", {1, 8, 6, 6}},
                                      {"p", {1, 8, 6, 6}},
                                      {"m.0", {1, 8, 3, 3}},
                                      {"fc", {1, 5}},
                                      {"rows", {1, 5}}}) {
        TensorProfile& tensor = profile.tensors[name];
        tensor.histogram = Histogram(64);
        std::vector<float> values(shape_size(shape));
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = static_cast<float>(1 + i * 7 % 50);
        }
        tensor.add(values, shape);
    }
    Tensor input(ElementType::f32, {1, 4, 6, 6});
    for (std::size_t i = 0; i < input.get_size(); ++i) {
        input.data<float>()[i] = static_cast<float>(i % 13) - 6;
    }
    const std::vector<float> before = run_reference(model, input);
    EXPECT_THAT(equalize(*model, profile, 0.5, {}), ElementsAre("m.0", "rows"));
    const std::vector<float> after = run_reference(model, input);
    for (std::size_t i = 0; i < before.size(); ++i) {
        EXPECT_NEAR(after[i], before[i], 1e-4 * (1 + std::abs(before[i])));
    }
}

TEST(Equalization, LeavesWhatOthersRead) {
    Profile profile = profile_of_two();
    EXPECT_TRUE(equalize(*two_channels(), profile, 0.5, {{"c2", 0}}).empty());
    const auto read_twice = two_channels();
    read_twice->add_result("second", read_twice->find("r")->output());
    EXPECT_TRUE(equalize(*read_twice, profile, 0.5, {}).empty());
    Profile unknown;
    EXPECT_TRUE(equalize(*two_channels(), unknown, 0.5, {}).empty());
    // A channel that is always 0 has no range to equalize, nor has one channel alone.
    profile.tensors["r"] = seen(16, 0);
    EXPECT_TRUE(equalize(*two_channels(), profile, 0.5, {}).empty());
}

}  // namespace
}  // namespace fuseq::quantizer
