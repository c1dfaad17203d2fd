// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Element types by their numbers in ONNX files. Numbers above those of Debian's onnx.proto (IR 8)
// are known too.
#pragma once

#include "fuseq/element_type.hpp"
#include "readers/onnx/file_error.hpp"

namespace fuseq::onnx_reader {

// Throws Error for a type that a Model cannot have, by its name.
ElementType element_type(int number, const Place& place);
// "FLOAT", "INT4", ..., or the number.
std::string element_type_name(int number);

}  // namespace fuseq::onnx_reader
