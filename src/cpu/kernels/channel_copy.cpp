// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/channel_copy.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/channel_copy.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/exact-inl.h"

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

void copy_channels_impl(std::span<const ChannelCopy> copies, Range pixels) {
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
