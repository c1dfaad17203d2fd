// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Damaged ONNX files, by a seed.
#pragma once

#include <cstdint>
#include <string>

namespace fuseq::test {

// The bytes of a ModelProto with one to six mistakes in its fields (numbers with odd values, names and
// types of others, elements removed, repeated or swapped, values cut off), so that the file is still a
// message; every fourth one with mistakes in the bytes.
std::string damaged_model(const std::string& bytes, std::uint64_t seed);

}  // namespace fuseq::test
