// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Bytes to a ModelProto, within limits.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "readers/onnx/file_error.hpp"

namespace onnx {
class ModelProto;
}

namespace fuseq::onnx_reader {

// Throws Error where the bytes are no message of that kind, are cut off, or hold no graph. Fields
// that this version of the format does not know are passed over.
std::shared_ptr<const ::onnx::ModelProto> parse_model(std::string_view bytes, const Place& place);
// Throws Error where the file does not exist, cannot be read or exceeds protobuf's limit of 2 GiB.
std::string read_whole_file(const std::string& path);
// Whether the bytes begin as a ModelProto may: with a known field of it.
bool may_be_model(std::string_view bytes);

}  // namespace fuseq::onnx_reader
