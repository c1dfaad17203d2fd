// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Common to all forms of strips: cuts rows into strips, loops over blocks of channels, and chooses
// the instantiation for the number of channels and the epilogue. Only depthwise_conv_vnni_run-inl.h
// includes it.
//
// With a dilation of D in both directions (and stride 1) every Dth row and column of outputs reads
// every Dth row and column of the source: D x D independent images, each with a dense kernel. No
// data is moved. A strip is every Dth column of a row, and its source rows are D rows apart.
#pragma once

#include "cpu/kernels/depthwise/depthwise_conv_vnni-inl.h"

FUSEQ_BEGIN_VNNI

namespace fuseq::kernels::depthwise {
namespace {

// Computes the rows of a range in strips of a Form.
template <class Form, std::size_t Size, std::size_t Stride>
struct Runner {
    static constexpr std::size_t kRows = Form::template kRows<Size, Stride>;
    static constexpr std::size_t kMaxTasks = 32;

    template <std::size_t Mode, bool Flip, Finish F>
    static void run_tasks(const StripMaker& maker, Strip& strip, const Task* tasks, std::size_t n) {
        constexpr std::size_t kParts = parts_of(Mode);
        for (std::size_t i = 0; i < n; i += kParts) {
            for (std::size_t p = 0; p < kParts; ++p) {  // a part without a task repeats one
                maker.fill(strip, p, tasks[i + p < n ? i + p : i]);
            }
            if (kRows == 2 && Mode == 0 && tasks[i].rows == 1) {
                Form::template run<Size, 1, Stride, Mode, Flip, F>(strip);
            } else {
                Form::template run<Size, kRows, Stride, Mode, Flip, F>(strip);
            }
        }
    }

    template <std::size_t Mode, std::size_t MaskedMode>
    static void run_mode(const StripMaker& maker, Strip& strip, const Task* tasks, std::size_t n) {
        const Epilogue& e = maker.packed.epilogue;
        if (e.plain_floats) {
            return run_tasks<MaskedMode, true, Finish::kFloats>(maker, strip, tasks, n);
        }
        if constexpr (Size == 3) {
            if (e.elu) {
                return run_tasks<Mode, true, Finish::kElu>(maker, strip, tasks, n);
            }
        }
        if (e.rule) {
            return run_tasks<MaskedMode, true, Finish::kRule>(maker, strip, tasks, n);
        }
        if (!e.plain) {
            return run_tasks<MaskedMode, true, Finish::kAny>(maker, strip, tasks, n);
        }
        if (e.store == Store::kI8) {
            return run_tasks<MaskedMode, true, Finish::kI8>(maker, strip, tasks, n);
        }
        return strip.block->float_sums
                   ? run_tasks<Mode, false, Finish::kFloatSums>(maker, strip, tasks, n)
                   : run_tasks<MaskedMode, true, Finish::kRule>(maker, strip, tasks, n);
    }

    static void run_block(
        StripMaker& maker, Strip& strip, const Block& block, const Task* tasks, std::size_t n) {
        const std::size_t mode = mode_of(block.channels);
        maker.parts = parts_of(mode);
        maker.fill_block(strip, block);
        for (std::size_t x = 0; x < maker.dilation; ++x) {
            StripMaker turn = maker;
            begin_columns(turn, strip, x);
            if (strip.dst_width != 0) {
                // The next pixel of the strip follows without a gap, of other channels neither.
                const bool dense = strip.dst_step == static_cast<std::ptrdiff_t>(block.channels);
                const bool open = Form::kOpens && dense && (mode == 1 || mode == 2);
                run_columns(open ? 20 + mode : mode, turn, strip, tasks, n);
            }
        }
    }

    // Every Dth column of dst, the first of which is x.
    static void begin_columns(StripMaker& maker, Strip& strip, std::size_t x) {
        const DepthwiseShape& s = maker.packed.shape;
        const auto step = static_cast<std::ptrdiff_t>(s.dilation_width);
        const auto count = [&](std::size_t width, std::ptrdiff_t first) {
            return (static_cast<std::ptrdiff_t>(width) - first + step - 1) / step;
        };
        const auto first = static_cast<std::ptrdiff_t>(x);
        const std::ptrdiff_t src_first = ((first - s.pad_left) % step + step) % step;
        const auto pixel = static_cast<std::ptrdiff_t>(s.src_pixel_stride);
        const auto dst_pixel =
            static_cast<std::ptrdiff_t>(s.dst_pixel_stride * dst_size(strip.epilogue->store));
        maker.src += src_first * pixel;
        maker.dst += first * dst_pixel;
        strip.first_x = (first - s.pad_left - src_first) / step;
        strip.src_width = count(s.src_width, src_first);
        strip.dst_width = count(s.dst_width, first);
        strip.src_step = step * pixel;
        strip.dst_step = step * dst_pixel;
    }

    static void run_columns(
        std::size_t mode, const StripMaker& maker, Strip& strip, const Task* tasks, std::size_t n) {
        switch (mode) {
            case 0: return run_mode<0, 0>(maker, strip, tasks, n);
            case 1: return run_mode<1, 1>(maker, strip, tasks, n);
            case 2: return run_mode<2, 2>(maker, strip, tasks, n);
            case 12: return run_mode<12, 2>(maker, strip, tasks, n);
            case 14: return run_mode<14, 4>(maker, strip, tasks, n);
            case 21: return run_mode < Form::kOpens ? 21 : 1, 1 > (maker, strip, tasks, n);
            case 22: return run_mode < Form::kOpens ? 22 : 2, 2 > (maker, strip, tasks, n);
            default: return run_mode<4, 4>(maker, strip, tasks, n);
        }
    }

    // Tasks for the first kRows times D rows of a range, or fewer where the image or the range
    // ends; as many as these. D tasks at most.
    static std::size_t make_tasks(const DepthwiseShape& s,
                                  Range rows,
                                  Task* tasks,
                                  std::size_t& n) {
        const std::size_t step = s.dilation_height;
        const std::size_t y = rows.begin % s.dst_height;
        const std::size_t count = std::min({kRows * step, rows.end - rows.begin, s.dst_height - y});
        for (std::size_t i = 0; i < std::min(step, count); ++i) {
            tasks[n++] = {rows.begin / s.dst_height, y + i, i + step < count ? kRows : 1};
        }
        return count;
    }

    static void run(const Packed& packed,
                    const std::uint8_t* src,
                    std::uint8_t* dst,
                    Range rows,
                    Range blocks) {
        const DepthwiseShape& s = packed.shape;
        StripMaker maker{packed, src, dst, Size + (kRows - 1) * Stride, 1};
        Strip strip{};
        strip.flip = _mm512_set1_epi8(static_cast<char>(packed.flip));
        strip.zero_point = _mm512_set1_epi16(packed.epilogue.zero_point);
        strip.sign = sign_bits();
        strip.epilogue = &packed.epilogue;
        strip.zero_padding = packed.zero_padding;
        // Source rows should stay in the cache while the blocks of channels take turns.
        constexpr std::size_t kCacheBytes = 96 * 1024;
        const std::size_t row_bytes = s.src_width * s.src_pixel_stride * s.stride_height * kRows;
        const std::size_t chunk = std::clamp<std::size_t>(kCacheBytes / row_bytes, 4, kMaxTasks);
        std::size_t row = rows.begin;
        while (row < rows.end) {
            Task tasks[kMaxTasks];
            std::size_t n = 0;
            while (n + s.dilation_height <= std::max(chunk, s.dilation_height) && row < rows.end) {
                row += make_tasks(s, {row, rows.end}, tasks, n);
            }
            for (std::size_t b = blocks.begin; b < blocks.end; ++b) {
                run_block(maker, strip, packed.blocks[b], tasks, n);
            }
        }
    }
};

}  // namespace
}  // namespace fuseq::kernels::depthwise

FUSEQ_END_VNNI
