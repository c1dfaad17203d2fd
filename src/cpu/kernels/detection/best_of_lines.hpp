// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The best value of each of many lines and its place in the line: TopK with k = 1, the classes of a
// segmentation. Of equal values the first one counts, and NaN only where there is nothing else.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fuseq::cpu {

template <class T>
struct Lines {
    const T* first = nullptr;
    std::size_t size = 1;    // elements of a line, at least 1
    std::size_t stride = 1;  // from one element of a line to the next
    std::size_t step = 1;    // from one line to the next; one of the two is 1
    bool largest = true;     // or the smallest
};

// values and places: one a line, `count` of them. T is float or std::int32_t. No allocation.
template <class T>
void best_of_lines(const Lines<T>& lines, std::size_t count, T* values, std::int32_t* places);

}  // namespace fuseq::cpu
