// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/resize/resize.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/resize/resize.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/common/exact-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

// One output row: the two source rows it reads.
template <class Src, class Dst>
struct Line {
    const Src* top;
    const Src* bottom;
    float weight;
    Dst* dst;
    std::size_t src_stride;
    std::size_t dst_stride;
};

HWY_INLINE void copy_pixel(const std::uint8_t* src, std::uint8_t* dst, std::size_t bytes) {
    if (bytes < 16) {
        for (std::size_t i = 0; i < bytes; ++i) {
            dst[i] = src[i];
        }
    } else if (HWY_MAX_BYTES >= 32 && bytes >= 32) {
        copy_vectors<HWY_MIN(HWY_MAX_BYTES, 32)>(src, dst, bytes);
    } else {
        copy_vectors<16>(src, dst, bytes);
    }
}

template <class Src, class Dst>
void nearest_line(const ResizeParams& p, const Line<Src, Dst>& line) {
    const bool same = std::is_same_v<Src, Dst> && p.scale == 1.0f && p.shift == 0.0f;
    const std::size_t width = p.columns.low.size();
    for (std::size_t x = 0; x < width; ++x) {
        const Src* src = line.top + p.columns.low[x] * line.src_stride;
        Dst* dst = line.dst + x * line.dst_stride;
        if (same) {
            copy_pixel(reinterpret_cast<const std::uint8_t*>(src),
                       reinterpret_cast<std::uint8_t*>(dst), p.channels * sizeof(Dst));
            continue;
        }
        map_elements(p.channels, dst, [&](auto d, std::size_t c) HWY_ATTR {
            const auto v = load_float(d, src + c);
            return fused_mul_add(d, v, hn::Set(d, p.scale), hn::Set(d, p.shift));
        });
    }
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V between(D d, V low, V high, V weight) {
    return fused_mul_add(d, hn::Sub(high, low), weight, low);
}

// A vector of channels at a time along the row: each source column is blended vertically once.
// write(x, v) gets the channels from `c` on of pixel x.
template <class D, class Src, class Dst, class Write>
HWY_INLINE void linear_channels(D d,
                                const ResizeParams& p,
                                const Line<Src, Dst>& line,
                                Range columns,
                                std::size_t c,
                                const Write& write) {
    const auto wy = hn::Set(d, line.weight);
    const auto column = [&](std::size_t x) HWY_ATTR {
        const std::size_t at = x * line.src_stride + c;
        return between(d, load_float(d, line.top + at), load_float(d, line.bottom + at), wy);
    };
    std::size_t low_x = p.columns.low[columns.begin];
    std::size_t high_x = p.columns.high[columns.begin];
    auto low = column(low_x);
    auto high = column(high_x);
    for (std::size_t x = columns.begin; x < columns.end; ++x) {
        if (p.columns.low[x] != low_x) {
            low = p.columns.low[x] == high_x ? high : column(p.columns.low[x]);
            low_x = p.columns.low[x];
        }
        if (p.columns.high[x] != high_x) {
            high_x = p.columns.high[x];
            high = column(high_x);
        }
        write(x, between(d, low, high, hn::Set(d, p.columns.weight[x])));
    }
}

template <class Src, class Dst>
void linear_line(const ResizeParams& p, const Line<Src, Dst>& line) {
    for_vectors(p.channels, [&](auto d, std::size_t c) HWY_ATTR {
        const auto scale = hn::Set(d, p.scale);
        const auto shift = hn::Set(d, p.shift);
        const auto write = [&](std::size_t x, auto v) HWY_ATTR {
            store_float(d, fused_mul_add(d, v, scale, shift), line.dst + x * line.dst_stride + c);
        };
        linear_channels(d, p, line, {0, p.columns.low.size()}, c, write);
    });
}

template <class Src, class Dst>
void resize_rows(const ResizeParams& p, const void* src_data, void* dst_data, Range rows) {
    const std::size_t src_stride = p.src_pixel_stride == 0 ? p.channels : p.src_pixel_stride;
    const std::size_t dst_stride = p.dst_pixel_stride == 0 ? p.channels : p.dst_pixel_stride;
    const std::size_t height = p.rows.low.size();
    const bool linear = !p.rows.high.empty();
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
        const std::size_t y = row % height;
        const auto line_at = [&](std::size_t at) {
            return static_cast<const Src*>(src_data) +
                   (row / height * p.src_height + at) * p.src_width * src_stride;
        };
        Dst* dst = static_cast<Dst*>(dst_data) + row * p.columns.low.size() * dst_stride;
        const Src* top = line_at(p.rows.low[y]);
        if (linear) {
            linear_line<Src, Dst>(
                p, {top, line_at(p.rows.high[y]), p.rows.weight[y], dst, src_stride, dst_stride});
        } else {
            nearest_line<Src, Dst>(p, {top, top, 0.0f, dst, src_stride, dst_stride});
        }
    }
}

template <class Src>
void linear_pixels(
    const ResizeParams& p, const Src* src, float* dst, std::size_t row, Range columns) {
    const std::size_t stride = p.src_pixel_stride == 0 ? p.channels : p.src_pixel_stride;
    const std::size_t height = p.rows.low.size();
    const std::size_t y = row % height;
    const auto line_at = [&](std::size_t at) {
        return src + (row / height * p.src_height + at) * p.src_width * stride;
    };
    const Line<Src, float> line{
        line_at(p.rows.low[y]), line_at(p.rows.high[y]), p.rows.weight[y], dst, stride, p.channels};
    for_vectors(p.channels, [&](auto d, std::size_t c) HWY_ATTR {
        const auto write = [&](std::size_t x, auto v) HWY_ATTR {
            store_float(d, v, dst + (x - columns.begin) * p.channels + c);
        };
        linear_channels(d, p, line, columns, c, write);
    });
}

void resize_pixels_impl(
    const ResizeParams& p, const void* src, float* dst, std::size_t row, Range columns) {
    with_element(p.src_type, [&](auto from) {
        linear_pixels(p, static_cast<const decltype(from)*>(src), dst, row, columns);
    });
}

void resize_impl(const ResizeParams& p, const void* src, void* dst, Range rows) {
    with_element(p.src_type, [&](auto from) {
        with_element(p.dst_type, [&](auto to) {
            resize_rows<decltype(from), decltype(to)>(p, src, dst, rows);
        });
    });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(resize_impl);
HWY_EXPORT(resize_pixels_impl);

void resize(const ResizeParams& params, const void* src, void* dst, Range rows) {
    HWY_DYNAMIC_DISPATCH(resize_impl)(params, src, dst, rows);
}

void resize_pixels(
    const ResizeParams& params, const void* src, float* dst, std::size_t row, Range columns) {
    HWY_DYNAMIC_DISPATCH(resize_pixels_impl)(params, src, dst, row, columns);
}

}  // namespace fuseq::kernels
#endif  // HWY_ONCE
