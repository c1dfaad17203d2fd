// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Properties whose value is one of a few words, or a number in a range, on every device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fuseq/any.hpp"

namespace fuseq {

// The words that a property takes; none where it takes other values.
std::vector<std::string> choices_of(const std::string& property);

// The value as text. Throws Error naming the words where it is none of them.
std::string checked_choice(const std::string& property, const Any& value);

// Whether the property takes a number in a range.
bool takes_number(const std::string& property);

// The number; AUTO, which NUM_STREAMS takes, is 0. Throws Error naming the range where it lies
// outside or is no number.
std::int64_t checked_number(const std::string& property, const Any& value);

}  // namespace fuseq
