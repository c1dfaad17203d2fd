// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Sliding windows as attributes state them.
#pragma once

#include "readers/mxnet/operator.hpp"

namespace fuseq::mxnet_reader {

struct Window {
    std::vector<std::int64_t> kernel;
    std::vector<std::int64_t> strides;
    std::vector<std::int64_t> dilations;
    std::vector<std::int64_t> pads;  // before and after

    ModelAttributes attributes() const;
};

// kernel, stride, dilate, pad of a node's attributes.
Window read_window(const TextAttributes& attributes, const Place& place);

// Weights [OC, C / group, kernel...] of a Convolution with these attributes; throws Error where they do
// not fit.
struct ConvolutionShape {
    Window window;
    std::int64_t group = 1;
    std::int64_t filters = 0;
};
ConvolutionShape read_convolution(const TextAttributes& attributes,
                                  const Output& weights,
                                  const Place& place);
// Throws Error where the bias has not one value a filter.
void check_bias(const Output& bias, std::int64_t filters, const Place& place);

}  // namespace fuseq::mxnet_reader
