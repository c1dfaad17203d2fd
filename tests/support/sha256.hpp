// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// SHA-256, for goldens that are kept as hashes.
#pragma once

#include <cstddef>
#include <string>

namespace fuseq::test {

// In hexadecimal digits.
std::string sha256(const void* data, std::size_t size);

}  // namespace fuseq::test
