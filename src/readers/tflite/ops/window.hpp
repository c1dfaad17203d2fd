// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Sliding windows: sizes, strides and the padding that SAME stands for.
#pragma once

#include "readers/tflite/operator.hpp"

namespace fuseq::tflite_reader {

// Height first, as dimensions 2 and 3 of an image.
struct Window {
    std::vector<std::int64_t> kernel;
    std::vector<std::int64_t> strides;
    std::vector<std::int64_t> dilations;
    std::vector<std::int64_t> begin;
    std::vector<std::int64_t> end;

    ModelAttributes attributes() const {
        return {{"strides", strides},
                {"dilations", dilations},
                {"pads_begin", begin},
                {"pads_end", end},
                {"auto_pad", std::string("explicit")}};
    }
};

// The window over images of these sizes; strides, dilations and kernel must be 1 or more. SAME:
// what is missing for ceil(size / stride) results is split, the odd one at the end.
Window make_window(const Operator& op,
                   ::tflite::Padding padding,
                   const std::vector<std::int64_t>& sizes,
                   const std::vector<std::int64_t>& kernel,
                   const std::vector<std::int64_t>& strides,
                   const std::vector<std::int64_t>& dilations);

// Dimensions 2 and on of an image; they must be known.
std::vector<std::int64_t> spatial_sizes(const Operator& op, const Output& image);

}  // namespace fuseq::tflite_reader
