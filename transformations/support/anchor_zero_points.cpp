// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/anchor_zero_points.hpp"

namespace fuseq {

std::size_t weight_zero_points(const Node& anchor) {
    std::size_t input = 3;
    if (anchor.is("ConvolutionBackpropData") || anchor.is("GroupConvolutionBackpropData")) {
        input = 4;
    } else if (!anchor.is("Convolution") && !anchor.is("GroupConvolution") &&
               !anchor.is("MatMul")) {
        return 0;
    }
    return anchor.has_input(input) && anchor.input(input).type() == ElementType::f32 ? input : 0;
}

std::vector<float> wei_zero_points(const Node& anchor) {
    const std::size_t input = weight_zero_points(anchor);
    return input == 0 ? std::vector<float>{} : to_floats(anchor.input_node(input)->constant());
}

}  // namespace fuseq
