// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What stands after the sums of a convolution, deconvolution or matrix product.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ops/quantized/quantized_run.hpp"

namespace fuseq {

// Inference: grids of src and dst, types, weights and bias. `channels`: of dst.
void check_product(const InferContext& context,
                   const WeightAttrs& attrs,
                   const Dimension& channels);

// Weights less their zero points; channel_of(i): the output channel of element i.
template <class ChannelOf>
std::vector<std::int32_t> centered_weights(const Tensor& weights,
                                           const std::vector<std::int64_t>& zero_points,
                                           ChannelOf channel_of) {
    std::vector<std::int32_t> values = integers(weights);
    for (std::size_t i = 0; !zero_points.empty() && i < values.size(); ++i) {
        values[i] -=
            static_cast<std::int32_t>(zero_points[zero_points.size() > 1 ? channel_of(i) : 0]);
    }
    return values;
}

// Of src: input 3, one integer, where there is one, else the attribute.
std::int64_t source_zero_point(const EvalContext& context, const WeightAttrs& attrs);

// Adds the bias (input 2, optional) and stores: sums of i32, real values, or requantized. The
// channel of sums[i] is i / inner % channels; `alpha` multiplies the scale of src.
void store_sums(const EvalContext& context,
                const WeightAttrs& attrs,
                std::vector<std::int64_t>& sums,
                std::size_t channels,
                std::size_t inner,
                Tensor& dst,
                float alpha = 1.0F);

}  // namespace fuseq
