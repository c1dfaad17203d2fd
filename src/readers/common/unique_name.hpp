// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <unordered_set>

namespace fuseq::readers {

// `base`, or base_1, base_2, ... where that is in `names`, to which the result is added.
inline std::string unique_name(std::unordered_set<std::string>& names, const std::string& base) {
    std::string name = base;
    for (std::size_t n = 1; !names.insert(name).second; ++n) {
        name = base + "_" + std::to_string(n);
    }
    return name;
}

}  // namespace fuseq::readers
