// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// For errors about names that are not known.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fuseq {

// The name with the least edit distance; empty when there are none.
std::string nearest_name(std::string_view name, const std::vector<std::string>& names);

}  // namespace fuseq
