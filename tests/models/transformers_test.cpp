// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The transformers of the generator: read back from files they are the same, every spelling means
// the same numbers, and their attention, norms and activations become the operations that there
// are steps for.
#include "generate_model/transformers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "fuseq/core.hpp"
#include "fuseq/error.hpp"
#include "ir/ir.hpp"
#include "ops/interpreter.hpp"
#include "transformations/pass.hpp"

namespace fuseq::samples {
namespace {

TransformerOptions small(TransformerKind kind) {
    TransformerOptions o = usual_options(kind);
    o.layers = 2;
    o.width = 16;
    o.heads = 2;
    o.tokens = 8;
    o.feed_forward = 32;
    o.vocabulary = 20;
    o.image = 16;
    o.patch = kind == TransformerKind::kSwin ? 2 : 4;
    o.window = 2;
    o.classes = 5;
    return o;
}

const TransformerKind kKinds[] = {TransformerKind::kBert, TransformerKind::kVit,
                                  TransformerKind::kSwin, TransformerKind::kGpt,
                                  TransformerKind::kLlama};

std::vector<float> run(const Model& model, const TransformerOptions& options) {
    const auto inputs = transformer_inputs(options, 1);
    return to_floats(Interpreter(model).run(inputs)[0]);
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
    double most = a.size() == b.size() ? 0 : INFINITY;
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
        most = std::max(most, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    }
    return most;
}

TEST(Transformers, AreFiniteAndFollowTheSeed) {
    for (const TransformerKind kind : kKinds) {
        const TransformerOptions options = small(kind);
        const auto model = transformer(options, 1);
        SCOPED_TRACE(model->name());
        const std::vector<float> values = run(*model, options);
        EXPECT_THAT(values,
                    testing::Each(testing::Truly([](float v) { return std::isfinite(v); })));
        EXPECT_EQ(compare_models(*model, *transformer(options, 1), {.layer_names = true}), "");
        EXPECT_NE(compare_models(*model, *transformer(options, 2)), "");
    }
}

TEST(Transformers, AreTheSameFromFiles) {
    const auto folder = std::filesystem::temp_directory_path() / "fuseq_transformers";
    std::filesystem::create_directories(folder);
    for (const TransformerKind kind : kKinds) {
        const auto model = transformer(small(kind), 1);
        write_ir(*model, folder / "model.xml");
        EXPECT_EQ(compare_models(*model, *read_ir(folder / "model.xml"), {.layer_names = true}), "")
            << model->name();
    }
    std::filesystem::remove_all(folder);
}

// The spellings of one network are the same function; ranges follow from nearly the same numbers.
TEST(Transformers, SpellingsMeanTheSame) {
    TransformerOptions options = small(TransformerKind::kBert);
    options.spellings.gelu = GeluSpelling::kOperation;
    const std::vector<float> expected = run(*transformer(options, 1), options);
    options.spellings.gelu = GeluSpelling::kErf;
    options.spellings.norm = NormSpelling::kDecomposed;
    EXPECT_LT(largest_difference(run(*transformer(options, 1), options), expected), 0.05);
    options.spellings.attention = AttentionSpelling::kOperation;  // two quantizers less
    EXPECT_LT(largest_difference(run(*transformer(options, 1), options), expected), 0.3);
}

std::vector<std::string> devices() {
    return Core().get_available_devices();
}

// Tokens [begin, end) of the first input.
Tensor tokens(const TransformerOptions& options, std::size_t begin, std::size_t end) {
    const Tensor all = transformer_inputs(options, 1)[0];
    const auto* ids = all.data<std::int64_t>();
    return Tensor::of<std::int64_t>({1, end - begin}, {ids + begin, ids + end});
}

// Keys and values that are kept stand for the tokens before.
TEST(Transformers, WithStateTheyGiveWhatAllTokensAtOnceGive) {
    for (const TransformerKind kind : {TransformerKind::kGpt, TransformerKind::kLlama}) {
        for (const AttentionSpelling attention :
             {AttentionSpelling::kOperation, AttentionSpelling::kMatMuls}) {
            TransformerOptions options = small(kind);
            options.spellings.attention = attention;
            const std::vector<float> expected = run(*transformer(options, 1), options);
            options.state = true;
            const std::shared_ptr<Model> model = transformer(options, 1);
            ASSERT_EQ(model->find_all("Assign").size(), 2 * options.layers);
            for (const std::string& device : devices()) {
                SCOPED_TRACE(model->name() + " on " + device);
                InferRequest request = Core().compile_model(model, device).create_infer_request();
                std::vector<float> given;
                std::size_t begin = 0;
                for (const std::size_t end : {5u, 6u, 8u}) {
                    request.set_input_tensor(tokens(options, begin, end));
                    request.infer();
                    const std::vector<float> part = to_floats(request.get_output_tensor());
                    given.insert(given.end(), part.begin(), part.end());
                    begin = end;
                }
                EXPECT_LT(largest_difference(given, expected), 0.05);
                request.reset_state();
                request.set_input_tensor(tokens(options, 0, options.tokens));
                request.infer();
                EXPECT_LT(largest_difference(to_floats(request.get_output_tensor()), expected),
                          0.05);
            }
        }
    }
}

// Of texts that are shorter, the positions are the first ones.
TEST(Transformers, OfOpenLengthTheyAreTheSameNetwork) {
    TransformerOptions options = small(TransformerKind::kBert);
    const std::vector<float> expected = run(*transformer(options, 1), options);
    options.open = true;
    const std::shared_ptr<Model> model = transformer(options, 1);
    EXPECT_TRUE(model->inputs()[0].partial_shape()[1].is_dynamic());
    std::vector<Tensor> inputs = transformer_inputs(options, 1);
    std::fill_n(inputs[1].data<std::int64_t>() + 5, options.tokens - 5, 0);
    const std::vector<float> padded =
        to_floats(Interpreter(*transformer(small(options.kind), 1)).run(inputs)[0]);
    for (const std::string& device : devices()) {
        SCOPED_TRACE(device);
        InferRequest request = Core().compile_model(model, device).create_infer_request();
        for (const std::size_t length : {options.tokens, std::size_t{5}}) {
            for (std::size_t i = 0; i < inputs.size(); ++i) {
                const Tensor whole = transformer_inputs(options, 1)[i];
                const auto* ids = whole.data<std::int64_t>();
                request.set_input_tensor(
                    i, Tensor::of<std::int64_t>({1, length}, {ids, ids + length}));
            }
            request.infer();
            std::vector<float> given = to_floats(request.get_output_tensor());
            const std::vector<float>& all = length == options.tokens ? expected : padded;
            EXPECT_LT(
                largest_difference(
                    given, {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(given.size())}),
                0.05);
        }
    }
}

TEST(Transformers, OnlyEncodersHaveOpenSizesWithoutState) {
    TransformerOptions options = small(TransformerKind::kGpt);
    options.open = true;
    try {
        transformer(options, 1);
        FAIL() << "a decoder of open length";
    } catch (const Error& error) {
        EXPECT_EQ(error.info().rule,
                  "only bert has an open length, only vit and swin any number of images");
    }
}

TEST(Transformers, OnlyDecodersHaveAState) {
    TransformerOptions options = small(TransformerKind::kBert);
    options.state = true;
    try {
        transformer(options, 1);
        FAIL() << "an encoder with state";
    } catch (const Error& error) {
        EXPECT_EQ(error.info().rule, "only decoders (gpt, llama) have a state");
    }
}

std::size_t count(const Model& model, const char* type) {
    return model.find_all(type).size();
}

std::shared_ptr<Model> transformed(const TransformerOptions& options) {
    auto model = transformer(options, 1);
    PassContext context;
    transform(*model, context);
    return model;
}

TEST(Transformers, EverySpellingIsRecognised) {
    for (const TransformerKind kind : kKinds) {
        TransformerOptions options = small(kind);
        for (const AttentionSpelling attention :
             {AttentionSpelling::kOperation, AttentionSpelling::kMatMuls}) {
            options.spellings = {attention, NormSpelling::kDecomposed, GeluSpelling::kErf};
            const auto model = transformed(options);
            SCOPED_TRACE(model->name());
            const std::size_t layers = kind == TransformerKind::kSwin ? 4 : 2;
            const bool gated = kind == TransformerKind::kLlama;
            EXPECT_EQ(count(*model, "ScaledDotProductAttention"), 0u);
            EXPECT_EQ(count(*model, "SoftMax"), layers);
            EXPECT_EQ(count(*model, "Gelu"), gated ? 0 : layers);
            EXPECT_EQ(count(*model, "Swish"), gated ? layers : 0);
            EXPECT_EQ(count(*model, "Erf") + count(*model, "Sqrt") + count(*model, "Power"), 0u);
            EXPECT_GE(count(*model, "MVN"), 2 * layers);
            EXPECT_EQ(count(*model, "ReduceMean"), kind == TransformerKind::kSwin ? 1u : 0u);
        }
    }
}

TEST(Transformers, ProductsAreOfIntegers) {
    for (const TransformerKind kind : kKinds) {
        const auto model = transformed(small(kind));
        SCOPED_TRACE(model->name());
        for (const Node* product : model->find_all("MatMul")) {
            const ElementType type = product->input(0).type();
            EXPECT_TRUE(type == ElementType::u8 || type == ElementType::i8) << product->name();
        }
    }
}

// Rows are picked from the 8-bit table.
TEST(Transformers, EmbeddingsStayBytes) {
    const auto model = transformed(small(TransformerKind::kGpt));
    const auto tables = model->find_all("CompressedEmbedding");
    ASSERT_FALSE(tables.empty());
    for (const Node* rows : tables) {
        EXPECT_EQ(rows->input(0).type(), ElementType::i8) << rows->name();
    }
    for (const Node* gather : model->find_all("Gather")) {
        EXPECT_FALSE(gather->input(0).type() == ElementType::f32 &&
                     gather->input(0).shape() == (Shape{20, 16}))
            << gather->name();
    }
}

TEST(Transformers, RefuseSizesThatDoNotGoTogether) {
    const auto error = [](TransformerOptions o) {
        try {
            transformer(o, 1);
        } catch (const Error& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    using testing::HasSubstr;
    TransformerOptions o = small(TransformerKind::kBert);
    o.heads = 3;
    EXPECT_THAT(error(o), HasSubstr("the width is no multiple of the number of heads"));
    o = small(TransformerKind::kVit);
    o.image = 15;
    EXPECT_THAT(error(o), HasSubstr("the image is no multiple of the patch"));
    o = small(TransformerKind::kSwin);
    o.layers = 3;
    EXPECT_THAT(error(o), HasSubstr("the number of layers must be even"));
    o = small(TransformerKind::kSwin);
    o.window = 3;
    EXPECT_THAT(error(o), HasSubstr("no multiple of two windows"));
    o = small(TransformerKind::kLlama);
    o.heads = 16;
    EXPECT_THAT(error(o), HasSubstr("an even width of heads"));
    o = small(TransformerKind::kGpt);
    o.tokens = 0;
    EXPECT_THAT(error(o), HasSubstr("a size is 0"));
}

}  // namespace
}  // namespace fuseq::samples
