// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The whole way: a float model and data in, a quantized model out.
#include "fuseq/quantizer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "fuseq/core.hpp"
#include "ops/fake_quantize.hpp"
#include "support/small_model.hpp"

namespace fuseq {
namespace {

using test::message_of;
using test::TemporaryFolder;
using testing::ElementsAre;
using testing::HasSubstr;

// Two convolutions with biases, a residual sum, a pooling, a fully connected layer.
std::shared_ptr<Model> network() {
    return Model::from_text(R"(model "net"
        %x = Parameter : f32[1,8,12,12]
        %w1 = Const value=random(1) : f32[16,8,3,3]
        %c1 = Convolution(%x, %w1) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
        %b1 = Const value=random(2) : f32[1,16,1,1]
        %a1 = Add(%c1, %b1)
        %r1 = ReLU(%a1)
        %w2 = Const value=random(3) : f32[16,16,1,1]
        %c2 = Convolution(%r1, %w2) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
        %sum = Add(%c2, %r1)
        %r2 = ReLU(%sum)
        %axes = Const value={2,3} : i64[2]
        %mean = ReduceMean(%r2, %axes) keep_dims=false
        %w3 = Const value=random(4) : f32[10,16]
        %fc = MatMul(%mean, %w3) transpose_a=false transpose_b=true
        %out = Result(%fc))");
}

std::vector<Tensor> input(std::size_t index) {
    std::mt19937 random(static_cast<unsigned>(100 + index));  // the same data in every run
    std::normal_distribution<float> normal;
    Tensor tensor(ElementType::f32, {1, 8, 12, 12});
    for (float& value : tensor.values<float>()) {
        value = normal(random);
    }
    return {tensor};
}

Quantizer profiled(QuantizerOptions options = {}, std::size_t count = 4) {
    Quantizer quantizer(network(), std::move(options));
    EXPECT_TRUE(quantizer.profile(count, input));
    return quantizer;
}

std::vector<float> run(const std::shared_ptr<const Model>& model,
                       const std::string& device,
                       std::size_t index) {
    InferRequest request = Core().compile_model(model, device).create_infer_request();
    request.set_input_tensor(input(index)[0]);
    request.infer();
    return to_floats(request.get_output_tensor());
}

// Of the quantized model against the float one, in dB, on inputs that were not profiled.
double sqnr(const QuantizedModel& quantized, const std::string& device = "REFERENCE") {
    double signal = 0;
    double noise = 0;
    for (std::size_t index = 50; index < 54; ++index) {
        const std::vector<float> exact = run(network(), "REFERENCE", index);
        const std::vector<float> got = run(quantized.model, device, index);
        for (std::size_t i = 0; i < exact.size(); ++i) {
            signal += std::pow(static_cast<double>(exact[i]), 2);
            noise += std::pow(static_cast<double>(exact[i]) - static_cast<double>(got[i]), 2);
        }
    }
    return 10 * std::log10(signal / noise);
}

std::string text_of(const Quantizer& quantizer) {
    const TemporaryFolder folder;
    quantizer.save_profile(folder.path("p.yaml"));
    std::ifstream in(folder.path("p.yaml"));
    return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Quantizer, KeepsWhatTheNetworkComputes) {
    const QuantizedModel quantized = profiled().quantize();
    EXPECT_GT(sqnr(quantized), 30);
    EXPECT_GT(sqnr(quantized, "CPU"), 30);
    EXPECT_EQ(quantized.activations, 4U);  // x, r1, r2, mean
    EXPECT_TRUE(quantized.remarks.empty());
}

TEST(Quantizer, EverySchemaAndPrecisionKeepsIt) {
    const std::pair<QuantizationSchema, double> schemas[] = {
        {QuantizationSchema::kSymmetric, 28},
        {QuantizationSchema::kSymmetricWithUint8, 30},
        {QuantizationSchema::kSymmetricWithPower2Scale, 22}};
    for (const auto& [schema, least] : schemas) {
        QuantizerOptions options;
        options.schema = schema;
        EXPECT_GT(sqnr(profiled(options).quantize()), least) << to_string(schema);
    }
    QuantizerOptions options;
    options.precision = QuantizationPrecision::kInt16;
    options.weights_precision = QuantizationPrecision::kInt16;
    // What is left is the clipping of values beyond those that were profiled.
    EXPECT_GT(sqnr(profiled(options).quantize()), 50);
}

// Steps on CPU that multiply; all of them must read integers.
std::size_t products_in_integers(const std::shared_ptr<const Model>& model) {
    const auto report =
        nlohmann::json::parse(Core().compile_model(model, "CPU").get_runtime_report());
    std::size_t products = 0;
    for (const auto& step : report.at("steps")) {
        if (step.value("macs", 0.0) > 0) {
            ++products;
            EXPECT_THAT(step.value("src_type", ""), testing::AnyOf("u8", "i8")) << step.dump();
        }
    }
    return products;
}

TEST(Quantizer, EverythingRunsInIntegers) {
    EXPECT_EQ(products_in_integers(profiled().quantize().model), 3U);
}

TEST(Quantizer, WritesWeightsAndBiasesAsIntegers) {
    const QuantizedModel quantized = profiled().quantize();
    const Node* conv = quantized.model->find("c1");
    const Node* scale = conv->input_node(1);
    ASSERT_EQ(scale->type(), "Multiply");
    ASSERT_EQ(scale->input_node(0)->type(), "Convert");
    EXPECT_EQ(scale->input_node(0)->input(0).type(), ElementType::i8);
    EXPECT_EQ(scale->input(1).shape(), (Shape{16, 1, 1, 1}));
    const Node* bias = conv->port().uses[0].node->input_node(1);
    ASSERT_EQ(bias->type(), "Multiply");
    EXPECT_EQ(bias->input_node(0)->input(0).type(), ElementType::i32);
    // The scale of the bias is that of the input times that of the weights.
    const Node* fq = conv->input_node(0);
    ASSERT_EQ(fq->type(), "FakeQuantize");
    const float low = to_floats(fq->input_node(1)->constant())[0];
    const float high = to_floats(fq->input_node(2)->constant())[0];
    const std::vector<float> of_weights = to_floats(scale->input_node(1)->constant());
    const std::vector<float> of_bias = to_floats(bias->input_node(1)->constant());
    for (std::size_t c = 0; c < of_bias.size(); ++c) {
        EXPECT_NEAR(of_bias[c] / ((high - low) / 255 * of_weights[c]), 1, 1e-5);
    }
}

// Value = low + q (high - low) / 255, which is the definition of FakeQuantize, against i8 * scale.
TEST(Quantizer, WritesWeightsAsFakeQuantizeWithTheSameValues) {
    QuantizerOptions options;
    const QuantizedModel plain = profiled(options).quantize();
    options.weights_by_fake_quantize = true;
    const QuantizedModel quantized = profiled(options).quantize();
    const Node* scale = plain.model->find("c1")->input_node(1);
    const std::vector<std::int64_t> integers =
        to_ints(scale->input_node(0)->input_node(0)->constant());
    const std::vector<float> scales = to_floats(scale->input_node(1)->constant());
    const Node* fq = quantized.model->find("c1")->input_node(1);
    ASSERT_EQ(fq->type(), "FakeQuantize");
    ASSERT_EQ(fq->input_node(0)->type(), "Convert");
    ASSERT_EQ(fq->input_node(0)->input(0).type(), ElementType::u8);
    EXPECT_EQ(to_floats(fq->input_node(1)->constant())[0], 0);
    EXPECT_EQ(to_floats(fq->input_node(2)->constant())[0], 255);
    const std::vector<std::int64_t> bytes = to_ints(fq->input_node(0)->input_node(0)->constant());
    const std::vector<float> low = to_floats(fq->input_node(3)->constant());
    const std::vector<float> high = to_floats(fq->input_node(4)->constant());
    ASSERT_EQ(bytes.size(), integers.size());
    ASSERT_EQ(low.size(), 16U);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const std::size_t channel = i / (bytes.size() / low.size());
        const float value =
            low[channel] + static_cast<float>(bytes[i]) * (high[channel] - low[channel]) / 255;
        ASSERT_NEAR(value, static_cast<float>(integers[i]) * scales[channel],
                    1e-4f * scales[channel])
            << i;
    }
}

TEST(Quantizer, WeightsAsFakeQuantizeRunInIntegersFromFilesOfBothVersions) {
    const TemporaryFolder folder;
    for (const bool rowwise : {false, true}) {
        QuantizerOptions options;
        options.weights_by_fake_quantize = true;
        options.rowwise = rowwise;
        const QuantizedModel quantized = profiled(options).quantize();
        EXPECT_GT(sqnr(quantized), 30);
        for (const int version : {10, 11}) {
            write_quantized(quantized, folder.path("q.xml"), version);
            QuantizedModel again;
            again.model = Core().read_model(folder.path("q.xml"));
            EXPECT_EQ(products_in_integers(again.model), 3U) << version << rowwise;
            EXPECT_GT(sqnr(again, "CPU"), 30) << version << rowwise;
        }
    }
}

TEST(Quantizer, WritesAnIrThatReadsBack) {
    const TemporaryFolder folder;
    const QuantizedModel quantized = profiled().quantize();
    for (const int version : {10, 11}) {
        write_quantized(quantized, folder.path("q.xml"), version);
        const auto again = Core().read_model(folder.path("q.xml"));
        EXPECT_EQ(compare_models(*quantized.model, *again), "") << version;
    }
    EXPECT_THAT(message_of([&] { write_quantized(quantized, folder.path("q.xml"), 9); }),
                HasSubstr("IR version 9 cannot be written"));
}

TEST(Quantizer, DoesNotDependOnStreams) {
    QuantizerOptions one;
    one.streams = 1;
    QuantizerOptions three;
    three.streams = 3;
    EXPECT_EQ(text_of(profiled(one, 7)), text_of(profiled(three, 7)));
}

TEST(Quantizer, GoesOnAfterAnInterruption) {
    const TemporaryFolder folder;
    Quantizer first(network());
    EXPECT_FALSE(first.profile(5, input, [](std::size_t done, std::size_t) { return done < 2; }));
    EXPECT_GE(first.profiled_inputs(), 2U);
    EXPECT_LT(first.profiled_inputs(), 5U);
    first.save_profile(folder.path("p.yaml"));
    Quantizer second(network());
    second.load_profile(folder.path("p.yaml"));
    EXPECT_TRUE(second.profile(5, input));
    EXPECT_EQ(text_of(second), text_of(profiled({}, 5)));
}

TEST(Quantizer, LoadsAndMergesProfiles) {
    const TemporaryFolder folder;
    profiled({}, 3).save_profile(folder.path("p.yaml"));
    Quantizer quantizer(network());
    quantizer.load_profile(folder.path("p.yaml"));
    EXPECT_EQ(quantizer.profiled_inputs(), 3U);
    EXPECT_EQ(compare_models(*quantizer.quantize().model, *profiled({}, 3).quantize().model), "");
    quantizer.load_profile(folder.path("p.yaml"));
    EXPECT_EQ(quantizer.profiled_inputs(), 6U);
}

TEST(Quantizer, RefusesTheProfileOfAnotherGraph) {
    const TemporaryFolder folder;
    Quantizer other(test::relu_model());
    EXPECT_TRUE(other.profile(1, [](std::size_t) {
        return std::vector{Tensor::of<float>({2}, {1, 2})};
    }));
    other.save_profile(folder.path("p.yaml"));
    Quantizer quantizer(network());
    EXPECT_THAT(message_of([&] { quantizer.load_profile(folder.path("p.yaml")); }),
                HasSubstr("belongs to another graph: it has no layer 'x'"));
    EXPECT_THAT(message_of([&] { quantizer.load_profile(folder.path("none.yaml")); }),
                HasSubstr("cannot be read"));
}

TEST(Quantizer, RaisesTheScaleOfWeightsForAnInt32Bias) {
    // Channels 3 and 5 have tiny weights and biases that no int32 holds at their scales.
    const auto model = network();
    Tensor weights = model->find("w1")->constant().to(ElementType::f32);
    Tensor bias = model->find("b1")->constant().to(ElementType::f32);
    for (const std::size_t c : {3, 5}) {
        for (std::size_t i = c * 72; i < (c + 1) * 72; ++i) {
            weights.data<float>()[i] *= 1e-12f;
        }
        bias.data<float>()[c] = 50;
    }
    model->find("c1")->set_input(1, model->add_constant("tiny", weights)->output());
    model->find("a1")->set_input(1, model->add_constant("large", bias)->output());
    Quantizer quantizer(model);
    quantizer.profile(2, input);
    const QuantizedModel quantized = quantizer.quantize();
    ASSERT_EQ(quantized.remarks.size(), 1U);
    EXPECT_THAT(
        quantized.remarks[0],
        testing::AllOf(HasSubstr("layer 'c1'"), HasSubstr("of channel 3 does not fit into int32"),
                       HasSubstr("those of 1 more of its")));
    const std::vector<float> exact = run(model, "REFERENCE", 60);
    const std::vector<float> got = run(quantized.model, "REFERENCE", 60);
    for (std::size_t i = 0; i < exact.size(); ++i) {
        EXPECT_NEAR(got[i], exact[i], 0.05 * std::abs(exact[i]) + 0.5);
    }
}

TEST(Quantizer, KeepsLayersInFloat) {
    QuantizerOptions options;
    options.keep_original_precision = {"MatMul", "c2"};
    const QuantizedModel quantized = profiled(options).quantize();
    EXPECT_THAT(quantized.kept, testing::UnorderedElementsAre("c2", "fc"));
    EXPECT_TRUE(quantized.model->find("c2")->input_node(1)->is_constant());
    EXPECT_GT(sqnr(quantized), 30);
    options.assert_all_nodes_quantized = true;
    const Quantizer strict = profiled(options);
    EXPECT_THAT(message_of([&] { strict.quantize(); }),
                HasSubstr("'c2' (Convolution): stays in float: kept in its original precision"));
}

TEST(Quantizer, BiasCorrectionRemovesTheMeanError) {
    // Weights of few bits make errors that show; per tensor they are larger still.
    QuantizerOptions options;
    options.channelwise = false;
    options.weights_of_7_bits = true;
    options.bias_correction = false;
    const double without = sqnr(profiled(options).quantize());
    options.bias_correction = true;
    EXPECT_GT(sqnr(profiled(options).quantize()), without);
}

TEST(Quantizer, RefusesBadData) {
    Quantizer quantizer(network());
    EXPECT_THAT(message_of([&] { quantizer.quantize(); }), HasSubstr("there is no profile"));
    EXPECT_THAT(message_of([&] { quantizer.profile(0, input); }),
                HasSubstr("there is no calibration data"));
    EXPECT_THAT(message_of([&] {
                    quantizer.profile(1, [](std::size_t) {
                        return std::vector{Tensor(ElementType::f32, {1, 8, 12, 13})};
                    });
                }),
                testing::AllOf(HasSubstr("input 0"), HasSubstr("[1,8,12,13]")));
    EXPECT_THAT(message_of([&] {
                    quantizer.profile(3, [](std::size_t i) {
                        std::vector<Tensor> tensors = input(i);
                        if (i == 1) {
                            tensors[0].data<float>()[17] = std::nanf("");
                        }
                        return tensors;
                    });
                }),
                testing::AllOf(HasSubstr("'x'"), HasSubstr("input 1: has the value nan")));
}

TEST(Quantizer, RefusesOptionsThatContradictEachOther) {
    const auto message = [](const std::function<void(QuantizerOptions&)>& change) {
        QuantizerOptions options;
        change(options);
        return message_of([&] { const Quantizer quantizer(network(), options); });
    };
    EXPECT_THAT(message([](auto& o) { o.histogram_bins = 3; }), HasSubstr("at least 16"));
    EXPECT_THAT(message([](auto& o) {
                    o.calibration = Calibration::kKl;
                    o.histogram_bins = 255;
                }),
                HasSubstr("more than 255"));
    EXPECT_THAT(message([](auto& o) { o.precision = QuantizationPrecision::kInt32; }),
                HasSubstr("biases only"));
    EXPECT_THAT(message([](auto& o) {
                    o.weights_by_fake_quantize = true;
                    o.weights_precision = QuantizationPrecision::kInt16;
                }),
                HasSubstr("are of 8 bits"));
    EXPECT_THAT(message([](auto& o) { o.percentile = 10; }), HasSubstr("(50, 100]"));
    EXPECT_THAT(message([](auto& o) { o.histogram_bins = SIZE_MAX; }),
                HasSubstr("at most 1048576"));
    EXPECT_THAT(message([](auto& o) { o.streams = 100000; }), HasSubstr("at most 4096"));
    EXPECT_THAT(message([](auto& o) { o.rows_of_4_bits = true; }), HasSubstr("-enable_rowwise"));
    EXPECT_THAT(message([](auto& o) {
                    o.max_drop = DropBound{DropMetric::kCosine, -1, {}};
                }),
                HasSubstr("-max_drop cosine is -1"));
    EXPECT_THAT(message([](auto& o) {
                    o.max_drop = DropBound{DropMetric::kSqnr, NAN, {}};
                }),
                HasSubstr("-max_drop SQNR is nan"));
    EXPECT_THAT(message([](auto& o) { o.keep_original_precision = {"c3"}; }),
                HasSubstr("'c3'; the nearest is 'c"));
    EXPECT_THAT(message([](auto& o) { o.do_not_lower = {"BatchNorm"}; }),
                HasSubstr("no operation 'BatchNorm'"));
}

TEST(Quantizer, RefusesAQuantizedModel) {
    const auto quantized = profiled().quantize().model;
    EXPECT_THAT(message_of([&] { const Quantizer again(quantized); }),
                HasSubstr("is quantized already: it has 4 FakeQuantize layers"));
}

}  // namespace
}  // namespace fuseq
