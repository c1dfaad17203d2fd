// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Builds quantized networks layer by layer, as a training tool exports them: FakeQuantize before
// every quantized operation, and weights in each of the four spellings that IR files use.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fuseq/model.hpp"
#include "generate_model/random.hpp"

namespace fuseq::samples {

// Smallest and largest value seen, one a channel or one for all.
struct Range {
    std::vector<float> low;
    std::vector<float> high;
};
// By name of FakeQuantize.
using Ranges = std::map<std::string, Range>;

enum class ActivationKind {
    kUnsigned,    // [0, high]: zero point 0, u8
    kSigned,      // [-high * 128 / 127, high]: zero point 0, i8
    kAsymmetric,  // [low, high], low moved so that zero is one of the 256 values
};

enum class WeightSpelling {
    kFloat,               // f32 -> FakeQuantize(255)
    kU8FakeQuantize,      // u8 -> Convert -> FakeQuantize(255)
    kI8Multiply,          // i8 -> Convert -> Multiply
    kI8SubtractMultiply,  // i8 -> Convert -> Subtract (rounding noise) -> Multiply
};

struct ConvolutionShape {
    std::size_t in_channels = 1;
    std::size_t out_channels = 1;
    std::size_t kernel = 1;
    std::int64_t stride = 1;
    bool depthwise = false;  // out_channels == in_channels groups
};

class QuantizedNetwork {
public:
    // Without ranges no activation is quantized; instead each one becomes an output of that name,
    // so that a run of the model shows its range.
    QuantizedNetwork(std::string name, std::uint64_t seed, const Ranges* ranges);

    Model& model() { return *model_; }
    std::shared_ptr<Model> take() { return std::move(model_); }

    Output input(const std::string& name, const PartialShape& shape);
    // (x - mean) * factor with one value a channel.
    Output normalize(Output x, const std::vector<float>& mean, const std::vector<float>& factor);
    Output activation(const std::string& name,
                      Output x,
                      ActivationKind kind,
                      bool per_channel = false);
    // Convolution or, for depthwise, GroupConvolution, and the bias after it.
    Output convolution(const std::string& name,
                       Output x,
                       const ConvolutionShape& shape,
                       WeightSpelling spelling);
    // x times weights [out, in] transposed, and a bias; x has shape [N, in].
    Output linear(const std::string& name, Output x, std::size_t in, std::size_t out);
    Output relu(const std::string& name, Output x);
    Output add(const std::string& name, Output a, Output b);
    Output average_pool(const std::string& name, Output x, std::int64_t size);
    Output max_pool(const std::string& name, Output x, std::int64_t size);
    // Over the spatial dimensions: [N, C, H, W] -> [N, C].
    Output global_mean(const std::string& name, Output x);
    Output integers(const std::string& name, const std::vector<std::int64_t>& list);
    Output reshape(const std::string& name, Output x, const std::vector<std::int64_t>& shape);
    Output transpose(const std::string& name, Output x, const std::vector<std::int64_t>& order);
    Output softmax(const std::string& name, Output x, std::int64_t axis);
    void softmax_output(const std::string& name, Output x);

protected:
    // `shape` with one filter (output channel) for each entry of its first dimension.
    Output weights(const std::string& name, const Shape& shape, WeightSpelling spelling);
    // The same with values that are given.
    Output weights_of(const std::string& name, const Tensor& values, WeightSpelling spelling);
    Output integer_weights(const std::string& name,
                           const Tensor& values,
                           const std::vector<float>& high,
                           WeightSpelling spelling);
    Output bias(const std::string& name, Output x, std::size_t channels, std::size_t rank);
    Output fake_quantize(const std::string& name,
                         Output x,
                         const Range& limits,
                         const Shape& limit_shape,
                         std::int64_t levels);
    Output constant(const std::string& name, const Shape& shape, const std::vector<float>& values);
    Output binary(const std::string& type, const std::string& name, Output a, Output b);
    // Gives the result a tensor name, the layer's.
    Output named(Node* node);

    std::shared_ptr<Model> model_;
    Random random_;
    const Ranges* ranges_;
};

}  // namespace fuseq::samples
