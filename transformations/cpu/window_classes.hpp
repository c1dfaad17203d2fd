// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Windows of a convolution by what of the kernel lies inside the image: one class in the middle, and
// some at the edges.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/spatial.hpp"

namespace fuseq {

// Along one axis.
struct WindowClasses {
    struct Taps {
        std::int64_t begin = 0;
        std::int64_t end = 0;
        bool operator==(const Taps&) const = default;
    };
    std::vector<Taps> taps;             // of a class
    std::vector<std::int64_t> classes;  // of a position
};
WindowClasses window_classes(const Window& window, std::int64_t size);

// Sums of the weights [channels, inner, height, width] over the taps of each class: a row of
// `channels` for (0, 0), (0, 1), ..., (1, 0), ...
std::vector<std::int64_t> class_sums(const std::vector<std::int32_t>& weights,
                                     std::size_t channels,
                                     const WindowClasses& rows,
                                     const Window& row_window,
                                     const WindowClasses& columns,
                                     const Window& column_window);

}  // namespace fuseq
