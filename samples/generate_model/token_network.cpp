// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "generate_model/token_network.hpp"

#include <cmath>
#include <limits>

#include "ops/attention/scaled_dot_product_attention.hpp"
#include "ops/concat.hpp"
#include "ops/convert.hpp"
#include "ops/convolution.hpp"
#include "ops/divide.hpp"
#include "ops/gather.hpp"
#include "ops/gelu.hpp"
#include "ops/matmul.hpp"
#include "ops/mvn.hpp"
#include "ops/range.hpp"
#include "ops/reduce.hpp"
#include "ops/shape_of.hpp"
#include "ops/softmax.hpp"

namespace fuseq::samples {
namespace {

constexpr int kTokenOpset = 13;
constexpr float kEps = 1e-5f;

}  // namespace

Output TokenNetwork::token_input(const std::string& name, const Dimension& tokens) {
    return named(model_->add_parameter(name, ElementType::i64, PartialShape{1, tokens}));
}

Output TokenNetwork::values(const std::string& name, const Shape& shape, float bound) {
    std::vector<float> list(shape_size(shape));
    for (float& value : list) {
        value = random_.uniform(-bound, bound);
    }
    return constant(name, shape, list);
}

Output TokenNetwork::number(const std::string& name, float value) {
    return constant(name, {}, {value});
}

Output TokenNetwork::integer(const std::string& name, std::int64_t value) {
    return model_->add_constant(name, Tensor::scalar(value))->output();
}

Output TokenNetwork::plain(const std::string& type,
                           const std::string& name,
                           std::vector<Output> inputs) {
    return named(model_->add(type, kTokenOpset, name, std::move(inputs)));
}

Output TokenNetwork::embedding(const std::string& name,
                               Output ids,
                               std::size_t rows,
                               std::size_t width) {
    tables_[name] = weights(name + "/table", {rows, width}, WeightSpelling::kI8Multiply);
    const Output picked = gather(name, tables_[name], ids, 0);
    // Rows of weights are about 1 / sqrt(width) large.
    return multiply(name + "/scaled", picked,
                    number(name + "/scale", std::sqrt(static_cast<float>(width) / 2)));
}

Output TokenNetwork::dense(const std::string& name, Output x, std::size_t in, std::size_t out) {
    constexpr float kBias = 0.1f;
    // Half of the variance that keeps that of ReLUs.
    const Output w = weights(name + "/weights", {out, in}, WeightSpelling::kI8Multiply);
    return add(name + "/bias", product(name, x, w, true),
               values(name + "/bias/value", {1, 1, out}, kBias));
}

Output TokenNetwork::product(const std::string& name, Output a, Output b, bool transpose_b) {
    MatMulAttrs attributes;
    attributes.transpose_b = transpose_b;
    return named(model_->add("MatMul", kTokenOpset, name, {a, b}, attributes));
}

Output TokenNetwork::multiply(const std::string& name, Output a, Output b) {
    return binary("Multiply", name, a, b);
}

Output TokenNetwork::divide(const std::string& name, Output a, Output b) {
    return named(model_->add("Divide", kTokenOpset, name, {a, b}, DivideAttrs{}));
}

Output TokenNetwork::mean(const std::string& name, Output x, std::int64_t axis) {
    ReduceAttrs attributes;
    attributes.keep_dims = true;
    return named(model_->add("ReduceMean", kTokenOpset, name, {x, integers(name + "/axes", {axis})},
                             attributes));
}

Output TokenNetwork::mean_of_tokens(const std::string& name, Output x) {
    return mean(name, x, 1);
}

Output TokenNetwork::gather(const std::string& name, Output x, Output indices, std::int64_t axis) {
    return named(model_->add("Gather", kTokenOpset, name,
                             {x, indices, integer(name + "/axis", axis)}, GatherAttrs{}));
}

Output TokenNetwork::size(const std::string& name, Output x, std::int64_t axis) {
    const Output shape =
        model_->add("ShapeOf", kTokenOpset, name + "/shape", {x}, ShapeOfAttrs{})->output();
    return gather(name + "/length", shape, integer(name + "/index", axis), 0);
}

Output TokenNetwork::range(const std::string& name, Output begin, Output end) {
    RangeAttrs attributes;
    attributes.output_type = ElementType::i64;
    return model_
        ->add("Range", kTokenOpset, name, {begin, end, integer(name + "/step", 1)}, attributes)
        ->output();
}

Output TokenNetwork::tile(const std::string& name, Output x, Output times) {
    const std::vector<std::int64_t> ones(x.partial_shape().rank() - 1, 1);
    const Output count = reshape(name + "/count", times, {1});
    const Output repeats = concat(name + "/repeats", {count, integers(name + "/ones", ones)}, 0);
    return plain("Tile", name, {x, repeats});
}

Output TokenNetwork::pick(const std::string& name,
                          Output table,
                          const std::vector<std::int64_t>& rows) {
    return gather(name, table, integers(name + "/rows", rows), 0);
}

Output TokenNetwork::patches(const std::string& name,
                             Output image,
                             std::size_t width,
                             std::size_t size) {
    ConvolutionAttrs attributes;
    const auto stride = static_cast<std::int64_t>(size);
    attributes.strides = {stride, stride};
    attributes.dilations = {1, 1};
    attributes.pads_begin = {0, 0};
    attributes.pads_end = {0, 0};
    const auto channels = static_cast<std::size_t>(image.partial_shape()[1].get_length());
    const Output w =
        weights(name + "/weights", {width, channels, size, size}, WeightSpelling::kI8Multiply);
    return bias(name, named(model_->add("Convolution", kTokenOpset, name, {image, w}, attributes)),
                width, 4);
}

Output TokenNetwork::mvn(const std::string& name, Output x) {
    MvnAttrs attributes;
    attributes.eps = kEps;
    return named(
        model_->add("MVN", kTokenOpset, name, {x, integers(name + "/axes", {-1})}, attributes));
}

Output TokenNetwork::decomposed_norm(const std::string& name, Output x) {
    const Output centred = binary("Subtract", name + "/centred", x, mean(name + "/mean", x));
    const Output square = binary("Power", name + "/square", centred, number(name + "/two", 2));
    const Output variance = mean(name + "/variance", square);
    const Output sum = add(name + "/sum", variance, number(name + "/eps", kEps));
    return divide(name, centred, plain("Sqrt", name + "/root", {sum}));
}

Output TokenNetwork::rms(const std::string& name, Output x) {
    const Output square = binary("Power", name + "/square", x, number(name + "/two", 2));
    const Output sum =
        add(name + "/sum", mean(name + "/mean", square), number(name + "/eps", kEps));
    const Output root = plain("Sqrt", name + "/root", {sum});
    const Output inverse = divide(name + "/inverse", number(name + "/one", 1), root);
    return multiply(name, x, inverse);
}

Output TokenNetwork::layer_norm(const std::string& name, Output x, std::size_t width) {
    constexpr float kSpread = 0.3f;
    std::vector<float> gain(width);
    for (float& value : gain) {
        value = 1 + random_.uniform(-kSpread, kSpread);
    }
    const Output norm = spellings_.norm == NormSpelling::kMvn ? mvn(name + "/norm", x)
                        : spellings_.norm == NormSpelling::kDecomposed
                            ? decomposed_norm(name + "/norm", x)
                            : rms(name + "/norm", x);
    const Output scaled =
        multiply(name + "/gain", norm, constant(name + "/gain/value", {1, 1, width}, gain));
    if (spellings_.norm == NormSpelling::kRms) {
        return scaled;
    }
    return add(name, scaled, values(name + "/shift", {1, 1, width}, kSpread));
}

Output TokenNetwork::gelu(const std::string& name, Output x) {
    if (spellings_.gelu == GeluSpelling::kOperation) {
        return named(model_->add("Gelu", kTokenOpset, name, {x}, GeluAttrs{}));
    }
    Output curve;
    if (spellings_.gelu == GeluSpelling::kErf) {
        const Output scaled =
            divide(name + "/scaled", x, number(name + "/root_of_two", std::sqrt(2.0f)));
        curve = plain("Erf", name + "/erf", {scaled});
    } else {
        constexpr float kCubic = 0.044715f;
        constexpr float kLinear = 0.7978845608f;  // sqrt(2 / pi)
        const Output cube = binary("Power", name + "/cube", x, number(name + "/three", 3));
        const Output part = multiply(name + "/cubic", cube, number(name + "/cubic/value", kCubic));
        const Output inner = multiply(name + "/inner", add(name + "/sum", x, part),
                                      number(name + "/linear", kLinear));
        curve = plain("Tanh", name + "/tanh", {inner});
    }
    const Output one = add(name + "/plus_one", curve, number(name + "/one", 1));
    const Output half = multiply(name + "/half", x, number(name + "/half/value", 0.5f));
    return multiply(name, half, one);
}

Output TokenNetwork::swish(const std::string& name, Output x) {
    return multiply(name, x, plain("Sigmoid", name + "/sigmoid", {x}));
}

Output TokenNetwork::split_heads(const std::string& name, Output x, std::size_t heads) {
    const Output parts = reshape(name + "/heads", x, {0, 0, static_cast<std::int64_t>(heads), -1});
    return transpose(name + "/turned", parts, {0, 2, 1, 3});
}

Output TokenNetwork::merge_heads(const std::string& name, Output x) {
    return reshape(name + "/flat", transpose(name + "/merged", x, {0, 2, 1, 3}), {0, 0, -1});
}

Output TokenNetwork::slice(const std::string& name,
                           Output x,
                           std::int64_t axis,
                           std::int64_t begin,
                           std::int64_t end,
                           std::int64_t step) {
    return plain("Slice", name,
                 {x, integers(name + "/begin", {begin}), integers(name + "/end", {end}),
                  integers(name + "/step", {step}), integers(name + "/axis", {axis})});
}

Output TokenNetwork::concat(const std::string& name, std::vector<Output> parts, std::int64_t axis) {
    ConcatAttrs attributes;
    attributes.axis = axis;
    return named(model_->add("Concat", kTokenOpset, name, std::move(parts), attributes));
}

Output TokenNetwork::roll(const std::string& name, Output x, std::int64_t by) {
    return plain("Roll", name,
                 {x, integers(name + "/shift", {by, by}), integers(name + "/axes", {1, 2})});
}

Output TokenNetwork::rotary(
    const std::string& name, Output x, std::size_t tokens, std::size_t width, Output positions) {
    constexpr double kBase = 10000;
    std::vector<float> cosine(tokens * width);
    std::vector<float> sine(tokens * width);
    const std::size_t half = width / 2;
    for (std::size_t t = 0; t < tokens; ++t) {
        for (std::size_t i = 0; i < width; ++i) {
            const double power = static_cast<double>(i % half) / static_cast<double>(half);
            const double angle = static_cast<double>(t) / std::pow(kBase, power);
            cosine[t * width + i] = static_cast<float>(std::cos(angle));
            sine[t * width + i] = static_cast<float>(std::sin(angle));
        }
    }
    const auto middle = static_cast<std::int64_t>(half);
    const auto end = static_cast<std::int64_t>(width);
    const Output first = slice(name + "/first", x, 3, 0, middle);
    const Output second = slice(name + "/second", x, 3, middle, end);
    const Output rotated =
        concat(name + "/rotated", {plain("Negative", name + "/negative", {second}), first}, 3);
    const Shape table{1, 1, tokens, width};
    const auto factors = [&](const char* function, const std::vector<float>& values) {
        const std::string base = name + "/" + function;
        const Output all = constant(base, table, values);
        return positions ? gather(base + "/here", all, positions, 2) : all;
    };
    return add(name, multiply(name + "/with_cosine", x, factors("cosine", cosine)),
               multiply(name + "/with_sine", rotated, factors("sine", sine)));
}

Output TokenNetwork::padding_mask(const std::string& name, Output mask) {
    ConvertAttrs to_f32;
    to_f32.destination_type = ElementType::f32;
    const Output wide =
        plain("Unsqueeze", name + "/wide", {mask, integers(name + "/axes", {1, 2})});
    const Output real =
        model_->add("Convert", kTokenOpset, name + "/f32", {wide}, to_f32)->output();
    const Output hidden = binary("Subtract", name + "/hidden", number(name + "/one", 1), real);
    return multiply(name, hidden, number(name + "/lowest", std::numeric_limits<float>::lowest()));
}

Output TokenNetwork::causal_mask(const std::string& name, std::size_t tokens) {
    std::vector<float> mask(tokens * tokens);
    for (std::size_t i = 0; i < mask.size(); ++i) {
        mask[i] = i % tokens > i / tokens ? std::numeric_limits<float>::lowest() : 0.0f;
    }
    return constant(name, {1, 1, tokens, tokens}, mask);
}

Output TokenNetwork::attention_operation(const std::string& name,
                                         const Heads& heads,
                                         Output mask,
                                         bool causal) {
    AttentionAttrs attributes;
    attributes.causal = causal;
    std::vector<Output> inputs = {
        activation(name + "/query/fq", heads.query, ActivationKind::kSigned),
        activation(name + "/key/fq", heads.key, ActivationKind::kSigned), heads.value};
    if (mask) {
        inputs.push_back(mask);
    }
    return named(model_->add("ScaledDotProductAttention", kTokenOpset, name, inputs, attributes));
}

Output TokenNetwork::attention_of_matmuls(const std::string& name,
                                          const Heads& heads,
                                          Output mask) {
    const PartialShape shape = heads.query.partial_shape();
    const auto width = static_cast<float>(shape[shape.size() - 1].get_length());
    const Output query = activation(name + "/query/fq", heads.query, ActivationKind::kSigned);
    const Output key = activation(name + "/key/fq", heads.key, ActivationKind::kSigned);
    Output scores = product(name + "/scores", query, key, true);
    scores = divide(name + "/scaled", scores, number(name + "/root", std::sqrt(width)));
    if (mask) {
        scores = add(name + "/masked", scores, mask);
    }
    SoftmaxAttrs last;
    last.axis = -1;
    const Output shares =
        named(model_->add("SoftMax", kTokenOpset, name + "/softmax", {scores}, last));
    return product(name, activation(name + "/softmax/fq", shares, ActivationKind::kUnsigned),
                   activation(name + "/value/fq", heads.value, ActivationKind::kSigned), false);
}

Output TokenNetwork::attention(const std::string& name,
                               const Heads& heads,
                               Output mask,
                               bool causal) {
    if (spellings_.attention == AttentionSpelling::kOperation) {
        return attention_operation(name, heads, mask, causal);
    }
    if (causal) {
        mask = causal_mask(name + "/causal", heads.query.shape()[2]);
    }
    return attention_of_matmuls(name, heads, mask);
}

}  // namespace fuseq::samples
