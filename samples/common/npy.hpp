// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// NumPy's .npy files (format versions 1.0 to 3.0), little endian, read and written in C order.
#pragma once

#include <string>

#include "fuseq/tensor.hpp"

namespace fuseq::samples {

// Reads boolean, u8, i8, u16, i16, u32, i32, u64, i64, f16, f32 and f64. Fortran order is brought
// into C order. Throws Error("npy") naming the file for anything else: another magic or version, a
// header that is no dictionary of descr, fortran_order and shape, big-endian values, too few or
// too many bytes.
Tensor read_npy(const std::string& path);
// The same from the bytes of a file; `name` is for messages.
Tensor parse_npy(const std::string& bytes, const std::string& name);

// The type that NumPy has for the values of a type: f32 for bf16, otherwise unpacked_type.
ElementType numpy_type(ElementType type);

// Writes version 1.0. Throws Error for bf16 and packed types, which NumPy does not have, and when
// the file cannot be written.
void write_npy(const std::string& path, const Tensor& tensor);
std::string to_npy(const Tensor& tensor);

}  // namespace fuseq::samples
