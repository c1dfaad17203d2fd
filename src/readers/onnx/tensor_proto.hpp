// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Values of initializers and of tensor attributes.
#pragma once

#include <filesystem>

#include "fuseq/tensor.hpp"
#include "readers/onnx/file_error.hpp"

namespace onnx {
class TensorProto;
}

namespace fuseq::onnx_reader {

// Copies the values out of raw_data, of the typed field, or of an external file, whose location is
// relative to `folder` and must not leave it (empty: the model is in memory and has no folder).
// Throws Error naming the tensor where the number of values is not that of its dimensions.
Tensor read_tensor(const ::onnx::TensorProto& proto,
                   const std::filesystem::path& folder,
                   const Place& place);

}  // namespace fuseq::onnx_reader
