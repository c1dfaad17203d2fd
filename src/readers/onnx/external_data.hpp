// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Values of tensors that lie in files beside the model.
#pragma once

#include <filesystem>

#include "fuseq/tensor.hpp"
#include "readers/onnx/file_error.hpp"

namespace onnx {
class TensorProto;
}

namespace fuseq::onnx_reader {

// The `bytes` bytes at the tensor's offset, as u8. Throws Error where the location is absolute or
// leaves `folder`, the file does not exist, or offset and length do not lie in it.
Tensor read_external_data(const ::onnx::TensorProto& proto,
                          const std::filesystem::path& folder,
                          std::size_t bytes,
                          const Place& place);

}  // namespace fuseq::onnx_reader
