// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/axes_in_memory.hpp"

#include <algorithm>
#include <numeric>

namespace fuseq::cpu {

std::optional<AxesInMemory> axes_in_memory(const Shape& dims,
                                           Layout layout,
                                           const std::vector<bool>& along) {
    std::vector<std::size_t> order(dims.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (layout == Layout::kChannelsLast) {
        if (dims.size() < 2) {
            return std::nullopt;
        }
        std::rotate(order.begin() + 1, order.begin() + 2, order.end());
    }
    AxesInMemory axes;
    bool met = false;
    for (const std::size_t d : order) {
        if (dims[d] == 1) {
            continue;
        }
        if (!along[d]) {
            (met ? axes.inner : axes.outer) *= dims[d];
            continue;
        }
        if (axes.inner != 1) {
            return std::nullopt;
        }
        met = true;
        axes.length *= dims[d];
    }
    return axes;
}

std::vector<bool> marked_axes(const std::vector<std::int64_t>& axes, std::size_t rank) {
    std::vector<bool> along(rank, false);
    for (const std::int64_t axis : axes) {
        along.at(static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank)
                                                   : axis)) = true;
    }
    return along;
}

}  // namespace fuseq::cpu
