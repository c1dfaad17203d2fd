// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions that a file defines for its own nodes, as PyTorch's exporters write them.
#pragma once

#include <memory>

#include "readers/onnx/file_error.hpp"

namespace onnx {
class ModelProto;
}

namespace fuseq::onnx_reader {

// The model with the nodes of each function in place of its calls, in bodies too; null where it
// defines no functions. Layers are called <call>/<node>. Throws Error for functions that call each
// other without end, stand for too many nodes or are of another operator set than the model.
std::shared_ptr<const ::onnx::ModelProto> inline_functions(const ::onnx::ModelProto& model,
                                                           const Place& place);

}  // namespace fuseq::onnx_reader
