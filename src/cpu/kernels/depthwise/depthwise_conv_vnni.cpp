// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include "cpu/kernels/depthwise/depthwise_conv_vnni-inl.h"
#include "fuseq/error.hpp"

FUSEQ_BEGIN_VNNI

namespace fuseq::kernels::depthwise {
namespace {

// ---- any kernel -----------------------------------------------------------------------------

// One output pixel at a time; taps in groups of four, row by row. tap(t) is the address of tap t,
// also of those that fill the last group, whose weights are zero.
template <bool Full, class Tap>
FUSEQ_INLINE void run_any_pixel(const Packed& packed,
                                Strip& strip,
                                std::ptrdiff_t x,
                                const Tap& tap) {
    const Block& block = *strip.block;
    const std::size_t count = packed.shape.kernel_height * packed.shape.kernel_width;
    Quarters acc;
    begin(acc, block.packed);
    const std::uint8_t* wei = block.packed + kWeights;
    for (std::size_t t = 0; t < count; t += 4, wei += kEntryBytes) {
        Registers<__m512i, 4> row;
        unrolled<4>([&](auto i) FUSEQ_LAMBDA {
            const std::uint8_t* from = tap(t + i());
            const __m512i v =
                Full ? _mm512_loadu_si512(from) : _mm512_maskz_loadu_epi8(strip.load[0], from);
            row[i] = _mm512_xor_si512(v, strip.flip);
        });
        const Quarters data = interleave(row[0], row[1], row[2], row[3]);
        unrolled<kQuarters>([&](auto q) FUSEQ_LAMBDA {
            acc[q] = _mm512_dpbusd_epi32(acc[q], data[q], _mm512_load_si512(wei + 64 * q));
        });
    }
    const std::ptrdiff_t at = x * strip.dst_step;
    if (strip.epilogue->rule) {
        finish<1, Finish::kRule>(strip, block.packed, strip.dst[0], at, acc);
    } else {
        finish<1, Finish::kAny>(strip, block.packed, strip.dst[0], at, acc);
    }
}

// Output positions [begin, end) of an axis whose windows lie inside of src.
Range inner_range(
    std::size_t src, std::size_t dst, std::size_t stride, std::size_t extent, std::ptrdiff_t pad) {
    const auto step = static_cast<std::ptrdiff_t>(stride);
    const std::ptrdiff_t room =
        static_cast<std::ptrdiff_t>(src) + pad - static_cast<std::ptrdiff_t>(extent);
    const auto end = room < 0 ? 0 : std::min(static_cast<std::size_t>(room / step) + 1, dst);
    const auto begin = pad <= 0 ? 0 : static_cast<std::size_t>((pad + step - 1) / step);
    return {std::min(begin, end), end};
}

// Repeats the last tap until groups of four are full.
template <class T>
void fill_group(T (&taps)[kMaxTaps], std::size_t count) {
    for (std::size_t t = count; t % 4 != 0; ++t) {
        taps[t] = taps[count - 1];
    }
}

// A row of output pixels of one block.
void run_any_row(const Packed& packed,
                 Strip& strip,
                 const std::uint8_t* src,
                 const Task& task,
                 const std::ptrdiff_t* offsets) {
    const DepthwiseShape& s = packed.shape;
    const std::size_t channel = strip.block->first_channel;
    const std::size_t height = (s.kernel_height - 1) * s.dilation_height + 1;
    const std::size_t width = (s.kernel_width - 1) * s.dilation_width + 1;
    const Range rows = inner_range(s.src_height, s.dst_height, s.stride_height, height, s.pad_top);
    Range inner = inner_range(s.src_width, s.dst_width, s.stride_width, width, s.pad_left);
    if (task.y < rows.begin || task.y >= rows.end) {
        inner = {0, 0};
    }
    for (std::size_t x = 0; x < s.dst_width; ++x) {
        const auto at = static_cast<std::ptrdiff_t>(x);
        if (x < inner.begin || x >= inner.end) {
            const std::uint8_t* taps[kMaxTaps];
            collect_taps(packed, src, task.image, task.y, x, channel, taps);
            fill_group(taps, s.kernel_height * s.kernel_width);
            run_any_pixel<false>(packed, strip, at, [&](std::size_t t) { return taps[t]; });
            continue;
        }
        const auto y = static_cast<std::ptrdiff_t>(task.y * s.stride_height) - s.pad_top;
        const auto left = static_cast<std::ptrdiff_t>(x * s.stride_width) - s.pad_left;
        const std::uint8_t* first = src_row(packed, src, task.image, y) +
                                    static_cast<std::size_t>(left) * s.src_pixel_stride + channel;
        const auto tap = [&](std::size_t t) { return first + offsets[t]; };
        if (strip.block->channels == kBlock) {
            run_any_pixel<true>(packed, strip, at, tap);
        } else {
            run_any_pixel<false>(packed, strip, at, tap);
        }
    }
}

void run_any(
    const Packed& packed, const std::uint8_t* src, std::uint8_t* dst, Range rows, Range blocks) {
    const DepthwiseShape& s = packed.shape;
    Strip strip{};
    strip.flip = _mm512_set1_epi8(static_cast<char>(packed.flip));
    strip.epilogue = &packed.epilogue;
    strip.dst_step =
        static_cast<std::ptrdiff_t>(s.dst_pixel_stride * dst_size(packed.epilogue.store));
    std::ptrdiff_t offsets[kMaxTaps];  // of the taps of a window inside of src
    for (std::size_t t = 0; t < s.kernel_height * s.kernel_width; ++t) {
        const std::size_t y = t / s.kernel_width * s.dilation_height;
        const std::size_t x = t % s.kernel_width * s.dilation_width;
        offsets[t] = static_cast<std::ptrdiff_t>((y * s.src_width + x) * s.src_pixel_stride);
    }
    fill_group(offsets, s.kernel_height * s.kernel_width);
    const StripMaker maker{packed, src, dst, 0, 1};
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
        const Task task{row / s.dst_height, row % s.dst_height, 1};
        for (std::size_t b = blocks.begin; b < blocks.end; ++b) {
            maker.fill_block(strip, packed.blocks[b]);
            maker.fill(strip, 0, task);
            run_any_row(packed, strip, src, task, offsets);
        }
    }
}

// ---- orders ---------------------------------------------------------------------------------

std::vector<std::ptrdiff_t> slots_of(std::size_t channels, std::size_t parts) {
    const std::size_t width = kBlock / parts;
    std::vector<std::ptrdiff_t> slots;
    for (std::size_t q = 0; q < kQuarters; ++q) {
        for (std::size_t i = 0; i < 16; ++i) {
            const std::size_t byte = i / 4 * 16 + 4 * q + i % 4;
            const std::size_t channel = byte % width;
            slots.push_back(channel < channels ? static_cast<std::ptrdiff_t>(channel) : -1);
        }
    }
    return slots;
}

Tap tap_or_none(std::ptrdiff_t row, std::size_t height, std::size_t column) {
    if (row < 0 || row >= static_cast<std::ptrdiff_t>(height)) {
        return {};
    }
    return {row, static_cast<std::ptrdiff_t>(column)};
}

// Four rows of a column, the first at `top`.
Entry column_entry(const DepthwiseShape& s, std::ptrdiff_t top, std::size_t column) {
    Taps taps;
    for (std::ptrdiff_t i = 0; i < 4; ++i) {
        taps.push_back(tap_or_none(top + i, s.kernel_height, column));
    }
    return {taps};
}

// Two taps, of all quarters: quarters 0 and 2 read the first bytes of a vector, 1 and 3 the others.
Entry pair_entry(const Tap& first, const Tap& second) {
    const Tap none;
    const Taps pair[2] = {{first, second, none, none}, {none, none, first, second}};
    return {pair[0], pair[1], pair[0], pair[1]};
}

// For strips, of the channels of a block in slots.
std::vector<Entry> strip_entries(const DepthwiseShape& s) {
    if (s.kernel_height == 3 && s.stride_width == 2) {  // StripRun::add_small_step
        return {{{{0, 2}, {1, 2}, {2, 2}, {}}},
                {{{0, 0}, {1, 0}, {2, 0}, {2, 1}}},
                pair_entry({0, 1}, {1, 1})};
    }
    std::vector<Entry> entries;
    const std::ptrdiff_t variants = s.kernel_height == 3 ? 2 : 1;
    for (std::size_t column = 0; column < s.kernel_width; ++column) {
        for (std::ptrdiff_t variant = 0; variant < variants; ++variant) {
            entries.push_back(column_entry(s, -variant, column));
        }
    }
    if (s.kernel_height == 5) {  // the fifth row by pairs of columns; StripRun::load_fifth()
        const Tap none;
        const Tap last{4, 4};
        entries.push_back(pair_entry({4, 0}, {4, 1}));
        entries.push_back(pair_entry({4, 2}, {4, 3}));
        entries.push_back(s.stride_width == 1 ? pair_entry(none, last) : pair_entry(last, none));
    }
    return entries;
}

Order strip_order(const DepthwiseShape& s, std::size_t, std::size_t channels) {
    return {slots_of(channels, parts_of(mode_of(channels))), strip_entries(s), 1};
}

Order flat_order(const DepthwiseShape& s, std::size_t, std::size_t channels) {
    return {slots_of(channels, kBlock / channels), strip_entries(s), 1};
}

Order any_order(const DepthwiseShape& s, std::size_t, std::size_t channels) {
    Order order{slots_of(channels, 1), {}, 1};
    const std::size_t count = s.kernel_height * s.kernel_width;
    for (std::size_t t = 0; t < count; t += 4) {
        Taps taps(4);
        for (std::size_t i = 0; i < 4 && t + i < count; ++i) {
            taps[i] = {static_cast<std::ptrdiff_t>((t + i) / s.kernel_width),
                       static_cast<std::ptrdiff_t>((t + i) % s.kernel_width)};
        }
        order.entries.push_back({std::move(taps)});
    }
    return order;
}

}  // namespace

bool has_flat_form(const DepthwiseShape& s) {
    const std::size_t channels = s.src_channels;
    const bool three = s.kernel_height == 3 && s.kernel_width == 3 && s.stride_height == 1 &&
                       s.stride_width == 1 && s.dilation_height == 1 && s.dilation_width == 1;
    const bool dense = s.src_pixel_stride == channels && s.dst_pixel_stride == channels;
    return three && dense && kBlock % channels == 0;
}

Path vnni_path(const DepthwiseShape& s, VnniForm form) {
    Path path;
    path.block_channels = kBlock;
    path.max_alone = kBlock / 2;  // several rows of fewer share a vector
    path.flips_sign = true;
    path.rounds_itself = true;
    path.order = strip_order;
    // Dilated ones as images of every Dth row and column, see Runner.
    constexpr std::size_t kMaxDilation = 16;
    const bool dilated = s.dilation_height != 1 || s.dilation_width != 1;
    const bool dense = !dilated || (s.dilation_height == s.dilation_width && s.stride_height == 1 &&
                                    s.stride_width == 1 && s.dilation_width <= kMaxDilation);
    const std::size_t stride = s.stride_height == s.stride_width ? s.stride_width : 0;
    const std::size_t size = s.kernel_height == s.kernel_width ? s.kernel_height : 0;
    path.float_sums = true;
    if (form == VnniForm::kFlat && has_flat_form(s)) {
        path.run = run_vnni_flat_3x3;
        path.name = "dw_vnni512:3x3s1flat";
        path.order = flat_order;
        path.stores_elus = true;
        return path;
    }
    // Few channels leave room in a vector for other rows.
    const auto rows_of = [](std::size_t channels) -> std::size_t {
        return channels > kBlock / 2 ? 2 : channels > kBlock / 4 ? 4 : 8;
    };
    path.fast_rows = rows_of(s.src_channels);
    path.even_rows = rows_of((s.src_channels - 1) % kBlock + 1);
    if (dense && size == 3 && stride == 1) {
        path.run = run_vnni<3, 1>;
        path.name = "dw_vnni512:3x3s1x2";
    } else if (dense && size == 3 && stride == 2) {
        path.run = run_vnni<3, 2>;
        path.name = "dw_vnni512:3x3s2x2";
    } else if (dense && size == 5 && stride == 1) {
        path.run = run_vnni<5, 1>;
        path.name = "dw_vnni512:5x5s1";
    } else if (dense && size == 5 && stride == 2) {
        path.run = run_vnni<5, 2>;
        path.name = "dw_vnni512:5x5s2";
    } else {
        path.run = run_any;
        path.name = "dw_vnni512:any";
        path.order = any_order;
        path.float_sums = false;
        return path;
    }
    path.stores_elus = size == 3;
    path.name += dilated ? fmt::format("d{}", s.dilation_width) : "";
    return path;
}

}  // namespace fuseq::kernels::depthwise

FUSEQ_END_VNNI
