// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// One compiled model for many shapes, in random order: the bytes of a model that was compiled for
// that shape alone, and REFERENCE's numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "fuseq/core.hpp"
#include "generate_model/transformers.hpp"

namespace fuseq::samples {
namespace {

constexpr std::uint32_t kSeed = 14;

TransformerOptions small(TransformerKind kind) {
    TransformerOptions o = usual_options(kind);
    o.layers = 2;
    o.width = 32;
    o.heads = 2;
    o.tokens = 24;
    o.feed_forward = 64;
    o.vocabulary = 20;
    o.image = 16;
    o.patch = kind == TransformerKind::kSwin ? 2 : 4;
    o.window = 2;
    o.classes = 5;
    return o;
}

std::vector<Tensor> infer(InferRequest& request, const std::vector<Tensor>& inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        request.set_input_tensor(i, inputs[i]);
    }
    request.infer();
    std::vector<Tensor> results;
    for (std::size_t i = 0; i < request.get_compiled_model().outputs().size(); ++i) {
        const Tensor now = request.get_output_tensor(i);
        Tensor copy(now.get_element_type(), now.get_shape());
        std::memcpy(copy.data(), std::as_const(now).data(), now.get_byte_size());
        results.push_back(std::move(copy));
    }
    return results;
}

void expect_same_bytes(const Tensor& given, const Tensor& expected) {
    ASSERT_EQ(given.get_shape(), expected.get_shape());
    EXPECT_EQ(std::memcmp(std::as_const(given).data(), std::as_const(expected).data(),
                          given.get_byte_size()),
              0);
}

void expect_near(const Tensor& given, const Tensor& expected) {
    const std::vector<float> a = to_floats(given);
    const std::vector<float> b = to_floats(expected);
    ASSERT_EQ(a.size(), b.size());
    double square = 0;
    double difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        square += static_cast<double>(b[i]) * b[i];
        difference += std::pow(static_cast<double>(a[i]) - b[i], 2);
    }
    EXPECT_LE(std::sqrt(difference), 0.05 * std::sqrt(square));  // a step here and there
}

std::shared_ptr<Model> fixed(const Model& open, const std::vector<Tensor>& inputs) {
    std::shared_ptr<Model> model = open.clone();
    std::map<std::string, PartialShape> shapes;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        shapes[model->parameters()[i]->name()] = inputs[i].get_shape();
    }
    model->reshape(shapes);
    return model;
}

void check(const std::shared_ptr<Model>& open, std::vector<std::vector<Tensor>> cases) {
    std::mt19937 random(kSeed);
    std::shuffle(cases.begin(), cases.end(), random);
    Core core;
    InferRequest request = core.compile_model(open, "CPU").create_infer_request();
    InferRequest reference = core.compile_model(open, "REFERENCE").create_infer_request();
    for (const std::vector<Tensor>& inputs : cases) {
        SCOPED_TRACE(open->name() + " " + to_string(inputs[0].get_shape()));
        const std::vector<Tensor> given = infer(request, inputs);
        InferRequest alone = core.compile_model(fixed(*open, inputs), "CPU").create_infer_request();
        const std::vector<Tensor> expected = infer(alone, inputs);
        const std::vector<Tensor> numbers = infer(reference, inputs);
        for (std::size_t i = 0; i < given.size(); ++i) {
            expect_same_bytes(given[i], expected[i]);
            expect_near(given[i], numbers[i]);
        }
    }
}

TEST(OpenShapes, TextsOfAnyLength) {
    TransformerOptions options = small(TransformerKind::kBert);
    options.open = true;
    const std::shared_ptr<Model> model = transformer(options, kSeed);
    std::vector<std::vector<Tensor>> cases;
    for (const std::size_t tokens : {1, 2, 3, 5, 7, 8, 13, 16, 20, 24}) {
        options.tokens = tokens;
        cases.push_back(transformer_inputs(options, tokens));
    }
    check(model, std::move(cases));
}

// What explain says of each step.
std::vector<std::string> steps_of(const CompiledModel& compiled) {
    const auto report = nlohmann::json::parse(compiled.get_property(property::kReport).as_string());
    std::vector<std::string> steps;
    for (nlohmann::json step : report.at("steps")) {
        step.erase("candidates");  // an io_reorder depends on what was there before
        steps.push_back(step.dump());
    }
    return steps;
}

// Where a head has 64 scores in each direction, scores, softmax and context become one step. Which
// steps there are must not depend on the lengths before; the order of those that do not read each
// other may.
TEST(OpenShapes, LengthsWithAttentionByHeadsHaveTheStepsOfTheLengthAlone) {
    TransformerOptions options = small(TransformerKind::kBert);
    options.width = 128;
    options.tokens = 130;
    options.open = true;
    const std::shared_ptr<Model> open = transformer(options, kSeed);
    Core core;
    CompiledModel compiled = core.compile_model(open, "CPU");
    InferRequest request = compiled.create_infer_request();
    for (const std::size_t tokens : {96, 16, 130, 64, 3, 65, 1, 128, 17}) {
        SCOPED_TRACE(tokens);
        options.tokens = tokens;
        const std::vector<Tensor> inputs = transformer_inputs(options, tokens);
        const std::vector<Tensor> given = infer(request, inputs);
        CompiledModel alone = core.compile_model(fixed(*open, inputs), "CPU");
        InferRequest own = alone.create_infer_request();
        const std::vector<Tensor> expected = infer(own, inputs);
        expect_same_bytes(given[0], expected[0]);
        const std::vector<std::string> steps = steps_of(compiled);
        EXPECT_THAT(steps, testing::UnorderedElementsAreArray(steps_of(alone)));
        if (tokens >= 64) {
            EXPECT_THAT(steps, testing::Contains(testing::HasSubstr("fuseq:attention:")));
        }
    }
}

Tensor picture(const Shape& shape) {
    std::mt19937 random(kSeed);
    Tensor tensor(ElementType::f32, shape);
    for (float& value : tensor.values<float>()) {
        value = static_cast<float>(static_cast<int>(random() % 512) - 256) / 128.0f;
    }
    return tensor;
}

std::vector<std::vector<Tensor>> pictures(const std::vector<Shape>& shapes) {
    std::vector<std::vector<Tensor>> cases;
    cases.reserve(shapes.size());
    for (const Shape& shape : shapes) {
        cases.push_back({picture(shape)});
    }
    return cases;
}

class OpenNumberOfImages
    : public testing::TestWithParam<std::tuple<TransformerKind, AttentionSpelling>> {};

TEST_P(OpenNumberOfImages, GivesWhatEachNumberAloneGives) {
    TransformerOptions options = small(std::get<0>(GetParam()));
    options.spellings.attention = std::get<1>(GetParam());
    options.open = true;
    check(transformer(options, kSeed),
          pictures({{1, 3, 16, 16}, {2, 3, 16, 16}, {5, 3, 16, 16}, {3, 3, 16, 16}}));
}

INSTANTIATE_TEST_SUITE_P(
    Kinds,
    OpenNumberOfImages,
    testing::Combine(testing::Values(TransformerKind::kVit, TransformerKind::kSwin),
                     testing::Values(AttentionSpelling::kMatMuls, AttentionSpelling::kOperation)));

// Quantizations with zero points, so that borders matter, and a residual addition.
TEST(OpenShapes, PicturesOfAnySize) {
    const auto model = Model::from_text(R"(model "pictures"
        %x = Parameter : f32[?,3,?,?]
        %l = Const value={-2} : f32[]
        %h = Const value={1.5} : f32[]
        %q = FakeQuantize(%x, %l, %h, %l, %h) levels=256
        %w = Const value=random(5,-127,127) : i8[8,3,3,3]
        %wf = Convert(%w) destination_type=f32
        %s = Const value={0.0078125} : f32[]
        %wd = Multiply(%wf, %s)
        %c = Convolution(%q, %wd) strides=[2,2] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
        %q2 = FakeQuantize(%c, %l, %h, %l, %h) levels=256
        %k = Const value=random(6,-127,127) : i8[8,8,3,3]
        %kf = Convert(%k) destination_type=f32
        %kd = Multiply(%kf, %s)
        %d = Convolution(%q2, %kd) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
        %a = Add(%d, %q2)
        %r = ReLU(%a)
        %y = MaxPool.1(%r) strides=[2,2] kernel=[2,2]
        %out = Result(%y))");
    check(model, pictures({{1, 3, 8, 8},
                           {1, 3, 9, 12},
                           {2, 3, 8, 8},
                           {1, 3, 16, 4},
                           {1, 3, 4, 16},
                           {3, 3, 21, 7},
                           {1, 3, 32, 32}}));
}

// Keys and values of the tokens before grow; cut at random places.
TEST(OpenShapes, StateThatGrows) {
    for (const TransformerKind kind : {TransformerKind::kGpt, TransformerKind::kLlama}) {
        TransformerOptions options = small(kind);
        options.state = true;
        const std::shared_ptr<Model> model = transformer(options, kSeed);
        SCOPED_TRACE(model->name());
        const Tensor all = transformer_inputs(options, 1)[0];
        const auto* ids = all.data<std::int64_t>();
        Core core;
        InferRequest request = core.compile_model(model, "CPU").create_infer_request();
        InferRequest reference = core.compile_model(model, "REFERENCE").create_infer_request();
        std::size_t begin = 0;
        for (const std::size_t length : {4, 1, 1, 1, 3, 1, 1, 2, 1, 5, 1, 1}) {
            const Tensor now =
                Tensor::of<std::int64_t>({1, length}, {ids + begin, ids + begin + length});
            // Made anew, with the same keys and values before it.
            InferRequest fresh = core.compile_model(model, "CPU").create_infer_request();
            const auto from = request.query_state();
            auto to = fresh.query_state();
            for (std::size_t i = 0; begin != 0 && i < from.size(); ++i) {
                to[i].set_state(from[i].get_state());
            }
            const std::vector<Tensor> expected = infer(fresh, {now});
            const std::vector<Tensor> given = infer(request, {now});
            expect_same_bytes(given[0], expected[0]);
            expect_near(given[0], infer(reference, {now})[0]);
            begin += length;
        }
    }
}

}  // namespace
}  // namespace fuseq::samples
