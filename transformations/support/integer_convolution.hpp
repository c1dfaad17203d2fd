// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// An integer convolution or deconvolution and the real numbers around it, shared by the passes that
// make them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "transformations/pass.hpp"
#include "transformations/support/dequantize.hpp"
#include "transformations/support/zero_point_correction.hpp"

namespace fuseq {

struct IntegerConvolution {
    Output src;                // u8 or i8
    Output wei;                // Const i8
    std::vector<float> scale;  // of src times that of wei, one an output channel
    std::vector<std::int32_t>
        whole;  // of the zero point, in the type of src: one a source channel, or one
    std::vector<double> fraction;  // the rest of it, one an output channel
    std::vector<float> wei_zero;   // of wei: none, one, or one an output channel
    std::size_t channels() const { return scale.size(); }
    IntegerWeights weights() const { return {wei.node->constant(), wei_zero}; }
};

// Depthwise: every output channel reads one source channel.
bool sums_one_channel(const Node& conv);

// Scales and zero points for a source that is dequantized per tensor, or per channel of a depthwise
// convolution; src and wei are left to the caller. `wei_scale`: one value, or one an output
// channel. `conv` still reads real numbers.
IntegerConvolution describe_integer_convolution(const Node& conv,
                                                const Dequantize& src,
                                                const std::vector<float>& wei_scale);

// Lets `conv` read the integers and puts Multiply(scale) and, for a fraction, Add after it;
// returns the port of the result in real numbers. Readers of conv stay where they are. `step`: of
// the FQ that reads the result, 0 when unknown: below a thousandth of it, errors at a border do not
// matter. Adds the remark approximate_border where the border cannot be corrected.
Output make_integer(Node& conv,
                    const IntegerConvolution& q,
                    double step,
                    std::string_view pass,
                    PassContext& context);

}  // namespace fuseq
