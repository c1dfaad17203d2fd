// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/onnx/operator.hpp"

namespace fuseq::onnx_reader {

Output Operator::input(std::size_t i) const {
    require(has_input(i), "input ", i, " is missing");
    return node_.inputs[i];
}

}  // namespace fuseq::onnx_reader
