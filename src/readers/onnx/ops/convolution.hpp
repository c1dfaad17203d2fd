// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "readers/onnx/operator.hpp"

namespace fuseq::onnx_reader {

// A convolution with the attributes of the node, without a bias.
Output convolve(Operator& op, const Output& x, const Output& weights);

}  // namespace fuseq::onnx_reader
