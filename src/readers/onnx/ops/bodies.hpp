// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What the translations of If, Loop and Scan share.
#pragma once

#include "readers/onnx/operator.hpp"

namespace fuseq::onnx_reader {

// Adds what the body captured to the inputs of the operation.
void add_captured(const Body& body,
                  std::vector<Output>& inputs,
                  std::vector<std::int64_t>& input_map);

// Gives a result of the body a dimension of 1, along which the parts of all iterations are joined.
void unsqueeze_result(Model& body, std::size_t result, std::int64_t axis);

std::vector<Output> all_outputs(fuseq::Node* node);

}  // namespace fuseq::onnx_reader
