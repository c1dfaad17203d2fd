// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Output rows of a 5x5 kernel, one at a time: a column of src is loaded and interleaved once and added
// to all outputs that read it. See depthwise_conv_vnni-inl.h. Only depthwise_conv_vnni_run-inl.h
// includes it.
#pragma once

#include "cpu/kernels/depthwise/depthwise_conv_vnni-inl.h"

FUSEQ_BEGIN_VNNI

namespace fuseq::kernels::depthwise {
namespace {

// Rows 0 to 3 of a column of src, interleaved.
using Column = Quarters;

// Runs a strip. The compiler splits the object into registers: all functions are inlined, and no
// closure may contain another one, which would keep the object in memory.
template <std::size_t Stride, std::size_t Mode, bool Flip, Finish F>
class StripRun {
public:
    FUSEQ_INLINE explicit StripRun(const Strip& strip)
        : strip_(strip),
          packed_(strip.block->packed),
          first_x_(strip.first_x),
          src_width_(strip.src_width),
          src_step_(strip.src_step),
          dst_step_(strip.dst_step),
          src_at_(first_x_ * src_step_),
          dst_(strip.dst[0][0]) {
        unrolled<kSize>([&](auto r) FUSEQ_LAMBDA { rows_[r] = strip.src[r][0]; });
        unrolled<kSlots>([&](auto slot)
                             FUSEQ_LAMBDA { ring_[slot] = four_times(_mm512_setzero_si512()); });
    }

    FUSEQ_INLINE void run() {
        const std::ptrdiff_t steps = strip_.dst_width + kRing - 1;
        // Steps whose columns lie inside of src and that finish an output.
        const std::ptrdiff_t inner_begin = std::max(kRing - 1, (kStride - 1 - first_x_) / kStride);
        const std::ptrdiff_t inner_end =
            std::min(steps, std::max<std::ptrdiff_t>(src_width_ - first_x_, 0) / kStride);
        for (std::ptrdiff_t step = 0; step < steps;) {
            if (step >= inner_begin && step + kRing <= inner_end) {
                step += run_inner_steps((inner_end - step) / kRing);
                continue;
            }
            unrolled<kSlots>([&](auto turn) FUSEQ_LAMBDA {
                if (step < steps) {
                    run_edge_step<turn()>(step);
                    ++step;
                }
            });
        }
    }

private:
    static constexpr std::size_t kSize = 5;
    static constexpr std::size_t kSlots = (kSize + Stride - 1) / Stride;  // outputs in flight
    static constexpr auto kStride = static_cast<std::ptrdiff_t>(Stride);
    static constexpr auto kRing = static_cast<std::ptrdiff_t>(kSlots);

    // Keeps the compiler from holding weights and constants in registers, which the sums need.
    FUSEQ_INLINE void forget() { __asm__("" : "+r"(packed_)); }

    FUSEQ_INLINE std::ptrdiff_t run_inner_steps(std::ptrdiff_t turns) {
        const std::ptrdiff_t end = src_at_ + turns * kRing * kStride * src_step_;
        while (src_at_ != end) {
            unrolled<kSlots>([&](auto turn) FUSEQ_LAMBDA {
                forget();
                add_step<turn(), false>({}, true);
                advance(true);
            });
        }
        return turns * kRing;
    }

    FUSEQ_INLINE void advance(bool ended) {
        src_at_ += kStride * src_step_;
        if (ended) {
            dst_ += dst_step_;
            dst_at_ += dst_step_;
        }
    }

    struct Outside {
        bool first = false;  // column of the step
        bool second = false;
    };

    template <std::size_t Turn>
    FUSEQ_INLINE void run_edge_step(std::ptrdiff_t step) {
        forget();
        const std::ptrdiff_t at = first_x_ + step * kStride;
        const Outside outside{at < 0 || at >= src_width_, at + 1 < 0 || at + 1 >= src_width_};
        const bool ends = step >= kRing - 1;
        if (strip_.zero_padding && outside.first && (Stride == 1 || outside.second) &&
            !fifth_waits(at)) {
            if (ends) {
                store(ring_[(Turn + 1) % kSlots]);
            }
            begin(ring_[Turn], packed_);
        } else {
            add_step<Turn, true>(outside, ends);
        }
        advance(ends);
    }

    // The fifth row of the column before, which is inside of src, is added with that of this one.
    FUSEQ_INLINE bool fifth_waits(std::ptrdiff_t at) const {
        return Stride == 1 && at > 0 && at <= src_width_;
    }

    template <bool Checked>
    FUSEQ_INLINE __m512i load(std::size_t row, std::size_t column, Outside outside) const {
        const std::ptrdiff_t at = column == 0 ? src_at_ : src_at_ + src_step_;
        const bool padding = Checked && (column == 0 ? outside.first : outside.second);
        __m512i v;
        if constexpr (Mode == 0) {
            v = _mm512_loadu_si512(padding ? strip_.src[kPadding][0] : rows_[row] + at);
#if FUSEQ_VECTOR_ASM
            if constexpr (!Flip) {  // one load for all its uses, which may cross cache lines
                __asm__("" : "+v"(v));
            }
#endif
        } else if (padding) {
            v = load_parts<Mode>(strip_, strip_.src[kPadding], 0);
        } else {
            v = load_parts<Mode>(strip_, strip_.src[row], at);
        }
        if constexpr (Flip) {
            v = _mm512_xor_si512(v, strip_.flip);
        }
        return v;
    }

    template <bool Checked>
    FUSEQ_INLINE void load_column(Column& to, std::size_t column, Outside outside) const {
        const __m512i r0 = load<Checked>(0, column, outside);
        const __m512i r1 = load<Checked>(1, column, outside);
        const __m512i r2 = load<Checked>(2, column, outside);
        to = interleave(r0, r1, r2, load<Checked>(3, column, outside));
    }

    // The fifth row of two neighbouring columns: of the step, or with stride 1 of the one before
    // and this one.
    template <bool Checked>
    FUSEQ_INLINE void load_fifth(Outside outside) {
        const __m512i row = load<Checked>(4, 0, outside);
        if constexpr (Stride == 1) {
            fifth_ = interleave_pair(last_, row);
            last_ = row;
        } else {
            fifth_ = interleave_pair(row, load<Checked>(4, 1, outside));
        }
    }

    // Adds a column of src, which is column Tap of the kernel for these sums.
    template <std::size_t Tap>
    FUSEQ_INLINE void add_column(const Column& column, Quarters& sums) const {
        if constexpr (Tap == 0) {
            begin(sums, packed_);
        }
        add_taps(sums, column, packed_, Tap);
        if constexpr (Tap % 2 == 1 || Tap == 4) {  // see strip_order()
            add_taps(sums, fifth_, packed_, kSize + Tap / 2);
        }
    }

    // Adds the columns of a step to all sums that read them. The oldest sums are then complete and
    // are stored if they belong to an output.
    template <std::size_t Turn, bool Checked>
    FUSEQ_INLINE void add_step(Outside outside, bool ends) {
        Quarters& oldest = ring_[(Turn + 1) % kSlots];
        Column column;
        load_fifth<Checked>(outside);
        load_column<Checked>(column, 0, outside);
        add_column<kSize - 1>(column, oldest);
        if (ends) {  // early: other sums need the registers
            store(oldest);
        }
        add_others<Turn, 0>(column);
        if constexpr (Stride == 2) {
            load_column<Checked>(column, 1, outside);
            add_others<Turn, 1>(column);
        }
    }

    // Column c of the step to all sums but the oldest.
    template <std::size_t Turn, std::size_t C>
    FUSEQ_INLINE void add_others(const Column& column) {
        unrolled<kSlots - 1>([&](auto i) FUSEQ_LAMBDA {
            constexpr std::size_t kAge = kSlots - 2 - i();
            add_column<Stride * kAge + C>(column, ring_[(Turn + kSlots - kAge) % kSlots]);
        });
    }

    FUSEQ_INLINE void store(const Quarters& sums) const {
        if constexpr (Mode == 0) {
            std::uint8_t* const to = dst_;
            finish<Mode, F>(strip_, packed_, &to, 0, sums);
        } else {
            finish<Mode, F>(strip_, packed_, strip_.dst[0], dst_at_, sums);
        }
    }

    const Strip& strip_;
    const std::uint8_t* packed_;
    // Copies: for the compiler a store might change the strip.
    std::ptrdiff_t first_x_;
    std::ptrdiff_t src_width_;
    std::ptrdiff_t src_step_;
    std::ptrdiff_t dst_step_;
    std::ptrdiff_t src_at_;      // offset of the first column of the step
    std::ptrdiff_t dst_at_ = 0;  // and of the next output
    Registers<const std::uint8_t*, kSize> rows_;
    std::uint8_t* dst_;
    Registers<Quarters, kSlots> ring_;
    Quarters fifth_;
    __m512i last_ = _mm512_setzero_si512();  // fifth row of the column before
};

// A form of strips, for Runner.
struct Ring {
    static constexpr bool kOpens = false;  // see Strip
    template <std::size_t Size, std::size_t Stride>
    static constexpr std::size_t kRows = 1;

    template <std::size_t Size,
              std::size_t Rows,
              std::size_t Stride,
              std::size_t Mode,
              bool Flip,
              Finish F>
    __attribute__((noinline)) static void run(const Strip& strip) {
        static_assert(Size == 5 && Rows == 1);
        StripRun<Stride, Mode, Flip, F> run(strip);
        run.run();
    }
};

}  // namespace
}  // namespace fuseq::kernels::depthwise

FUSEQ_END_VNNI
