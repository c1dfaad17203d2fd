// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Integers for the weights and the bias of one anchor.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fuseq/model.hpp"
#include "quantizer/schema.hpp"
#include "transformations/support/weights.hpp"

namespace fuseq::quantizer {

// One scale an output channel, or one in all.
struct WeightScales {
    std::vector<ScaleAndOffset> channels;  // one an output channel; all equal when per tensor
    bool per_channel = true;
};

// Scales by schema, precision, bits and calibration of the options. `weights` is f32, in the order
// that `order` describes. `share`: of the range, which is taken in place of all of it.
WeightScales choose_weight_scales(const Tensor& weights,
                                  const ChannelOrder& order,
                                  const QuantizerOptions& options,
                                  double share = 1);

// The options as they are for the weights of one anchor: row-wise quantization is one of fully
// connected layers.
QuantizerOptions weight_options_of(const Node& anchor, QuantizerOptions options);

// The integers, and what they stand for as f32.
struct RoundedWeights {
    Tensor integers;  // i8 or i16
    Tensor values;    // f32
};
RoundedWeights round_weights(const Tensor& weights,
                             const ChannelOrder& order,
                             const WeightScales& scales,
                             QuantizationPrecision precision);
// The same from integers that were chosen already: a list an output channel, in the order of
// memory.
RoundedWeights rounded_weights(const Shape& shape,
                               const ChannelOrder& order,
                               const WeightScales& scales,
                               const std::vector<std::vector<std::int64_t>>& integers,
                               QuantizationPrecision precision);

// Scale of a bias: the product of the input's and the weights' scale, so that integers can be added
// to the sum; the bias' own scale where the product is too small for its precision.
//   Int32: offset 0; the weights' scale is raised instead, so that the product is large enough.
struct BiasScale {
    float scale = 1;
    std::optional<float> raised_weight_scale;  // what the weights' scale must become
};
BiasScale choose_bias_scale(float bias,
                            float input_scale,
                            float weight_scale,
                            QuantizationPrecision precision);

}  // namespace fuseq::quantizer
