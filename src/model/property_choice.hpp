// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Properties whose value is one of a few words, on every device.
#pragma once

#include <string>
#include <vector>

#include "fuseq/any.hpp"

namespace fuseq {

// The words that a property takes; none where it takes other values.
std::vector<std::string> choices_of(const std::string& property);

// The value as text. Throws Error naming the words where it is none of them.
std::string checked_choice(const std::string& property, const Any& value);

}  // namespace fuseq
