// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The zero points of an integer src and of the weights of a convolution or deconvolution: optional
// inputs that transformations add, one value or one a channel. Those of src are integers, those of
// the weights any numbers.
#pragma once

#include <vector>

#include "ops/op_spec.hpp"

namespace fuseq {

// None (all zero), one for all channels, or one each.
class ZeroPoints {
public:
    ZeroPoints() = default;
    // Those of input i, for `channels` channels. Throws Error for another number.
    ZeroPoints(const EvalContext& context, std::size_t i, std::size_t channels) {
        if (context.has_input(i)) {
            values_ = to_floats(context.input(i));
            context.require(values_.size() == 1 || values_.size() == channels, "there are ",
                            values_.size(), " zero points, expected 1 or ", channels);
        }
    }
    double operator[](std::size_t channel) const {
        if (values_.empty()) {
            return 0.0;
        }
        return values_.size() == 1 ? values_[0] : values_[channel];
    }

private:
    std::vector<float> values_;
};

// The same check at inference; `whole`: they are integers, else f32.
inline void check_zero_points(const InferContext& context,
                              std::size_t i,
                              const Dimension& channels,
                              bool whole) {
    if (!context.has_input(i)) {
        return;
    }
    context.require(whole ? is_integral(context.type(i)) : context.type(i) == ElementType::f32,
                    "the zero point is ", to_string(context.type(i)), ", expected ",
                    whole ? "integers" : "f32");
    const PartialShape& shape = context.shape(i);
    context.require(shape.is_static(), "the zero point has an open shape");
    const auto count = static_cast<std::int64_t>(shape_size(shape.to_shape()));
    context.require(count == 1 || channels.compatible(count), "there are ", count,
                    " zero points, expected 1 or ", to_string(channels));
}

}  // namespace fuseq
