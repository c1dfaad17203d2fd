// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/concat_ranges.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "fuseq/core.hpp"

namespace fuseq::quantizer {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// %a and %b, one channel each, before a convolution whose weights for them are `weights`.
std::shared_ptr<Model> two_inputs(const std::string& weights, const std::string& more = "") {
    return Model::from_text(R"(
        %x = Parameter : f32[1,1,4,4]
        %wa = Const value={1} : f32[1,1,1,1]
        %a = Convolution(%x, %wa) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
        %wb = Const value={9} : f32[1,1,1,1]
        %b = Convolution(%x, %wb) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
        %join = Concat(%a, %b) axis=1
        %w = Const value={)" +
                            weights + R"(} : f32[1,2,1,1]
        %c = Convolution(%join, %w) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
        %r = Result(%c)
        )" + more);
}

TensorProfile seen(float min, float max) {
    TensorProfile profile;
    profile.histogram = Histogram(64);
    profile.add(std::vector<float>{min, max}, {1, 1, 1, 2});
    return profile;
}

Profile profile_of(float a, float b) {
    Profile profile;
    profile.tensors["a"] = seen(-a, a);
    profile.tensors["b"] = seen(-b, b);
    return profile;
}

std::vector<std::string> chosen(Model& model, const Profile& profile) {
    std::vector<std::string> names;
    for (const Node* node : concats_of_own_ranges(model, place(model, {}), profile)) {
        names.push_back(node->name());
    }
    return names;
}

// Noise of the sums goes with the squares of range and weight. One range: 100 (9 + 1) = 1000; of
// their own: 1 * 9 + 100 * 1 = 109.
TEST(ConcatRanges, AreTheirOwnWhereThatHalvesTheNoise) {
    EXPECT_THAT(chosen(*two_inputs("3,1"), profile_of(1, 10)), ElementsAre("join"));
}

// Of 100 (1 + 9) = 1000, 1 * 1 + 100 * 9 = 901 remain: the wide input makes nearly all of it.
TEST(ConcatRanges, AreOneWhereTheWideInputMatters) {
    EXPECT_THAT(chosen(*two_inputs("1,3"), profile_of(1, 10)), IsEmpty());
}

// 64 (9 + 1) = 640 against 49 * 9 + 64 = 505.
TEST(ConcatRanges, AreOneWhereTheyAreAlike) {
    EXPECT_THAT(chosen(*two_inputs("3,1"), profile_of(7, 8)), IsEmpty());
}

// The shared range reaches from the lower minimum to the higher maximum, [-8, 8], which is wider
// than either: 256 * 2 = 512 against 64 * 2 = 128.
TEST(ConcatRanges, ComparedWithWhatTheyWouldShare) {
    Profile profile;
    profile.tensors["a"] = seen(0, 8);
    profile.tensors["b"] = seen(-8, 0);
    EXPECT_THAT(chosen(*two_inputs("1,1"), profile), ElementsAre("join"));
}

// Channels of different scales can be summed apart by a convolution only.
TEST(ConcatRanges, AreOneWhereOthersReadThem) {
    const Profile profile = profile_of(1, 10);
    EXPECT_THAT(chosen(*two_inputs("3,1", "%r2 = Result(%join)"), profile), IsEmpty());
    EXPECT_THAT(
        chosen(
            *two_inputs(
                "3,1",
                R"(%pool = MaxPool.1(%join) strides=[2,2] pads_begin=[0,0] pads_end=[0,0] kernel=[2,2]
        %w2 = Const value={3,1} : f32[1,2,1,1]
        %c2 = Convolution(%pool, %w2) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
        %r2 = Result(%c2))"),
            profile),
        IsEmpty());
}

TEST(ConcatRanges, AreOneOfManyInputs) {
    std::string text = "%x = Parameter : f32[1,1,4,4]\n%w = Const value={1} : f32[1,1,1,1]\n";
    std::string inputs;
    Profile profile;
    for (int i = 0; i < 9; ++i) {
        const std::string name = "i" + std::to_string(i);
        text += "%" + name +
                " = Convolution(%x, %w) strides=[1,1] dilations=[1,1] pads_begin=[0,0] "
                "pads_end=[0,0]\n";
        inputs += (i > 0 ? ", %" : "%") + name;
        const float limit = i == 0 ? 100.0f : 1.0f;
        profile.tensors[name] = seen(-limit, limit);
    }
    text += "%join = Concat(" + inputs +
            ") axis=1\n%v = Const value={1,1,1,1,1,1,1,1,1} : f32[1,9,1,1]\n"
            "%c = Convolution(%join, %v) strides=[1,1] dilations=[1,1] pads_begin=[0,0] "
            "pads_end=[0,0]\n%r = Result(%c)";
    EXPECT_THAT(chosen(*Model::from_text(text), profile), IsEmpty());
}

std::vector<Tensor> input(std::size_t index) {
    std::mt19937 random(static_cast<unsigned>(index));  // the same data in every run
    std::normal_distribution<float> normal;
    Tensor tensor(ElementType::f32, {1, 1, 4, 4});
    for (float& value : tensor.values<float>()) {
        value = normal(random);
    }
    return {tensor};
}

// Ranges of the two FakeQuantize layers that the Concat reads.
std::vector<float> limits_of(const QuantizerOptions& options, std::vector<QuantizerStep>& steps) {
    Quantizer quantizer(two_inputs("20,1"), options);
    quantizer.profile(12, input);
    const QuantizedModel result = quantizer.quantize(12, input);
    steps = result.steps;
    std::vector<float> limits;
    for (const Output& source : result.model->find("join")->inputs()) {
        EXPECT_TRUE(source.node->is("FakeQuantize"));
        limits.push_back(to_floats(source.node->input_node(2)->constant())[0]);
    }
    return limits;
}

// %b is nine times %a.
TEST(ConcatRanges, AreJudgedOnHeldBackInputs) {
    std::vector<QuantizerStep> steps;
    QuantizerOptions options;
    options.equalization = false;
    options.channel_scales = false;
    options.bias_correction = false;
    options.measured_biases = false;
    const std::vector<float> own = limits_of(options, steps);
    ASSERT_EQ(steps.size(), 1U);
    EXPECT_EQ(steps[0].name, "own ranges for the inputs of 1 Concats");
    EXPECT_TRUE(steps[0].kept);
    EXPECT_GT(steps[0].after, steps[0].before + 3);
    EXPECT_NEAR(own[1] / own[0], 9, 0.2);
    options.concat_ranges = false;
    const std::vector<float> shared = limits_of(options, steps);
    EXPECT_TRUE(steps.empty());
    EXPECT_EQ(shared[0], shared[1]);
    EXPECT_NEAR(shared[1], own[1], 0.01);
}

// At the scale of the narrow input, int32 would not hold a bias of 3e8: scales of weights would be
// raised for it.
TEST(ConcatRanges, BiasesHaveTheLargestScale) {
    const auto model = two_inputs("1000,1", R"(%bias = Const value={300000000} : f32[1,1,1,1]
        %biased = Add(%c, %bias)
        %r2 = Result(%biased))");
    model->remove(model->find("r"));
    Quantizer quantizer(model, {});
    quantizer.profile(3, input);
    const QuantizedModel result = quantizer.quantize();
    EXPECT_THAT(result.remarks, IsEmpty());
    const Node* join = result.model->find("join");
    EXPECT_NE(to_floats(join->input_node(0)->input_node(2)->constant())[0],
              to_floats(join->input_node(1)->input_node(2)->constant())[0]);
    const Node* bias = result.model->find("biased")->input_node(1);
    const Node* wide = join->input_node(1);
    const float step = (to_floats(wide->input_node(2)->constant())[0] -
                        to_floats(wide->input_node(1)->constant())[0]) /
                       255;
    EXPECT_NEAR(to_floats(bias->input_node(1)->constant())[0] / (step * 1000 / 127), 1, 0.01);
}

}  // namespace
}  // namespace fuseq::quantizer
