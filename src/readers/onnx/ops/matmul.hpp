// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "readers/onnx/operator.hpp"

namespace fuseq::onnx_reader {

// alpha * A * B + beta * C, with the attributes of the node.
Output gemm_product(Operator& op);

}  // namespace fuseq::onnx_reader
