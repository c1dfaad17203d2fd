// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Depthwise convolution of any kernel on any target: taps in pairs, widened to 16 bits, whose
// products are added in 32 bits. One output pixel at a time.
#include <algorithm>

#include "cpu/kernels/depthwise/depthwise_conv_detail.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/depthwise/depthwise_conv_portable.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/depthwise/depthwise_conv_portable-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels::depthwise {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <std::size_t N, bool Signed>
void run_pixel(const Packed& packed,
               const Block& block,
               const std::uint8_t* const* taps,
               std::uint8_t* dst) {
    const hn::FixedTag<std::int16_t, N> d16;
    const hn::FixedTag<std::int32_t, N / 2> d32;
    const hn::FixedTag<float, N / 2> df;
    const std::size_t count = packed.shape.kernel_height * packed.shape.kernel_width;
    auto lower = hn::Load(d32, block.init);
    auto upper = hn::Load(d32, block.init + N / 2);
    auto unused = hn::Zero(d32);
    const auto* wei = reinterpret_cast<const std::int16_t*>(block.wei);
    for (std::size_t t = 0; t < count; t += 2, wei += 2 * N) {
        const auto a = load_tap<N, Signed>(taps[t], block.channels);
        const auto b = load_tap<N, Signed>(taps[std::min(t + 1, count - 1)], block.channels);
        lower = hn::ReorderWidenMulAccumulate(d32, hn::InterleaveLower(d16, a, b),
                                              hn::Load(d16, wei), lower, unused);
        upper = hn::ReorderWidenMulAccumulate(d32, hn::InterleaveUpper(d16, a, b),
                                              hn::Load(d16, wei + N), upper, unused);
    }
    const Epilogue& e = packed.epilogue;
    const auto low = finish_value(df, e, block, 0, hn::ConvertTo(df, lower));
    const auto high = finish_value(df, e, block, N / 2, hn::ConvertTo(df, upper));
    store_block<N>(e.store, block.channels, low, high, dst);
}

template <std::size_t N, bool Signed>
void run_rows(
    const Packed& packed, const std::uint8_t* src, std::uint8_t* dst, Range rows, Range blocks) {
    const DepthwiseShape& s = packed.shape;
    const std::size_t element = dst_size(packed.epilogue.store);
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
        const std::size_t image = row / s.dst_height;
        const std::size_t y = row % s.dst_height;
        for (std::size_t x = 0; x < s.dst_width; ++x) {
            const std::uint8_t* taps[kMaxTaps];
            const std::size_t count = s.kernel_height * s.kernel_width;
            std::size_t channel = packed.blocks[blocks.begin].first_channel;
            collect_taps(packed, src, image, y, x, channel, taps);
            std::uint8_t* pixel = dst + (row * s.dst_width + x) * s.dst_pixel_stride * element;
            for (std::size_t b = blocks.begin; b < blocks.end; ++b) {
                const Block& block = packed.blocks[b];
                for (std::size_t t = 0; t < count; ++t) {
                    taps[t] += block.first_channel - channel;
                }
                channel = block.first_channel;
                run_pixel<N, Signed>(packed, block, taps, pixel + channel * element);
            }
        }
    }
}

template <std::size_t N, bool Signed>
struct Pixels {
    static constexpr RunFunction kRun = &run_rows<N, Signed>;
};

PortableRun choose(std::size_t channels, bool is_signed) {
    return choose_block<Pixels>(channels, is_signed);
}

}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels::depthwise
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels::depthwise {

HWY_EXPORT(choose);

namespace {

// Pairs of taps.
Order pair_order(const DepthwiseShape& s, std::size_t block_channels, std::size_t channels) {
    Order order;
    order.bytes_per_tap = 2;
    order.slots = interleaved_slots(block_channels, channels);
    const std::size_t count = s.kernel_height * s.kernel_width;
    for (std::size_t t = 0; t < count; t += 2) {
        Taps taps(2);
        for (std::size_t i = 0; i < 2 && t + i < count; ++i) {
            taps[i] = {static_cast<std::ptrdiff_t>((t + i) / s.kernel_width),
                       static_cast<std::ptrdiff_t>((t + i) % s.kernel_width)};
        }
        order.entries.push_back({std::move(taps)});
    }
    return order;
}

}  // namespace

// Of 16-bit integers.
std::vector<std::ptrdiff_t> interleaved_slots(std::size_t block_channels, std::size_t channels) {
    std::vector<std::ptrdiff_t> slots;
    for (std::size_t half = 0; half < 2; ++half) {
        for (std::size_t i = 0; i < block_channels / 2; ++i) {
            const std::size_t channel = i / 4 * 8 + half * 4 + i % 4;
            slots.push_back(channel < channels ? static_cast<std::ptrdiff_t>(channel) : -1);
        }
    }
    return slots;
}

std::vector<Entry> rows_together(const DepthwiseShape& shape, std::size_t together) {
    std::vector<Entry> entries;
    const auto height = static_cast<std::ptrdiff_t>(shape.kernel_height);
    for (std::size_t row = 0; row < rows_at_once(shape); ++row) {
        for (std::size_t first = 0; first < source_rows(shape); first += together) {
            for (std::size_t column = 0; column < shape.kernel_width; ++column) {
                Taps taps(together);
                for (std::size_t i = 0; i < together; ++i) {
                    const auto tap =
                        static_cast<std::ptrdiff_t>(first + i) - static_cast<std::ptrdiff_t>(row);
                    if (tap >= 0 && tap < height) {
                        taps[i] = {tap, static_cast<std::ptrdiff_t>(column)};
                    }
                }
                entries.push_back({std::move(taps)});
            }
        }
    }
    return entries;
}

Path portable_path(const DepthwiseShape& shape, bool src_signed) {
    const PortableRun chosen = HWY_DYNAMIC_DISPATCH(choose)(shape.src_channels, src_signed);
    Path path;
    path.run = chosen.run;
    path.name = std::string("dw_portable:") + chosen.target;
    path.block_channels = chosen.block_channels;
    path.max_alone = 0;
    path.order = pair_order;
    return path;
}

}  // namespace fuseq::kernels::depthwise
#endif  // HWY_ONCE
