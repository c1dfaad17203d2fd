// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A part of a kernel's work, for a caller that spreads it over threads.
#pragma once

#include <cstddef>

namespace fuseq::kernels {

// Parts [begin, end).
struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
};

}  // namespace fuseq::kernels
