// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/cpu/window_classes.hpp"

#include <algorithm>

namespace fuseq {

WindowClasses window_classes(const Window& window, std::int64_t size) {
    WindowClasses result;
    const std::int64_t positions = window_positions(size, window);
    for (std::int64_t o = 0; o < positions; ++o) {
        const std::int64_t first = o * window.stride - window.pad_begin;
        WindowClasses::Taps taps{window.size, window.size};
        for (std::int64_t k = 0; k < window.size; ++k) {
            const std::int64_t at = first + k * window.dilation;
            if (at >= 0 && at < size) {
                taps.begin = std::min(taps.begin, k);
                taps.end = k + 1;
            }
        }
        if (taps.begin == window.size) {
            taps = {0, 0};
        }
        auto found = std::find(result.taps.begin(), result.taps.end(), taps);
        if (found == result.taps.end()) {
            found = result.taps.insert(found, taps);
        }
        result.classes.push_back(found - result.taps.begin());
    }
    return result;
}

std::vector<std::int64_t> class_sums(const std::vector<std::int32_t>& weights,
                                     std::size_t channels,
                                     const WindowClasses& rows,
                                     const Window& row_window,
                                     const WindowClasses& columns,
                                     const Window& column_window) {
    const auto height = static_cast<std::size_t>(row_window.size);
    const auto width = static_cast<std::size_t>(column_window.size);
    const std::size_t inner = weights.size() / (channels * height * width);
    // Over the input channels: one kernel an output channel.
    std::vector<std::int64_t> kernels(channels * height * width, 0);
    auto w = weights.begin();
    for (std::size_t c = 0; c < channels; ++c) {
        for (std::size_t i = 0; i < inner; ++i) {
            for (std::size_t k = 0; k < height * width; ++k) {
                kernels[c * height * width + k] += *w++;
            }
        }
    }
    std::vector<std::int64_t> sums;
    for (const WindowClasses::Taps& y : rows.taps) {
        for (const WindowClasses::Taps& x : columns.taps) {
            for (std::size_t c = 0; c < channels; ++c) {
                std::int64_t sum = 0;
                for (std::int64_t ky = y.begin; ky < y.end; ++ky) {
                    for (std::int64_t kx = x.begin; kx < x.end; ++kx) {
                        sum += kernels[(c * height + static_cast<std::size_t>(ky)) * width +
                                       static_cast<std::size_t>(kx)];
                    }
                }
                sums.push_back(sum);
            }
        }
    }
    return sums;
}

}  // namespace fuseq
