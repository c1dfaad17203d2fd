// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a TFLite file, verified.
#pragma once

#include <string_view>

#include "readers/tflite/tensor_info.hpp"

namespace fuseq::tflite_reader {

// "TFL3" at offset 4.
bool may_be_model(std::string_view bytes);

FileBytes read_whole_file(const std::string& path);
FileBytes copy_bytes(std::string_view bytes);

// Every offset and size is checked before anything is read. Throws Error.
const ::tflite::Model& verify_model(const FileBytes& file, const Place& place);

}  // namespace fuseq::tflite_reader
