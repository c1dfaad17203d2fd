// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/strided_copy.hpp"

#include <array>
#include <cstddef>
#include <cstring>

#include "fuseq/error.hpp"

namespace fuseq {
namespace {

// Visits the rows (runs along the last dimension) of the view in row-major order:
// row(first element of the view, position in the dense tensor).
template <class Row>
void for_each_row(const Shape& shape, const StridedView& view, Row row) {
    if (shape_size(shape) == 0) {
        return;
    }
    const std::size_t outer = shape.empty() ? 0 : shape.size() - 1;
    const std::size_t length = shape.empty() ? 1 : shape.back();
    const std::size_t rows = shape_size(shape) / length;
    std::vector<std::size_t> index(outer, 0);
    std::int64_t at = view.offset;
    for (std::size_t r = 0; r < rows; ++r) {
        row(at, r * length);
        for (std::size_t d = outer; d-- > 0;) {
            at += view.strides[d];
            if (++index[d] < shape[d]) {
                break;
            }
            at -= view.strides[d] * static_cast<std::int64_t>(shape[d]);
            index[d] = 0;
        }
    }
}

template <std::size_t kBytes>
void gather(const std::byte* src, const StridedView& view, const Shape& shape, std::byte* dst) {
    const std::size_t length = shape.empty() ? 1 : shape.back();
    const std::int64_t step = shape.empty() ? 1 : view.strides.back();
    for_each_row(shape, view, [&](std::int64_t at, std::size_t to) {
        if (step == 1) {
            std::memcpy(dst + to * kBytes, src + at * std::int64_t{kBytes}, length * kBytes);
            return;
        }
        for (std::size_t i = 0; i < length; ++i, at += step) {
            std::memcpy(dst + (to + i) * kBytes, src + at * std::int64_t{kBytes}, kBytes);
        }
    });
}

template <std::size_t kBytes>
void scatter(const std::byte* src, const Shape& shape, std::byte* dst, const StridedView& view) {
    const std::size_t length = shape.empty() ? 1 : shape.back();
    const std::int64_t step = shape.empty() ? 1 : view.strides.back();
    for_each_row(shape, view, [&](std::int64_t at, std::size_t from) {
        for (std::size_t i = 0; i < length; ++i, at += step) {
            std::memcpy(dst + at * std::int64_t{kBytes}, src + (from + i) * kBytes, kBytes);
        }
    });
}

template <class Function>
void by_size(std::size_t bytes, Function function) {
    switch (bytes) {
        case 1: return function(std::integral_constant<std::size_t, 1>{});
        case 2: return function(std::integral_constant<std::size_t, 2>{});
        case 4: return function(std::integral_constant<std::size_t, 4>{});
        case 8: return function(std::integral_constant<std::size_t, 8>{});
        default: throw Error("tensor", "element type is undefined");
    }
}

}  // namespace

std::vector<std::int64_t> dense_strides(const Shape& shape) {
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t d = shape.size(); d-- > 1;) {
        strides[d - 1] = strides[d] * static_cast<std::int64_t>(shape[d]);
    }
    return strides;
}

void copy_from_view(const Tensor& src, const StridedView& view, Tensor& dst) {
    by_size(size_of(src.get_element_type()), [&](auto bytes) {
        gather<bytes>(static_cast<const std::byte*>(src.data()), view, dst.get_shape(),
                      static_cast<std::byte*>(dst.data()));
    });
}

void copy_to_view(const Tensor& src, Tensor& dst, const StridedView& view) {
    by_size(size_of(src.get_element_type()), [&](auto bytes) {
        scatter<bytes>(static_cast<const std::byte*>(src.data()), src.get_shape(),
                       static_cast<std::byte*>(dst.data()), view);
    });
}

void copy_transposed(const Tensor& src, const std::vector<std::size_t>& order, Tensor& dst) {
    const std::vector<std::int64_t> strides = dense_strides(src.get_shape());
    StridedView view;
    for (const std::size_t d : order) {
        view.strides.push_back(strides[d]);
    }
    copy_from_view(src, view, dst);
}

}  // namespace fuseq
