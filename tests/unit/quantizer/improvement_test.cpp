// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Quantizer::quantize with data: what is tried, and what is kept.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "fuseq/core.hpp"
#include "fuseq/quantizer.hpp"
#include "support/small_model.hpp"

namespace fuseq {
namespace {

using test::message_of;
using testing::HasSubstr;
using testing::StartsWith;

// The first convolution has channels of very different ranges.
std::shared_ptr<Model> uneven() {
    const auto model = Model::from_text(R"(model "uneven"
        %x = Parameter : f32[1,4,10,10]
        %w1 = Const value=random(1) : f32[16,4,3,3]
        %c1 = Convolution(%x, %w1) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
        %r1 = ReLU(%c1)
        %w2 = Const value=random(2) : f32[16,16,3,3]
        %c2 = Convolution(%r1, %w2) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
        %out = Result(%c2))");
    Tensor first = model->find("w1")->constant().to(ElementType::f32);
    Tensor second = model->find("w2")->constant().to(ElementType::f32);
    for (std::size_t c = 0; c < 16; ++c) {
        const float factor = c % 4 == 0 ? 30.0f : 0.5f;
        for (std::size_t i = 0; i < 36; ++i) {
            first.data<float>()[c * 36 + i] *= factor;
        }
        for (std::size_t o = 0; o < 16; ++o) {
            for (std::size_t i = 0; i < 9; ++i) {
                second.data<float>()[(o * 16 + c) * 9 + i] /= factor;
            }
        }
    }
    model->find("c1")->set_input(1, model->add_constant("first", first)->output());
    model->find("c2")->set_input(1, model->add_constant("second", second)->output());
    model->remove_dead_nodes();
    return model;
}

std::vector<Tensor> input(std::size_t index) {
    std::mt19937 random(static_cast<unsigned>(index));  // the same data in every run
    std::normal_distribution<float> normal;
    Tensor tensor(ElementType::f32, {1, 4, 10, 10});
    for (float& value : tensor.values<float>()) {
        value = normal(random);
    }
    return {tensor};
}

QuantizedModel quantized(const QuantizerOptions& options, std::size_t count = 9) {
    Quantizer quantizer(uneven(), options);
    quantizer.profile(count, input);
    return quantizer.quantize(count, input);
}

TEST(Improvement, KeepsWhatHelpsOnHeldBackInputs) {
    const QuantizedModel result = quantized({});
    ASSERT_EQ(result.steps.size(), 3U);
    EXPECT_EQ(result.steps[0].name, "equalization of 1 tensors");
    EXPECT_EQ(result.steps[1].name, "scales of channels for 1 tensors");
    EXPECT_TRUE(result.steps[0].kept);
    EXPECT_GT(result.steps[0].after, result.steps[0].before + 3);
    // What is measured afterwards starts from there.
    EXPECT_EQ(result.steps[1].before, result.steps[0].after);
}

// One input has values in a small channel that no other one has there. With ranges alone they are
// within the range of the tensor. Equalized by the other inputs, they are clipped.
TEST(Improvement, ChannelsOfOneInputThatGoBeyondTheOthersCount) {
    const std::shared_ptr<Model> model = uneven();
    Tensor weights = model->find("c1")->input_node(1)->constant().to(ElementType::f32);
    for (std::size_t i = 0; i < 16UL * 36; ++i) {
        const bool small_channel = i / 36 == 1;  // reads the last input channel, and alone does
        if (small_channel != (i % 36 >= 27)) {
            weights.data<float>()[i] = 0;
        }
    }
    model->find("c1")->set_input(1, model->add_constant("apart", weights)->output());
    model->remove_dead_nodes();
    const auto with_outlier = [](std::size_t outlier) {
        return [outlier](std::size_t index) {
            std::vector<Tensor> tensors = input(index);
            for (std::size_t i = 300; i < 400; ++i) {
                tensors[0].data<float>()[i] *= index == outlier ? 20.0f : 0.5f;
            }
            return tensors;
        };
    };
    const auto equalization_kept = [&](std::size_t outlier) {
        QuantizerOptions options;
        options.bias_correction = false;
        options.measured_biases = false;
        Quantizer quantizer(model, options);
        quantizer.profile(12, with_outlier(outlier));
        return quantizer.quantize(12, with_outlier(outlier)).steps.at(0).kept;
    };
    EXPECT_TRUE(equalization_kept(99));
    for (const std::size_t outlier : {3, 4, 5}) {  // of each part
        EXPECT_FALSE(equalization_kept(outlier));
    }
}

TEST(Improvement, SecondOrderRoundingAndCalibrationsAreTriedOnRequest) {
    QuantizerOptions options;
    options.second_order_rounding = true;
    options.calibration = Calibration::kBest;
    options.weights_of_7_bits = true;  // errors of weights that show
    const QuantizedModel result = quantized(options, 12);
    std::vector<std::string> names;
    for (const QuantizerStep& step : result.steps) {
        names.push_back(step.name);
    }
    EXPECT_THAT(names, testing::IsSupersetOf({"MSE calibration", "percentile calibration",
                                              "second-order rounding of weights"}));
    EXPECT_THAT(result.remarks,
                testing::Contains(HasSubstr("second-order rounding of 2 layers leaves")));
}

TEST(Improvement, TheSameDataGivesTheSameModel) {
    QuantizerOptions options;
    options.second_order_rounding = true;
    EXPECT_EQ(compare_models(*quantized(options).model, *quantized(options).model), "");
}

TEST(Improvement, NothingIsTriedThatIsTurnedOff) {
    QuantizerOptions options;
    options.equalization = false;
    options.channel_scales = false;
    options.bias_correction = false;
    options.measured_biases = false;
    EXPECT_TRUE(quantized(options, 12).steps.empty());
}

// Ranges that cut off values move means.
TEST(Improvement, MeasuredBiasesTakePlaceOfBiasCorrection) {
    QuantizerOptions options;
    options.equalization = false;
    options.channel_scales = false;
    options.bias_correction = false;
    options.calibration = Calibration::kPercentile;
    options.percentile = 80;
    const QuantizedModel result = quantized(options, 12);
    ASSERT_EQ(result.steps.size(), 1U);
    EXPECT_EQ(result.steps[0].name, "measured biases");
    EXPECT_TRUE(result.steps[0].kept) << result.steps[0].reason;
    EXPECT_GT(result.steps[0].after, result.steps[0].before + 0.3);
    EXPECT_EQ(compare_models(*result.model, *quantized(options, 12).model), "");
}

std::shared_ptr<Model> large_end() {
    return Model::from_text(R"(model "large_end"
        %x = Parameter : f32[1,1,514,514]
        %w1 = Const value={0.01,1,-1,0.5,1,1,-0.5,1,1} : f32[1,1,3,3]
        %a = Convolution(%x, %w1) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
        %w2 = Const value={0.01,1,1,1,-1,1,1,0.5,1} : f32[1,1,3,3]
        %b = Convolution(%x, %w2) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
        %y = Multiply(%a, %b)
        %out = Result(%y))");
}

// The first pixel is far above the others, which makes large steps of all, and only the first
// weights meet it, which are small: beside the rounding errors of pictures those of results are
// small. Without it they are not.
TEST(Improvement, IntegersAtTheEndAreJudged) {
    float brightest = 100;
    const CalibrationInputs pictures = [&](std::size_t index) {
        std::mt19937 random(static_cast<unsigned>(index));
        std::uniform_real_distribution<float> uniform;
        Tensor tensor(ElementType::f32, {1, 1, 514, 514});
        for (float& value : tensor.values<float>()) {
            value = uniform(random);
        }
        tensor.data<float>()[0] = brightest;
        return std::vector{tensor};
    };
    QuantizerOptions options;
    options.bias_correction = false;
    options.measured_biases = false;
    const auto result_of = [&](bool with_data) {
        Quantizer quantizer(large_end(), options);
        quantizer.profile(6, pictures);
        return with_data ? quantizer.quantize(6, pictures) : quantizer.quantize();
    };
    const auto reads_integers = [](const QuantizedModel& result) {
        return result.model->find("y")->input_node(0)->is("FakeQuantize");
    };
    const QuantizedModel judged = result_of(true);
    ASSERT_EQ(judged.steps.size(), 1U);
    EXPECT_EQ(judged.steps[0].name, "integers for 2 inputs of sums, products and means");
    EXPECT_TRUE(judged.steps[0].kept) << judged.steps[0].reason;
    EXPECT_TRUE(reads_integers(judged));
    EXPECT_FALSE(reads_integers(result_of(false)));  // nothing says what it costs
    options.integers_for_time = false;
    EXPECT_FALSE(reads_integers(result_of(true)));
    options.integers_for_time = true;
    brightest = 1;
    EXPECT_FALSE(reads_integers(result_of(true)));
}

TEST(Improvement, NeedsInputsToJudgeBy) {
    const QuantizedModel result = quantized({}, 5);
    EXPECT_TRUE(result.steps.empty());
    EXPECT_THAT(result.remarks,
                testing::Contains(StartsWith("with 5 inputs nothing can be judged")));
    QuantizerOptions options;
    options.calibration = Calibration::kBest;
    Quantizer quantizer(uneven(), options);
    quantizer.profile(3, input);
    EXPECT_THAT(message_of([&] { quantizer.quantize(); }), HasSubstr("is judged on data"));
}

TEST(Improvement, HeadroomWidensRanges) {
    QuantizerOptions options;
    options.equalization = false;
    options.channel_scales = false;
    const auto high = [&](double headroom) {
        options.headroom = headroom;
        const QuantizedModel result = quantized(options);
        const Node* fq = result.model->find("c1")->input_node(0);
        return to_floats(fq->input_node(2)->constant())[0] -
               to_floats(fq->input_node(1)->constant())[0];
    };
    EXPECT_NEAR(high(0.5) / high(0), 1.5, 0.01);
    options.headroom = -1;
    EXPECT_THAT(message_of([&] { const Quantizer bad(uneven(), options); }),
                HasSubstr("-headroom is -1"));
}

}  // namespace
}  // namespace fuseq
