// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "generate_model/calibration.hpp"

#include <algorithm>
#include <cmath>

#include "ops/interpreter.hpp"

namespace fuseq::samples {
namespace {

// Upwards to a multiple of 1/64, so that the last bits of a sum do not change the model.
float rounded_up(float value) {
    return std::ceil(value * 64.0f) / 64.0f;
}

void widen(Range& range, const Tensor& values) {
    const Shape& shape = values.get_shape();
    const std::size_t channels = shape.at(1);
    const std::size_t inner = values.get_size() / (shape[0] * channels);
    // A channel that no image reaches still gets a range.
    constexpr float kSmallest = 1.0f / 64.0f;
    range.low.resize(channels, -kSmallest);
    range.high.resize(channels, kSmallest);
    for (std::size_t i = 0; i < values.get_size(); ++i) {
        const std::size_t channel = i / inner % channels;
        const float value = values.data<float>()[i];
        range.low[channel] = std::min(range.low[channel], -rounded_up(-value));
        range.high[channel] = std::max(range.high[channel], rounded_up(value));
    }
}

}  // namespace

Ranges observe(const Model& model, const std::vector<std::vector<Tensor>>& inputs) {
    const Interpreter interpreter(model);
    Ranges ranges;
    for (const std::vector<Tensor>& one : inputs) {
        const std::vector<Tensor> seen = interpreter.run(one);
        for (std::size_t r = 0; r < seen.size(); ++r) {
            if (seen[r].get_element_type() == ElementType::f32 && seen[r].get_shape().size() >= 2) {
                widen(ranges[model.results()[r]->name()], seen[r]);
            }
        }
    }
    return ranges;
}

}  // namespace fuseq::samples
