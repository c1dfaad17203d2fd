// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "generate_model/quantized_network.hpp"

#include <algorithm>
#include <cmath>

#include "ops/binary_arithmetic.hpp"
#include "ops/convert.hpp"
#include "ops/convolution.hpp"
#include "ops/fake_quantize.hpp"
#include "ops/matmul.hpp"
#include "ops/pooling.hpp"
#include "ops/reduce.hpp"
#include "ops/reshape.hpp"
#include "ops/softmax.hpp"

namespace fuseq::samples {
namespace {

constexpr int kOpset = 8;
constexpr std::int64_t kActivationLevels = 256;
constexpr std::int64_t kWeightLevels = 255;
constexpr float kHighestWeight = 127.0f;  // -127 to 127: 255 levels

// One value a channel of dimension 1, or one for all.
Shape channel_shape(std::size_t channels, std::size_t rank) {
    Shape shape(rank, 1);
    shape.at(1) = channels;
    return shape;
}

// One value a filter.
Shape filter_shape(const Shape& weights) {
    Shape shape(weights.size(), 1);
    shape[0] = weights[0];
    return shape;
}

// Limits whose zero point is a whole number: low becomes a multiple of the step.
void align_zero(float& low, float& high) {
    const float step = (high - low) / static_cast<float>(kActivationLevels - 1);
    const float zero_point = std::ceil(-low / step);
    low = -zero_point * step;
    high = (static_cast<float>(kActivationLevels - 1) - zero_point) * step;
}

Range limits_of(const Range& seen, ActivationKind kind) {
    Range limits;
    for (std::size_t c = 0; c < seen.high.size(); ++c) {
        float low = seen.low[c];
        float high = seen.high[c];
        switch (kind) {
            case ActivationKind::kUnsigned: low = 0; break;
            case ActivationKind::kSigned:
                high = std::max(-low, high);
                low = -high * 128.0f / 127.0f;
                break;
            case ActivationKind::kAsymmetric: align_zero(low, high); break;
        }
        limits.low.push_back(low);
        limits.high.push_back(high);
    }
    return limits;
}

}  // namespace

QuantizedNetwork::QuantizedNetwork(std::string name, std::uint64_t seed, const Ranges* ranges)
    : model_(std::make_shared<Model>(std::move(name))), random_(seed), ranges_(ranges) {}

Output QuantizedNetwork::named(Node* node) {
    node->port().names.insert(node->name());
    return node->output();
}

Output QuantizedNetwork::constant(const std::string& name,
                                  const Shape& shape,
                                  const std::vector<float>& values) {
    return model_->add_constant(name, Tensor::of<float>(shape, values))->output();
}

Output QuantizedNetwork::integers(const std::string& name, const std::vector<std::int64_t>& list) {
    return model_->add_constant(name, Tensor::of<std::int64_t>({list.size()}, list))->output();
}

Output QuantizedNetwork::binary(const std::string& type,
                                const std::string& name,
                                Output a,
                                Output b) {
    return named(model_->add(type, kOpset, name, {a, b}, BinaryAttrs{}));
}

Output QuantizedNetwork::input(const std::string& name, const PartialShape& shape) {
    return named(model_->add_parameter(name, ElementType::f32, shape));
}

Output QuantizedNetwork::normalize(Output x,
                                   const std::vector<float>& mean,
                                   const std::vector<float>& factor) {
    const Shape shape = channel_shape(mean.size(), x.partial_shape().rank());
    const Output centred = binary("Subtract", "mean", x, constant("mean/value", shape, mean));
    return binary("Multiply", "scale", centred, constant("scale/value", shape, factor));
}

Output QuantizedNetwork::fake_quantize(const std::string& name,
                                       Output x,
                                       const Range& limits,
                                       const Shape& limit_shape,
                                       std::int64_t levels) {
    FakeQuantizeAttrs attributes;
    attributes.levels = levels;
    const Output low = constant(name + "/low", limit_shape, limits.low);
    const Output high = constant(name + "/high", limit_shape, limits.high);
    return named(model_->add("FakeQuantize", kOpset, name, {x, low, high, low, high}, attributes));
}

Output QuantizedNetwork::activation(const std::string& name,
                                    Output x,
                                    ActivationKind kind,
                                    bool per_channel) {
    if (ranges_ == nullptr) {
        model_->add_result(name, x);
        return x;
    }
    Range seen = ranges_->at(name);
    if (!per_channel) {
        seen = {{*std::min_element(seen.low.begin(), seen.low.end())},
                {*std::max_element(seen.high.begin(), seen.high.end())}};
    }
    const Shape shape = channel_shape(seen.low.size(), x.partial_shape().rank());
    return fake_quantize(name, x, limits_of(seen, kind), shape, kActivationLevels);
}

Output QuantizedNetwork::weights(const std::string& name,
                                 const Shape& shape,
                                 WeightSpelling spelling) {
    const std::size_t size = shape_size(shape) / shape[0];  // of a filter
    // Keeps the variance of activations about the same from layer to layer.
    const float bound = std::sqrt(6.0f / static_cast<float>(size));
    Tensor values(ElementType::f32, shape);
    for (std::size_t i = 0; i < values.get_size(); ++i) {
        values.data<float>()[i] = random_.uniform(-bound, bound);
    }
    return weights_of(name, values, spelling);
}

Output QuantizedNetwork::weights_of(const std::string& name,
                                    const Tensor& values,
                                    WeightSpelling spelling) {
    const Shape& shape = values.get_shape();
    const std::size_t size = values.get_size() / shape[0];
    std::vector<float> high(shape[0], 0.0f);
    for (std::size_t i = 0; i < values.get_size(); ++i) {
        float& largest = high[i / size];
        largest = std::max(largest, std::fabs(values.data<float>()[i]));
    }
    if (spelling != WeightSpelling::kFloat) {
        return integer_weights(name, values, high, spelling);
    }
    Range limits{{}, high};
    for (const float value : high) {
        limits.low.push_back(-value);
    }
    return fake_quantize(name + "/fq", model_->add_constant(name, values)->output(), limits,
                         filter_shape(shape), kWeightLevels);
}

Output QuantizedNetwork::integer_weights(const std::string& name,
                                         const Tensor& values,
                                         const std::vector<float>& high,
                                         WeightSpelling spelling) {
    const Shape& shape = values.get_shape();
    const std::size_t size = values.get_size() / shape[0];
    const bool is_unsigned = spelling == WeightSpelling::kU8FakeQuantize;
    Tensor integers(is_unsigned ? ElementType::u8 : ElementType::i8, shape);
    std::vector<float> steps;
    for (std::size_t i = 0; i < values.get_size(); ++i) {
        const float step = high[i / size] / kHighestWeight;
        const float q = std::nearbyint(values.data<float>()[i] / step);
        if (is_unsigned) {
            integers.data<std::uint8_t>()[i] = static_cast<std::uint8_t>(q + kHighestWeight);
        } else {
            integers.data<std::int8_t>()[i] = static_cast<std::int8_t>(q);
        }
        if (i % size == 0) {
            steps.push_back(step);
        }
    }
    ConvertAttrs to_f32;
    to_f32.destination_type = ElementType::f32;
    const Output stored = model_->add_constant(name, integers)->output();
    Output x = model_->add("Convert", kOpset, name + "/to_f32", {stored}, to_f32)->output();
    const Shape per_filter = filter_shape(shape);
    if (is_unsigned) {
        FakeQuantizeAttrs attributes;
        attributes.levels = kWeightLevels;
        std::vector<float> low = high;
        std::transform(low.begin(), low.end(), low.begin(), std::negate<>());
        const Shape one(shape.size(), 1);
        const std::string fq = name + "/fq";
        return named(model_->add("FakeQuantize", kOpset, fq,
                                 {x, constant(fq + "/input_low", one, {0.0f}),
                                  constant(fq + "/input_high", one, {2 * kHighestWeight}),
                                  constant(fq + "/output_low", per_filter, low),
                                  constant(fq + "/output_high", per_filter, high)},
                                 attributes));
    }
    if (spelling == WeightSpelling::kI8SubtractMultiply) {
        constexpr float kNoise = 1e-5f;
        x = binary(
            "Subtract", name + "/minus", x,
            constant(name + "/zero_point", per_filter, std::vector<float>(shape[0], kNoise)));
    }
    return binary("Multiply", name + "/times", x, constant(name + "/step", per_filter, steps));
}

Output QuantizedNetwork::bias(const std::string& name,
                              Output x,
                              std::size_t channels,
                              std::size_t rank) {
    constexpr float kBound = 0.2f;
    std::vector<float> values(channels);
    for (float& value : values) {
        value = random_.uniform(-kBound, kBound);
    }
    return binary("Add", name + "/bias", x,
                  constant(name + "/bias/value", channel_shape(channels, rank), values));
}

Output QuantizedNetwork::convolution(const std::string& name,
                                     Output x,
                                     const ConvolutionShape& shape,
                                     WeightSpelling spelling) {
    const std::size_t k = shape.kernel;
    const auto pad = static_cast<std::int64_t>(k / 2);
    const Shape wei = shape.depthwise ? Shape{shape.out_channels, 1, 1, k, k}
                                      : Shape{shape.out_channels, shape.in_channels, k, k};
    ConvolutionAttrs attributes;
    attributes.strides = {shape.stride, shape.stride};
    attributes.dilations = {1, 1};
    attributes.pads_begin = {pad, pad};
    attributes.pads_end = {pad, pad};
    const Output w = weights(name + "/weights", wei, spelling);
    Node* node = model_->add(shape.depthwise ? "GroupConvolution" : "Convolution", kOpset, name,
                             {x, w}, attributes);
    return bias(name, named(node), shape.out_channels, 4);
}

Output QuantizedNetwork::linear(const std::string& name,
                                Output x,
                                std::size_t in,
                                std::size_t out) {
    MatMulAttrs attributes;
    attributes.transpose_b = true;
    const Output w = weights(name + "/weights", {out, in}, WeightSpelling::kFloat);
    Node* node = model_->add("MatMul", kOpset, name, {x, w}, attributes);
    return bias(name, named(node), out, 2);
}

Output QuantizedNetwork::relu(const std::string& name, Output x) {
    return named(model_->add("ReLU", kOpset, name, {x}));
}

Output QuantizedNetwork::add(const std::string& name, Output a, Output b) {
    return binary("Add", name, a, b);
}

Output QuantizedNetwork::average_pool(const std::string& name, Output x, std::int64_t size) {
    AvgPoolAttrs attributes;
    attributes.kernel = {size, size};
    attributes.strides = {size, size};
    attributes.pads_begin = {0, 0};
    attributes.pads_end = {0, 0};
    return named(model_->add("AvgPool", 1, name, {x}, attributes));
}

Output QuantizedNetwork::max_pool(const std::string& name, Output x, std::int64_t size) {
    MaxPoolAttrs attributes;
    attributes.kernel = {size, size};
    attributes.strides = {size, size};
    attributes.pads_begin = {0, 0};
    attributes.pads_end = {0, 0};
    return named(model_->add("MaxPool", 1, name, {x}, attributes));
}

Output QuantizedNetwork::global_mean(const std::string& name, Output x) {
    const Output axes = integers(name + "/axes", {2, 3});
    return named(model_->add("ReduceMean", kOpset, name, {x, axes}, ReduceAttrs{}));
}

Output QuantizedNetwork::reshape(const std::string& name,
                                 Output x,
                                 const std::vector<std::int64_t>& shape) {
    ReshapeAttrs attributes;
    attributes.special_zero = true;
    return named(
        model_->add("Reshape", kOpset, name, {x, integers(name + "/shape", shape)}, attributes));
}

Output QuantizedNetwork::transpose(const std::string& name,
                                   Output x,
                                   const std::vector<std::int64_t>& order) {
    return named(model_->add("Transpose", kOpset, name, {x, integers(name + "/order", order)}));
}

Output QuantizedNetwork::softmax(const std::string& name, Output x, std::int64_t axis) {
    SoftmaxAttrs attributes;
    attributes.axis = axis;
    return named(model_->add("SoftMax", kOpset, name, {x}, attributes));
}

void QuantizedNetwork::softmax_output(const std::string& name, Output x) {
    model_->add_result(name + "/result", softmax(name, x, 1));
}

}  // namespace fuseq::samples
