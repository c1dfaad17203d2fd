// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// For errors about names that are not known.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fuseq {

// The name with the least edit distance, of several the one with the longest beginning in common;
// empty when there are none.
std::string nearest_name(std::string_view name, const std::vector<std::string>& names);

// "; did you mean 'NAME'?", or nothing where none of the names is alike: more than half of the
// letters would have to change.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& names);

}  // namespace fuseq
