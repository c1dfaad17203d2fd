// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/wide_filter.hpp"

#include <algorithm>

#include "cpu/threading/parallel.hpp"

namespace fuseq::cpu {
namespace {

template <class T>
void copy_less(const void* src, std::size_t count, std::int32_t zero_point, std::int16_t* to) {
    const auto* from = static_cast<const T*>(src);
    for (std::size_t i = 0; i < count; ++i) {
        to[i] = static_cast<std::int16_t>(from[i] - zero_point);
    }
}

template <class T>
void put(void* dst, std::size_t i, std::int64_t value) {
    static_cast<T*>(dst)[i] = static_cast<T>(value);
}

void put(ElementType type, void* dst, std::size_t i, std::int64_t value) {
    switch (type) {
        case ElementType::u8: return put<std::uint8_t>(dst, i, value);
        case ElementType::i8: return put<std::int8_t>(dst, i, value);
        case ElementType::u16: return put<std::uint16_t>(dst, i, value);
        case ElementType::i16: return put<std::int16_t>(dst, i, value);
        default: return put<std::int32_t>(dst, i, value);
    }
}

}  // namespace

// Of one thread; what they hold is used again in its next run.
struct WideFilter::Buffers {
    std::vector<std::int16_t> src;  // some rows, one value more
    std::vector<std::int64_t> sums;
    std::vector<std::int64_t> offsets;  // one a channel
    std::vector<kernels::WideTap> taps;
};

void WideFilter::run(const void* src, void* dst) const {
    parallel_for(p_.batch * p_.lines.size(), 1,
                 [&](std::size_t begin, std::size_t end) { lines(src, dst, begin, end); });
}

void WideFilter::lines(const void* src, void* dst, std::size_t begin, std::size_t end) const {
    thread_local Buffers buffers;
    buffers.sums.resize(kernels::kWidePixels * p_.weights[0].row());
    const std::size_t height = p_.lines.size();
    while (begin < end) {
        const std::size_t image = begin / height;
        const std::size_t first = begin % height;
        const std::size_t last = std::min(height, first + (end - begin));
        image_lines(src, dst, image, first, last, buffers);
        begin += last - first;
    }
}

void WideFilter::image_lines(const void* src,
                             void* dst,
                             std::size_t image,
                             std::size_t begin,
                             std::size_t end,
                             Buffers& buffers) const {
    std::size_t first_row = p_.src_height;
    std::size_t last_row = 0;
    for (std::size_t y = begin; y < end; ++y) {
        for (const WideTouch& touch : p_.lines[y]) {
            first_row = std::min(first_row, touch.src);
            last_row = std::max(last_row, touch.src + 1);
        }
    }
    copy_rows(src, image, std::min(first_row, last_row), last_row, buffers);
    const std::size_t bytes = p_.dst_width * p_.dst_channels * size_of(p_.dst_type);
    for (std::size_t y = begin; y < end; ++y) {
        line(y, first_row, buffers,
             static_cast<std::byte*>(dst) + (image * p_.lines.size() + y) * bytes);
    }
}

void WideFilter::copy_rows(const void* src,
                           std::size_t image,
                           std::size_t begin,
                           std::size_t end,
                           Buffers& buffers) const {
    const std::size_t row = p_.src_width * p_.src_channels;
    const std::size_t count = (end - begin) * row;
    buffers.src.resize(std::max(buffers.src.size(), count + 1));
    const auto* from = static_cast<const std::byte*>(src) +
                       (image * p_.src_height + begin) * row * size_of(p_.src_type);
    const auto copy = p_.src_type == ElementType::u8    ? copy_less<std::uint8_t>
                      : p_.src_type == ElementType::i8  ? copy_less<std::int8_t>
                      : p_.src_type == ElementType::u16 ? copy_less<std::uint16_t>
                                                        : copy_less<std::int16_t>;
    copy(from, count, p_.src_shift, buffers.src.data());
    buffers.src[count] = 0;
}

void WideFilter::line(std::size_t y,
                      std::size_t first_row,
                      Buffers& buffers,
                      void* dst_line) const {
    const std::size_t group_channels = p_.src_channels / p_.groups;
    for (const WideColumns& columns : p_.columns) {
        buffers.taps.clear();
        for (const WideTouch& row : p_.lines[y]) {
            for (const WideTouch& column : columns.touches) {
                const std::size_t pixel = (row.src - first_row) * p_.src_width + column.src;
                buffers.taps.push_back({.src = static_cast<std::ptrdiff_t>(pixel * p_.src_channels),
                                        .wei = row.kernel * p_.kernel_width + column.kernel});
            }
        }
        for (std::size_t group = 0; group < p_.groups; ++group) {
            find_offsets(group, buffers);
            kernels::WideProductCall call{
                .src = buffers.src.data() + group * group_channels,
                .src_step = static_cast<std::ptrdiff_t>(columns.src_step * p_.src_channels),
                .taps = buffers.taps,
                .weights = &p_.weights[group],
                .sums = buffers.sums.data()};
            for (std::size_t i = 0; i < columns.count; i += call.pixels) {
                call.pixels = std::min(kernels::kWidePixels, columns.count - i);
                kernels::wide_product(call);
                call.src += static_cast<std::ptrdiff_t>(call.pixels) * call.src_step;
                for (std::size_t p = 0; p < call.pixels; ++p) {
                    const std::size_t x = columns.first + (i + p) * columns.step;
                    finish(call.sums + p * p_.weights[group].row(), buffers.offsets.data(), group,
                           static_cast<std::byte*>(dst_line) +
                               x * p_.dst_channels * size_of(p_.dst_type));
                }
            }
        }
    }
}

void WideFilter::find_offsets(std::size_t group, Buffers& buffers) const {
    const kernels::WideWeights& weights = p_.weights[group];
    buffers.offsets.assign(weights.row(), 0);
    if (p_.rest_of_zero_point == 0) {
        return;
    }
    for (const kernels::WideTap& tap : buffers.taps) {
        const std::int64_t* sums = weights.tap_sums(tap.wei);
        for (std::size_t c = 0; c < weights.row(); ++c) {
            buffers.offsets[c] -= p_.rest_of_zero_point * sums[c];
        }
    }
}

void WideFilter::finish(const std::int64_t* sums,
                        const std::int64_t* offsets,
                        std::size_t group,
                        void* dst_pixel) const {
    const std::size_t count = p_.dst_channels / p_.groups;
    if (p_.rounding) {
        p_.rounding->run(sums, offsets, group * count, count,
                         static_cast<std::int16_t*>(dst_pixel) + group * count);
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t c = group * count + i;
        std::int64_t value = sums[i] + offsets[i] + (p_.bias.empty() ? 0 : p_.bias[c]);
        if (!p_.scales.empty()) {
            static_cast<float*>(dst_pixel)[c] = static_cast<float>(value) * p_.scales[c];
            continue;
        }
        if (p_.requantize) {
            value = (*p_.requantize)(value, c);
        }
        put(p_.dst_type, dst_pixel, c, std::clamp(value, p_.limits.lowest, p_.limits.highest));
    }
}

}  // namespace fuseq::cpu
