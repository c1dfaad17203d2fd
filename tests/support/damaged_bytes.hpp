// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Damaged files, by a seed.
#pragma once

#include <cstdint>
#include <string>

namespace fuseq::test {

// The bytes with one to eight mistakes: bits, bytes, numbers of 16, 32 and 64 bits with odd values,
// ends cut off, ranges repeated or taken from elsewhere. The first `header` bytes, the identifier of
// the format, stay.
std::string damaged(const std::string& bytes, std::size_t header, std::uint64_t seed);

}  // namespace fuseq::test
