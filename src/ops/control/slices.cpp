// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/control/slices.hpp"

#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>

#include <fmt/core.h>

namespace fuseq {
namespace {

std::size_t product(const Shape& shape, std::size_t from, std::size_t to) {
    return std::accumulate(shape.begin() + static_cast<std::ptrdiff_t>(from),
                           shape.begin() + static_cast<std::ptrdiff_t>(to), std::size_t{1},
                           std::multiplies<>());
}

const std::byte* bytes(const Tensor& tensor) {
    return static_cast<const std::byte*>(tensor.data());
}

}  // namespace

std::optional<Slices> plan_slices(const PortMapRow& row, std::int64_t size, std::string& why) {
    // In this order there is no overflow, whatever the file says.
    const auto position = [&](std::int64_t value) {
        return value < 0 ? size + (value + 1) : value;
    };
    const std::int64_t low = position(row.stride < 0 ? row.end : row.start);
    const std::int64_t high = position(row.stride < 0 ? row.start : row.end);
    if (low < 0 || high > size || low > high ||
        row.stride == std::numeric_limits<std::int64_t>::min()) {
        why = fmt::format("start {}, end {}, stride {} do not fit an axis of {}", row.start,
                          row.end, row.stride, size);
        return std::nullopt;
    }
    const std::int64_t step = std::abs(row.stride);
    const std::int64_t count = (high - low) / step;
    if ((high - low) % step != 0 ||
        (count > 0 && row.part_size > size - (low + (count - 1) * step))) {
        why =
            fmt::format("an axis of {} cannot be cut by start {}, end {}, stride {}, part_size {}",
                        size, row.start, row.end, row.stride, row.part_size);
        return std::nullopt;
    }
    if (row.stride < 0) {
        return Slices{low + (count - 1) * step, -step, count};
    }
    return Slices{low, step, count};
}

Tensor cut(const Tensor& tensor, std::size_t axis, std::size_t begin, std::size_t length) {
    Shape shape = tensor.get_shape();
    const std::size_t outer = product(shape, 0, axis);
    const std::size_t inner =
        product(shape, axis + 1, shape.size()) * size_of(tensor.get_element_type());
    const std::size_t size = shape[axis];
    shape[axis] = length;
    Tensor part(tensor.get_element_type(), shape);
    auto* to = static_cast<std::byte*>(part.data());
    for (std::size_t i = 0; part.get_size() > 0 && i < outer; ++i) {
        std::memcpy(to + i * length * inner, bytes(tensor) + (i * size + begin) * inner,
                    length * inner);
    }
    return part;
}

void join(const std::vector<Tensor>& parts, std::size_t axis, Tensor& out) {
    const Shape& shape = out.get_shape();
    const std::size_t outer = product(shape, 0, axis);
    const std::size_t inner =
        product(shape, axis + 1, shape.size()) * size_of(out.get_element_type());
    auto* to = static_cast<std::byte*>(out.data());
    std::size_t begin = 0;
    for (const Tensor& part : parts) {
        const std::size_t length = part.get_shape()[axis];
        for (std::size_t i = 0; part.get_size() > 0 && i < outer; ++i) {
            std::memcpy(to + (i * shape[axis] + begin) * inner, bytes(part) + i * length * inner,
                        length * inner);
        }
        begin += length;
    }
}

}  // namespace fuseq
