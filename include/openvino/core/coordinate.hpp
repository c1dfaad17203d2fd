// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace ov {

// A place in a tensor; what takes one is absent and says so.
class Coordinate : public std::vector<std::size_t> {
public:
    using std::vector<std::size_t>::vector;
};

}  // namespace ov
