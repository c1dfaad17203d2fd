// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "readers/onnx/operator.hpp"
#include "readers/onnx/ops/window.hpp"

namespace fuseq::onnx_reader {

// The window of a convolution with these weights and the attributes of the node.
Window convolution_window(const Operator& op, const Output& weights);
// A convolution with the attributes of the node, without a bias.
Output convolve(Operator& op, const Output& x, const Output& weights);

}  // namespace fuseq::onnx_reader
