// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Attributes of sliding windows: convolutions and poolings.
#pragma once

#include "readers/onnx/operator.hpp"

namespace fuseq::onnx_reader {

struct Window {
    std::vector<std::int64_t> kernel;
    std::vector<std::int64_t> strides;
    std::vector<std::int64_t> dilations;
    std::vector<std::int64_t> begin;
    std::vector<std::int64_t> end;
    std::string auto_pad;  // as the Model spells it

    ModelAttributes attributes() const {
        return {{"strides", strides},
                {"dilations", dilations},
                {"pads_begin", begin},
                {"pads_end", end},
                {"auto_pad", auto_pad}};
    }
};

// Reads and checks the attributes of a window over `spatial` dimensions. Where kernel_shape may be
// left out, `kernel` is its value.
Window read_window(const Operator& op,
                   std::size_t spatial,
                   const std::vector<std::int64_t>& kernel = {});

// The vector with the rank of a tensor whose channels it belongs to: [1,C,1,...].
Output channel_vector(Operator& op, const Output& vector, std::size_t rank);

}  // namespace fuseq::onnx_reader
