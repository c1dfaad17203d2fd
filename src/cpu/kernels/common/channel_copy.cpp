// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/common/channel_copy.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/common/channel_copy.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/common/exact-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

struct Run {
    const std::uint8_t* src;
    std::uint8_t* dst;
    std::size_t src_stride;
    std::size_t dst_stride;
    std::size_t bytes;
    std::size_t pixels;
};

// A run of a length known to the compiler.
template <std::size_t Bytes>
void copy_fixed(const Run& run) {
    for (std::size_t p = 0; p < run.pixels; ++p) {
        std::memcpy(run.dst + p * run.dst_stride, run.src + p * run.src_stride, Bytes);
    }
}

template <std::size_t N>
void copy_pixels(const Run& run) {
    for (std::size_t p = 0; p < run.pixels; ++p) {
        copy_vectors<N>(run.src + p * run.src_stride, run.dst + p * run.dst_stride, run.bytes);
    }
}

void copy_few(const Run& run) {
    switch (run.bytes) {
        case 0: return;
        case 1: return copy_fixed<1>(run);
        case 2: return copy_fixed<2>(run);
        case 3: return copy_fixed<3>(run);
        case 4: return copy_fixed<4>(run);
        default: return run.bytes < 8 ? copy_pixels<4>(run) : copy_pixels<8>(run);
    }
}

void copy_run(const Run& run) {
    if (run.src_stride == run.bytes && run.dst_stride == run.bytes) {
        std::memcpy(run.dst, run.src, run.bytes * run.pixels);
    } else if (run.bytes < 16) {
        copy_few(run);
    } else if (HWY_MAX_BYTES >= 64 && run.bytes >= 64) {
        copy_pixels<HWY_MIN(HWY_MAX_BYTES, 64)>(run);
    } else if (HWY_MAX_BYTES >= 32 && run.bytes >= 32) {
        copy_pixels<HWY_MIN(HWY_MAX_BYTES, 32)>(run);
    } else {
        copy_pixels<16>(run);
    }
}

constexpr std::size_t kVector = HWY_MIN(HWY_MAX_BYTES, 64);
constexpr std::size_t kHalf = HWY_MIN(HWY_MAX_BYTES, 32);

// The pixels of two copies in turn: a pixel of dst is complete when its cache lines are left.
template <std::size_t First, std::size_t Second>
void copy_two(const ChannelCopy& first, const ChannelCopy& second, Range pixels) {
    const auto at = [](const ChannelCopy& copy, std::size_t pixel) {
        return std::pair{static_cast<const std::uint8_t*>(copy.src) + pixel * copy.src_stride,
                         static_cast<std::uint8_t*>(copy.dst) + pixel * copy.dst_stride};
    };
    auto [first_src, first_dst] = at(first, pixels.begin);
    auto [second_src, second_dst] = at(second, pixels.begin);
    for (std::size_t p = pixels.begin; p < pixels.end; ++p) {
        copy_vectors<First>(first_src, first_dst, first.bytes);
        copy_vectors<Second>(second_src, second_dst, second.bytes);
        first_src += first.src_stride;
        first_dst += first.dst_stride;
        second_src += second.src_stride;
        second_dst += second.dst_stride;
    }
}

template <std::size_t First>
void copy_two(const ChannelCopy& first, const ChannelCopy& second, Range pixels) {
    if (second.bytes >= kVector) {
        copy_two<First, kVector>(first, second, pixels);
    } else if (second.bytes >= kHalf) {
        copy_two<First, kHalf>(first, second, pixels);
    } else {
        copy_two<First, 16>(first, second, pixels);
    }
}

void copy_two(const ChannelCopy& first, const ChannelCopy& second, Range pixels) {
    if (first.bytes >= kVector) {
        copy_two<kVector>(first, second, pixels);
    } else if (first.bytes >= kHalf) {
        copy_two<kHalf>(first, second, pixels);
    } else {
        copy_two<16>(first, second, pixels);
    }
}

void copy_channels_impl(std::span<const ChannelCopy> copies, Range pixels) {
    if (copies.size() == 2 && copies[0].bytes >= 16 && copies[1].bytes >= 16) {
        copy_two(copies[0], copies[1], pixels);
        return;
    }
    // The copies take turns on few pixels at a time, while the lines they share are in the cache.
    constexpr std::size_t kCacheBytes = 16 * 1024;
    std::size_t widest = 1;
    for (const ChannelCopy& copy : copies) {
        widest = std::max({widest, copy.src_stride, copy.dst_stride});
    }
    const std::size_t step = std::max<std::size_t>(kCacheBytes / widest, 1);
    for (std::size_t p = pixels.begin; p < pixels.end; p += step) {
        for (const ChannelCopy& copy : copies) {
            copy_run({static_cast<const std::uint8_t*>(copy.src) + p * copy.src_stride,
                      static_cast<std::uint8_t*>(copy.dst) + p * copy.dst_stride, copy.src_stride,
                      copy.dst_stride, copy.bytes, std::min(step, pixels.end - p)});
        }
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(copy_channels_impl);

void copy_channels(std::span<const ChannelCopy> copies, Range pixels) {
    HWY_DYNAMIC_DISPATCH(copy_channels_impl)(copies, pixels);
}

}  // namespace fuseq::kernels
#endif  // HWY_ONCE
