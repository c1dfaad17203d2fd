// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Attributes that converters have written and that mean nothing to the operation.
#pragma once

#include <string_view>

namespace fuseq {

// Whether this attribute may be passed over without a word: it was never read by the operation
// (options of a training framework), or it has the one value that changes nothing.
bool is_harmless_attribute(std::string_view type, std::string_view name, std::string_view value);

}  // namespace fuseq
