// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A row of dst in two passes over tiles that stay in the first cache: the maximum of the source
// rows, a vector of whatever channels and columns lie side by side; then the maximum of columns.
#include "cpu/kernels/pool/max_pool.hpp"

#include <algorithm>
#include <limits>

#include <fmt/core.h>

#include "fuseq/error.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/pool/max_pool.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/common/exact-inl.h"

#ifndef FUSEQ_KERNELS_MAX_POOL_ONCE
#define FUSEQ_KERNELS_MAX_POOL_ONCE
namespace fuseq::kernels {
namespace {

constexpr std::size_t kTileBytes = 16 * 1024;

std::size_t extent_of(const MaxPoolAxis& axis) {
    return (axis.kernel - 1) * axis.dilation + 1;
}

template <class T>
constexpr T min() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
}

}  // namespace
}  // namespace fuseq::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

constexpr std::size_t kMaxTaps = 16;  // of one pass; more are taken in several passes

// Maxima of `count` runs of n elements. `to` may be one of the runs.
template <std::size_t Count, class T>
HWY_INLINE void max_of(const T* const* runs, std::size_t count, std::size_t n, T* to) {
    const hn::ScalableTag<T> d;
    const std::size_t taps = Count == 0 ? count : Count;
    const auto at = [&](auto tag, std::size_t i) HWY_ATTR {
        auto best = hn::LoadU(tag, runs[0] + i);
        for (std::size_t k = 1; k < taps; ++k) {
            best = hn::Max(best, hn::LoadU(tag, runs[k] + i));
        }
        hn::StoreU(best, tag, to + i);
    };
    std::size_t i = 0;
    for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
        at(d, i);
    }
    if (i < n && n >= hn::Lanes(d)) {
        at(d, n - hn::Lanes(d));
        return;
    }
    const hn::FixedTag<T, 1> one;
    for (; i < n; ++i) {
        at(one, i);
    }
}

template <class T>
void max_of_runs(const T* const* runs, std::size_t count, std::size_t n, T* to) {
    switch (count) {
        case 1: return max_of<1>(runs, 1, n, to);
        case 2: return max_of<2>(runs, 2, n, to);
        case 3: return max_of<3>(runs, 3, n, to);
        default: return max_of<0>(runs, count, n, to);
    }
}

// Collects runs and flushes them when there are too many.
template <class T>
class Maxima {
public:
    Maxima(std::size_t n, T* to) : n_(n), to_(to) {}
    void add(const T* run) {
        if (count_ == kMaxTaps) {
            flush();
        }
        runs_[count_++] = run;
    }
    void flush() {
        max_of_runs(runs_, count_, n_, to_);
        runs_[0] = to_;
        count_ = 1;
    }
    bool empty() const { return count_ == 0; }

private:
    std::size_t n_;
    T* to_;
    const T* runs_[kMaxTaps];
    std::size_t count_ = 0;
};

// Taps of one window that lie inside of src: positions first, first + dilation, ..., count of them.
struct Taps {
    std::size_t first;
    std::size_t count;
};

HWY_INLINE Taps taps_of(const MaxPoolAxis& a, std::size_t window) {
    const std::size_t start = window * a.stride;  // pad further on than in src
    const std::size_t skipped = start >= a.pad ? 0 : (a.pad - start + a.dilation - 1) / a.dilation;
    const std::size_t end = a.src + a.pad;
    const std::size_t below = start >= end ? 0 : (end - start + a.dilation - 1) / a.dilation;
    const std::size_t last = std::min(below, a.kernel);
    if (skipped >= last) {
        return {0, 0};
    }
    return {start + skipped * a.dilation - a.pad, last - skipped};
}

// Columns of src and channels that a tile holds.
struct Part {
    std::ptrdiff_t first_column;
    std::size_t columns;
    std::size_t channel;
    std::size_t channels;
};

template <class T>
class RowPool {
public:
    RowPool(const MaxPoolParams& p, const void* src, void* dst)
        : p_(p),
          src_(static_cast<const T*>(src)),
          dst_(static_cast<T*>(dst)),
          src_stride_(p.src_pixel_stride == 0 ? p.channels : p.src_pixel_stride),
          dst_stride_(p.dst_pixel_stride == 0 ? p.channels : p.dst_pixel_stride) {
        const std::size_t elements = kTileBytes / sizeof(T);
        const std::size_t extent = extent_of(p.width);
        chunk_ = std::min(p.channels, elements / extent);
        const std::size_t line = 64 / sizeof(T);
        if (chunk_ < p.channels && chunk_ > line) {
            chunk_ = chunk_ / line * line;
        }
        outputs_ = (elements / chunk_ - extent) / p.width.stride + 1;
    }

    void run(std::size_t row) {
        const std::size_t y = row % p_.height.dst;
        const std::size_t z = row / p_.height.dst % p_.depth.dst;
        image_ = row / p_.height.dst / p_.depth.dst;
        planes_ = taps_of(p_.depth, z);
        rows_ = taps_of(p_.height, y);
        for (std::size_t x = 0; x < p_.width.dst; x += outputs_) {
            const std::size_t count = std::min(outputs_, p_.width.dst - x);
            for (std::size_t c = 0; c < p_.channels; c += chunk_) {
                const Part part{static_cast<std::ptrdiff_t>(x * p_.width.stride) -
                                    static_cast<std::ptrdiff_t>(p_.width.pad),
                                (count - 1) * p_.width.stride + extent_of(p_.width), c,
                                std::min(chunk_, p_.channels - c)};
                fill(part);
                reduce(part, dst_ + (row * p_.width.dst + x) * dst_stride_ + c, count);
            }
        }
    }

private:
    // The maxima of the source rows, column by column; the lowest value where there are none.
    void fill(const Part& part) {
        const auto width = static_cast<std::ptrdiff_t>(p_.width.src);
        const auto end = part.first_column + static_cast<std::ptrdiff_t>(part.columns);
        const std::ptrdiff_t first = std::clamp<std::ptrdiff_t>(part.first_column, 0, width);
        const std::ptrdiff_t last = std::clamp<std::ptrdiff_t>(end, first, width);
        const bool nothing = planes_.count == 0 || rows_.count == 0;
        const std::ptrdiff_t inside = nothing ? 0 : last - first;
        T* to = tile_ + static_cast<std::size_t>(first - part.first_column) * part.channels;
        if (inside == 0) {
            to = tile_;
        }
        std::fill(tile_, to, min<T>());
        T* const filled_to = to + static_cast<std::size_t>(inside) * part.channels;
        std::fill(filled_to, tile_ + part.columns * part.channels, min<T>());
        if (inside == 0) {
            return;
        }
        const bool dense = part.channels == src_stride_;
        const std::size_t runs = dense ? 1 : static_cast<std::size_t>(inside);
        const std::size_t run_length =
            dense ? static_cast<std::size_t>(inside) * part.channels : part.channels;
        for (std::size_t r = 0; r < runs; ++r, to += run_length) {
            max_rows(static_cast<std::size_t>(first) + r, part.channel, run_length, to);
        }
    }

    void max_rows(std::size_t column, std::size_t channel, std::size_t n, T* to) const {
        Maxima<T> maxima(n, to);
        for (std::size_t d = 0; d < planes_.count; ++d) {
            const std::size_t z = planes_.first + d * p_.depth.dilation;
            for (std::size_t r = 0; r < rows_.count; ++r) {
                const std::size_t y = rows_.first + r * p_.height.dilation;
                const std::size_t row = (image_ * p_.depth.src + z) * p_.height.src + y;
                maxima.add(src_ + (row * p_.width.src + column) * src_stride_ + channel);
            }
        }
        maxima.flush();
    }

    void reduce(const Part& part, T* to, std::size_t count) const {
        const std::size_t step = p_.width.dilation * part.channels;
        if (p_.width.stride == 1 && dst_stride_ == part.channels) {
            Maxima<T> maxima(count * part.channels, to);
            for (std::size_t k = 0; k < p_.width.kernel; ++k) {
                maxima.add(tile_ + k * step);
            }
            maxima.flush();
            return;
        }
        const std::size_t bytes = part.channels * sizeof(T);
        // Branches are the same where a target has no wider vectors.
        if (HWY_MAX_BYTES >= 64 && bytes >= 64) {  // NOLINT(bugprone-branch-clone)
            reduce_with<HWY_MIN(HWY_MAX_BYTES, 64)>(part, to, count);
        } else if (HWY_MAX_BYTES >= 32 && bytes >= 32) {
            reduce_with<HWY_MIN(HWY_MAX_BYTES, 32)>(part, to, count);
        } else if (bytes >= 16) {
            reduce_with<16>(part, to, count);
        } else {
            reduce_with<sizeof(T)>(part, to, count);
        }
    }

    template <std::size_t Bytes>
    void reduce_with(const Part& part, T* to, std::size_t count) const {
        switch (p_.width.kernel) {
            case 2: return reduce_columns<Bytes, 2>(part, to, count);
            case 3: return reduce_columns<Bytes, 3>(part, to, count);
            default: return reduce_columns<Bytes, 0>(part, to, count);
        }
    }

    // The last vector of the channels is moved back to end with them.
    template <std::size_t Bytes, std::size_t Kernel>
    void reduce_columns(const Part& part, T* to, std::size_t count) const {
        const hn::FixedTag<T, Bytes / sizeof(T)> d;
        const std::size_t lanes = Bytes / sizeof(T);
        const std::size_t kernel = Kernel == 0 ? p_.width.kernel : Kernel;
        const std::size_t step = p_.width.dilation * part.channels;
        const std::size_t next = p_.width.stride * part.channels;
        const T* from = tile_;
        for (std::size_t x = 0; x < count; ++x, from += next, to += dst_stride_) {
            const auto at = [&](std::size_t c) HWY_ATTR {
                auto best = hn::LoadU(d, from + c);
                for (std::size_t k = 1; k < kernel; ++k) {
                    best = hn::Max(best, hn::LoadU(d, from + k * step + c));
                }
                hn::StoreU(best, d, to + c);
            };
            for (std::size_t c = 0; c + lanes < part.channels; c += lanes) {
                at(c);
            }
            at(part.channels - lanes);
        }
    }

    const MaxPoolParams& p_;
    const T* src_;
    T* dst_;
    std::size_t src_stride_;
    std::size_t dst_stride_;
    std::size_t chunk_;    // channels of a tile
    std::size_t outputs_;  // columns of dst of a tile
    std::size_t image_ = 0;
    Taps planes_{};
    Taps rows_{};
    HWY_ALIGN T tile_[kTileBytes / sizeof(T)];
};

template <class T>
void pool(const MaxPoolParams& p, const void* src, void* dst, Range rows) {
    RowPool<T> pool(p, src, dst);
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
        pool.run(row);
    }
}

void max_pool_impl(const MaxPoolParams& p, const void* src, void* dst, Range rows) {
    switch (p.type) {
        case ElementType::u8: return pool<std::uint8_t>(p, src, dst, rows);
        case ElementType::i8: return pool<std::int8_t>(p, src, dst, rows);
        default: return pool<float>(p, src, dst, rows);
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(max_pool_impl);

namespace {

void check_axis(const MaxPoolAxis& axis) {
    constexpr std::size_t kLargest = std::size_t{1} << 31;
    for (const std::size_t size :
         {axis.src, axis.dst, axis.kernel, axis.stride, axis.dilation, axis.pad + 1}) {
        if (size == 0 || size > kLargest) {
            throw Error("compile", fmt::format("max pool kernel: a size of {}", size));
        }
    }
}

}  // namespace

void check_max_pool(const MaxPoolParams& p) {
    if (p.type != ElementType::u8 && p.type != ElementType::i8 && p.type != ElementType::f32) {
        throw Error("compile",
                    "max pool kernel: " + to_string(p.type) + ", expected u8, i8 or f32");
    }
    for (const MaxPoolAxis* axis : {&p.depth, &p.height, &p.width}) {
        check_axis(*axis);
    }
    const std::size_t widest = kTileBytes / size_of(p.type);
    if (extent_of(p.width) > widest) {
        throw Error("compile",
                    fmt::format("max pool kernel: windows of {} columns, at most {} are possible",
                                extent_of(p.width), widest));
    }
    if (p.batch == 0 || p.channels == 0 ||
        (p.src_pixel_stride != 0 && p.src_pixel_stride < p.channels) ||
        (p.dst_pixel_stride != 0 && p.dst_pixel_stride < p.channels)) {
        throw Error("compile",
                    fmt::format("max pool kernel: {} images of {} channels, pixel strides {}, {}",
                                p.batch, p.channels, p.src_pixel_stride, p.dst_pixel_stride));
    }
}

void max_pool(const MaxPoolParams& params, const void* src, void* dst, Range rows) {
    HWY_DYNAMIC_DISPATCH(max_pool_impl)(params, src, dst, rows);
}

}  // namespace fuseq::kernels
#endif  // HWY_ONCE
