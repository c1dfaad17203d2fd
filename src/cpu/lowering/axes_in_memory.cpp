// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/lowering/axes_in_memory.hpp"

#include "cpu/steps/dnnl_support.hpp"
#include "ops/axes.hpp"

namespace fuseq::cpu {

std::optional<AxesInMemory> axes_in_memory(const Shape& dims,
                                           Layout layout,
                                           const std::vector<bool>& along) {
    if (layout == Layout::kChannelsLast && dims.size() < 2) {
        return std::nullopt;
    }
    AxesInMemory axes;
    bool met = false;
    for (const std::size_t d : memory_order(dims.size(), layout)) {
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
        along.at(wrapped_axis(axis, rank)) = true;
    }
    return along;
}

bool keeps_channels(const Node& node) {
    if (node.input(0).partial_shape().is_dynamic() || node.port().shape.is_dynamic()) {
        return false;
    }
    const Shape src = node.input(0).shape();
    const Shape dst = node.port().shape.to_shape();
    return src.size() >= 3 && dst.size() >= 3 && src[0] == dst[0] && src[1] == dst[1];
}

}  // namespace fuseq::cpu
