// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// 3x3 with stride 1 and a number of channels that divides 64: a dense row of pixels is a row of
// bytes, and each vector of 64 bytes holds whole pixels, with the same channels in the same lanes.
// The tap to the left or right is the same row, moved by the number of channels.
//
// A vector interleaves three columns, where a strip interleaves one, but no lane is idle. Only
// depthwise_conv_vnni_flat.cpp includes it.
#pragma once

#include <algorithm>

#include "cpu/kernels/depthwise/depthwise_conv_vnni-inl.h"

FUSEQ_BEGIN_VNNI

namespace fuseq::kernels::depthwise {
namespace {

// What rows have in common, in elements.
struct FlatRow {
    std::ptrdiff_t src_size;
    std::ptrdiff_t dst_size;
    std::ptrdiff_t shift;  // from an element of dst to that of its leftmost tap
    std::ptrdiff_t channels;
    std::ptrdiff_t dst_bytes;  // of an element
    __m512i padding;           // what columns outside of src hold
};

// The bytes of a vector at `at` that lie in a row of `size`.
FUSEQ_INLINE __mmask64 inside(std::ptrdiff_t at, std::ptrdiff_t size) {
    const std::ptrdiff_t before = std::clamp<std::ptrdiff_t>(-at, 0, 64);
    const std::ptrdiff_t end = std::clamp<std::ptrdiff_t>(size - at, 0, 64);
    const auto below = [](std::ptrdiff_t n) { return n == 64 ? ~0ull : (1ull << n) - 1; };
    return below(end) & ~below(before);
}

// One or two output rows. All functions are inlined, see StripRun.
template <std::size_t Rows, bool Flip, Finish F>
class FlatRun {
public:
    FUSEQ_INLINE FlatRun(Strip& strip, const FlatRow& row)
        : strip_(strip), row_(row), packed_(strip.block->packed) {
        unrolled<kSrcRows>([&](auto r) FUSEQ_LAMBDA { rows_[r] = strip.src[r][0]; });
    }

    FUSEQ_INLINE void run() {
        const std::ptrdiff_t size = row_.dst_size;
        // Vectors that are whole in src, with all taps, and in dst.
        const std::ptrdiff_t inner_begin = -row_.shift;
        const std::ptrdiff_t inner_end =
            std::min(size, row_.src_size - row_.shift - (kTaps - 1) * row_.channels) - kBytes;
        while (at_ < size) {
            if (at_ < inner_begin || at_ > inner_end) {
                strip_.store[0] = inside(at_, size);
                add_and_store<true>();
                at_ += kBytes;
                continue;
            }
            do {
                add_and_store<false>();
                at_ += kBytes;
            } while (at_ <= inner_end);
        }
    }

private:
    static constexpr std::size_t kSrcRows = Rows + 2;
    static constexpr std::ptrdiff_t kTaps = 3;
    static constexpr std::ptrdiff_t kBytes = 64;

    template <bool Checked>
    FUSEQ_INLINE __m512i load(std::size_t row, std::ptrdiff_t at) const {
        __m512i v;
        if constexpr (Checked) {
            v = _mm512_mask_loadu_epi8(row_.padding, inside(at, row_.src_size), rows_[row] + at);
        } else {
            v = _mm512_loadu_si512(rows_[row] + at);
        }
        return Flip ? _mm512_xor_si512(v, strip_.flip) : loaded_once(v);
    }

    template <bool Checked>
    FUSEQ_INLINE void add_and_store() {
        // Keeps the compiler from holding weights and constants in registers across vectors.
        __asm__("" : "+r"(packed_));
        Registers<Quarters, Rows> sums;
        begin(sums[0], packed_);
        sums[Rows - 1] = sums[0];
        unrolled<kTaps>([&](auto tap) FUSEQ_LAMBDA {
            const std::ptrdiff_t at = at_ + row_.shift + tap * row_.channels;
            const __m512i third = load<Checked>(2, at);
            const Quarters data =
                interleave(load<Checked>(0, at), load<Checked>(1, at), third,
                           kSrcRows == 3 ? third : load<Checked>(kSrcRows - 1, at));
            unrolled<Rows>([&](auto row)
                               FUSEQ_LAMBDA { add_taps(sums[row], data, packed_, 2 * tap + row); });
        });
        unrolled<Rows>([&](auto r) FUSEQ_LAMBDA {
            // The second row first: if there is none, the first row overwrites it.
            constexpr std::size_t kRow = Rows - 1 - r();
            finish<Checked ? 1 : 0, F>(strip_, packed_, strip_.dst[kRow], at_ * row_.dst_bytes,
                                       sums[kRow]);
        });
    }

    Strip& strip_;
    const FlatRow& row_;
    const std::uint8_t* packed_;
    std::ptrdiff_t at_ = 0;
    Registers<const std::uint8_t*, kSrcRows> rows_;
};

}  // namespace
}  // namespace fuseq::kernels::depthwise

FUSEQ_END_VNNI
