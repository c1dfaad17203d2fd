// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// DQ on the Model: Convert(f32) -> Subtract(zero_point) -> Multiply(scale), Subtract left out for
// zero. The value is (q - zero_point) * scale.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fuseq/model.hpp"
#include "transformations/support/channel_values.hpp"

namespace fuseq {

struct Dequantize {
    Output q;  // u8 or i8
    ChannelValues scale{1.0f};
    ChannelValues zero_point{0.0f};    // real: need not be a whole number
    std::vector<std::string> origins;  // IR layers that the DQ nodes stand for

    bool per_tensor() const { return scale.per_tensor() && zero_point.per_tensor(); }
    // Dimension of the per-channel values. Only for !per_tensor().
    std::size_t axis() const { return scale.per_tensor() ? zero_point.axis() : scale.axis(); }
    bool has_zero_point() const { return !zero_point.all_equal_to(0.0f); }
    // Same element type, scale and zero point: the same integers mean the same numbers.
    bool same_mapping(const Dequantize& other) const;
};

// The whole number nearest to a zero point that integers of `type` (u8 or i8) can hold. Ranges that
// leave zero out have zero points beyond it; kernels take them within the type, and what is left,
// f = zero_point - whole, is corrected after the layer like any other fraction.
double whole_zero_point(double zero_point, ElementType type);

// The DQ that ends at this port, if there is one.
std::optional<Dequantize> match_dequantize(const Output& end);

// Builds Convert -> Subtract -> Multiply after dq.q and returns its end. Node names begin with
// `base_name`.
Output build_dequantize(Model& model, const std::string& base_name, const Dequantize& dq);

// `dq` with its per-channel values at another dimension.
Dequantize moved_to_axis(const Dequantize& dq, std::size_t axis);

}  // namespace fuseq
