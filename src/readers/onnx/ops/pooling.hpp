// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "readers/onnx/operator.hpp"

namespace fuseq::onnx_reader {

// Window and rounding of a pooling with the attributes of the node.
ModelAttributes pool_attributes(const Operator& op);
// The same, with so much padding at the end that no window reaches beyond it.
ModelAttributes whole_window_attributes(const Operator& op);
// The mean of a window with the attributes of the node.
Output average(Operator& op, const Output& x);

}  // namespace fuseq::onnx_reader
