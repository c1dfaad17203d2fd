// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Strips of output rows of a 3x3 kernel, two columns of outputs a step. Two neighbouring columns
// share the loads of weights, scales and biases, one quarter of the channels after the other: 22
// loads for two rows of an output column, whose products take 32 cycles (a ring as for 5x5 kernels:
// 52, for which a machine with one 512-bit load a cycle waits). The epilogue of a quarter overlaps
// with the products of the next one.
//
// Only depthwise_conv_vnni_run-inl.h includes it.
#pragma once

#include <algorithm>

#include "cpu/kernels/depthwise/depthwise_conv_vnni-inl.h"

FUSEQ_BEGIN_VNNI

namespace fuseq::kernels::depthwise {
namespace {

// Runs a strip of one or two output rows. All functions are inlined, see StripRun.
template <std::size_t Rows, std::size_t Stride, std::size_t Mode, bool Flip, Finish F>
class PairRun {
public:
    FUSEQ_INLINE explicit PairRun(const Strip& strip)
        : strip_(strip),
          packed_(strip.block->packed),
          x_(strip.first_x),
          src_step_(strip.src_step),
          src_at_(x_ * src_step_),
          dst_step_(strip.dst_step),
          ending_(ending_of(*strip.epilogue)),
          is_mirrored_(ending_ == Ending::kMirrored),
          is_real_(ending_ == Ending::kReal),
          packs_signed_(strip.epilogue->store == Store::kI8 && !strip.epilogue->clip) {
        __asm__("" : "+r"(is_mirrored_), "+r"(is_real_));  // the compiler would ask the ending
        unrolled<kSrcRows>([&](auto r) FUSEQ_LAMBDA { rows_[r] = strip.src[r][0]; });
        unrolled<Rows>([&](auto r) FUSEQ_LAMBDA { dst_[r] = strip.dst[r][0]; });
    }

    FUSEQ_INLINE void run() {
        std::ptrdiff_t left = strip_.dst_width;
        load_first();
        while (left >= kTogether) {
            const std::ptrdiff_t inner = std::min((left - kAfter) / kTogether, inner_steps());
            if (inner > 0) {
                run_inner_steps(inner);
                left -= inner * kTogether;
            } else {
                run_step<kTogether>();
                left -= kTogether;
            }
        }
        for (; left > 0; --left) {
            run_step<1>();
        }
    }

private:
    static constexpr std::size_t kSrcRows = (Rows - 1) * Stride + 3;
    static constexpr auto kStride = static_cast<std::ptrdiff_t>(Stride);
    // Outputs with an activation, bounds or floats need the registers of a second column, two rows
    // of stride 2 have the work of one already.
    static constexpr std::ptrdiff_t kTogether =
        is_to_floats(F) || (Rows == 2 && Stride == 2) ? 1 : 2;
    static constexpr std::size_t kColumns = kTogether;
    // Pixels of src and dst after those of an inner step.
    static constexpr std::ptrdiff_t kAfter = is_open(Mode) ? 1 : 0;
    // Columns that an output leaves to the next.
    static constexpr std::size_t kCarried = Stride == 1 ? 2 : 1;
    static constexpr std::size_t kTaps = 3;  // vectors of four taps a quarter
    // Interleaved columns: with stride 1 one for both rows, with stride 2 one for each.
    static constexpr std::size_t kSets = Stride == 1 ? 1 : Rows;

    // Columns that load_columns() reads for N outputs, relative to x_.
    static constexpr std::ptrdiff_t kFirst = Stride == 1 ? 2 : 1;
    static constexpr std::ptrdiff_t end_column(std::ptrdiff_t n) {
        return Stride == 1 ? 2 + n : 2 * n + 2;
    }

    // How many steps from here on read no column outside of src.
    FUSEQ_INLINE std::ptrdiff_t inner_steps() const {
        const std::ptrdiff_t room = strip_.src_width - kAfter - x_ - end_column(kTogether);
        return x_ + kFirst < 0 || room < 0 ? 0 : room / (kTogether * kStride) + 1;
    }

    // The inner loop. Its only counter is the offset in dst.
    FUSEQ_INLINE void run_inner_steps(std::ptrdiff_t steps) {
        const std::ptrdiff_t end = dst_at_ + steps * kTogether * dst_step_;
        do {
            Registers<Fresh, kColumns> fresh;
            load_columns<kColumns, false>(fresh);
            add_and_store<kColumns, false>(fresh);
            advance<kTogether>();
        } while (dst_at_ != end);
        x_ += steps * kTogether * kStride;
    }

    template <std::ptrdiff_t N>
    FUSEQ_INLINE void run_step() {
        constexpr auto kCount = static_cast<std::size_t>(N);
        Registers<Fresh, kCount> fresh;
        load_columns<kCount, true>(fresh);
        add_and_store<kCount, true>(fresh);
        advance<N>();
        x_ += N * kStride;
    }

    template <std::ptrdiff_t N>
    FUSEQ_INLINE void advance() {
        constexpr auto kCount = static_cast<std::size_t>(N);
        src_at_ += N * kStride * src_step_;
        dst_at_ += N * dst_step_;
        unrolled<kCarried>([&](auto i) FUSEQ_LAMBDA { columns_[i] = columns_[kCount + i]; });
    }

    template <bool Checked>
    static constexpr std::size_t kMode = is_open(Mode) ? closed_mode(Mode, !Checked) : Mode;

    template <bool Checked>
    FUSEQ_INLINE __m512i load(std::size_t row, std::ptrdiff_t column) const {
        const std::ptrdiff_t at = src_at_ + column * src_step_;
        const bool padding = Checked && (x_ + column < 0 || x_ + column >= strip_.src_width);
        __m512i v;
        if constexpr (kMode<Checked> == 0) {
            v = _mm512_loadu_si512(padding ? strip_.src[kPadding][0] : rows_[row] + at);
        } else if (padding) {
            v = load_parts<kMode<Checked>>(strip_, strip_.src[kPadding], 0);
        } else {
            v = load_parts<kMode<Checked>>(strip_, strip_.src[row], at);
        }
        return Flip ? _mm512_xor_si512(v, strip_.flip) : loaded_once(v);
    }

    // What an output reads beyond what the one before has left, or what the first one wants to be
    // left. Stride 1: `four` is a column. Stride 2: a column of even number and the lowest row of
    // the next, whose other rows are the pair of the output after.
    struct Fresh {
        Registers<Registers<__m512i, 4>, kSets> four;
        Registers<Registers<__m512i, 2>, kSets> pair;
    };

    template <std::ptrdiff_t At, bool Checked>
    FUSEQ_INLINE void load_four(Fresh& to) const {
        Registers<__m512i, kSrcRows> column;
        unrolled<kSrcRows>([&](auto r) FUSEQ_LAMBDA { column[r] = load<Checked>(r, At); });
        unrolled<kSets>([&](auto set) FUSEQ_LAMBDA {
            unrolled<3>([&](auto r) FUSEQ_LAMBDA { to.four[set][r] = column[Stride * set + r]; });
            to.four[set][3] =
                Stride == 2 ? load<Checked>(2 * set + 2, At + 1) : column[kSrcRows - 1];
        });
    }

    template <std::size_t N, bool Checked>
    FUSEQ_INLINE void load_columns(Registers<Fresh, N>& to) const {
        unrolled<N>([&](auto i) FUSEQ_LAMBDA {
            constexpr auto kOutput = static_cast<std::ptrdiff_t>(i());
            if constexpr (Stride == 1) {
                load_four<kOutput + 2, Checked>(to[i]);
            } else {
                unrolled<kSets>([&](auto set) FUSEQ_LAMBDA {
                    to[i].pair[set][0] = load<Checked>(2 * set, 2 * kOutput + 1);
                    to[i].pair[set][1] = load<Checked>(2 * set + 1, 2 * kOutput + 1);
                });
                load_four<2 * kOutput + 2, Checked>(to[i]);
            }
        });
    }

    FUSEQ_INLINE void load_first() {
        unrolled<kCarried>([&](auto i) FUSEQ_LAMBDA {
            Fresh fresh;
            load_four<i(), true>(fresh);
            unrolled<kSets>([&](auto set) FUSEQ_LAMBDA {
                const auto& four = fresh.four[set];
                columns_[i][set] = interleave(four[0], four[1], four[2], four[3]);
            });
        });
    }

    // Bytes of two rows for quarters 2 Half and 2 Half + 1, and words of those for quarter Q.
    template <std::size_t Half>
    FUSEQ_INLINE static __m512i bytes_of(__m512i a, __m512i b) {
        return Half == 0 ? _mm512_unpacklo_epi8(a, b) : _mm512_unpackhi_epi8(a, b);
    }
    template <std::size_t Q>
    FUSEQ_INLINE static __m512i words_of(__m512i a, __m512i b) {
        return Q % 2 == 0 ? _mm512_unpacklo_epi16(a, b) : _mm512_unpackhi_epi16(a, b);
    }

    // The vectors of an output and where their weights are; see strip_order().
    template <std::size_t Output, std::size_t Row, std::size_t Tap>
    FUSEQ_INLINE __m512i data(std::size_t q) const {
        if constexpr (Stride == 1) {
            return columns_[Output + Tap][0][q];
        } else if constexpr (Tap == 2) {
            return pairs_[Output][Row];
        } else {
            return columns_[Output + 1 - Tap][Row][q];
        }
    }
    // Rows of stride 1 have weights of their own, moved down by one.
    static constexpr std::size_t kVariants = Stride == 1 ? 2 : 1;

    template <std::size_t N>
    using Outputs = Registers<Registers<__m512i, Rows>, N>;

    // Quarter q of all outputs of a step.
    template <std::size_t N>
    FUSEQ_INLINE void add_quarter(std::size_t q, Outputs<N>& sums) const {
        const std::uint8_t* at = packed_ + 64 * q;
        const __m512i init = loaded_once(_mm512_load_si512(at + kInit));
        unrolled<N>([&](auto n) FUSEQ_LAMBDA {
            unrolled<Rows>([&](auto row) FUSEQ_LAMBDA { sums[n][row] = init; });
        });
        unrolled<kTaps>([&](auto tap) FUSEQ_LAMBDA {
            __m512i weights;
            unrolled<Rows>([&](auto row) FUSEQ_LAMBDA {
                if (row < kVariants) {
                    const std::size_t entry = tap * kVariants + row;
                    weights = _mm512_load_si512(at + kWeights + entry * kEntryBytes);
                }
                unrolled<N>([&](auto n) FUSEQ_LAMBDA {
                    add_products(sums[n][row], data<n(), row(), tap()>(q), weights);
                });
            });
        });
    }

    // Each quarter is interleaved just before its products: the out-of-order window is shorter than
    // a step, and so shuffles overlap with products.
    template <std::size_t N, bool Checked>
    FUSEQ_INLINE void add_and_store(const Registers<Fresh, N>& fresh) {
        // Keeps the compiler from holding weights and constants in registers across steps.
        __asm__("" : "+r"(packed_));
        Outputs<N> words[kQuarters];
        unrolled<2>([&](auto half) FUSEQ_LAMBDA {
            Registers<Registers<Pair, kSets>, N> bytes;
            unrolled<N>([&](auto n) FUSEQ_LAMBDA {
                unrolled<kSets>([&](auto set) FUSEQ_LAMBDA {
                    const auto& four = fresh[n].four[set];
                    bytes[n][set] = {bytes_of<half()>(four[0], four[1]),
                                     bytes_of<half()>(four[2], four[3])};
                    if constexpr (Stride == 2) {
                        const auto& pair = fresh[n].pair[set];
                        pairs_[n][set] = order_pair(bytes_of<half()>(pair[0], pair[1]));
                    }
                });
            });
            unrolled<2>([&](auto i) FUSEQ_LAMBDA {
                constexpr std::size_t kQ = 2 * half() + i();
                unrolled<N>([&](auto n) FUSEQ_LAMBDA {
                    unrolled<kSets>([&](auto set) FUSEQ_LAMBDA {
                        columns_[kCarried + n][set][kQ] =
                            words_of<kQ>(bytes[n][set].low, bytes[n][set].high);
                    });
                });
                add_quarter<N>(kQ, words[kQ]);
                if constexpr (!is_to_floats(F) && kQ > 0) {
                    finish_quarter<N, kQ - 1>(words);
                }
            });
        });
        if constexpr (!is_to_floats(F)) {
            finish_quarter<N, kQuarters - 1>(words);
        }
        unrolled<N>([&](auto n) FUSEQ_LAMBDA {
            unrolled<Rows>([&](auto r) FUSEQ_LAMBDA {
                // The second row first: if there is none, the first row overwrites it.
                constexpr std::size_t kRow = Rows - 1 - r();
                if constexpr (is_to_floats(F)) {
                    finish<Mode, F>(strip_, packed_, strip_.dst[kRow], dst_at_,
                                    {{words[0][n][kRow], words[1][n][kRow], words[2][n][kRow],
                                      words[3][n][kRow]}});
                } else {
                    store<kRow, n(), Checked>(words[0][n][kRow], words[2][n][kRow]);
                }
            });
        });
    }

    // Sums to integers of 16 bits: those of two quarters in place of the first.
    template <std::size_t N, std::size_t Q>
    FUSEQ_INLINE void finish_quarter(Outputs<N> (&words)[kQuarters]) const {
        const __m512 scale = loaded_once(vector_of(packed_ + kScale + 64 * Q));
        const __m512 bias = loaded_once(vector_of(packed_ + kBias + 64 * Q));
        if constexpr (F == Finish::kRule) {
            const auto finish = [&](auto ending) FUSEQ_LAMBDA {
                constexpr bool kTwo = ending() == Ending::kTwoFloors;
                const __m512 rest = kTwo || ending() == Ending::kFloor
                                        ? loaded_once(vector_of(packed_ + kRest + 64 * Q))
                                        : bias;
                const __m512 below =
                    kTwo ? loaded_once(vector_of(packed_ + kBelow + 64 * Q)) : bias;
                const __m512i sign = ending() == Ending::kMirrored ? loaded_once(strip_.sign)
                                                                   : _mm512_setzero_si512();
                to_words<N, Q>(words, [&](__m512i v) FUSEQ_LAMBDA {
                    return by_rule<ending()>(v, scale, rest, bias, below, sign);
                });
                if constexpr (Q % 2 == 1 && has_zero_apart(ending())) {
                    add_zero_point<N>(words[Q - 1]);
                }
            };
            if (is_mirrored_) [[likely]] {
                finish(std::integral_constant<Ending, Ending::kMirrored>{});
            } else if (is_real_) [[likely]] {
                finish(std::integral_constant<Ending, Ending::kReal>{});
            } else {
                with_ending(ending_, finish);
            }
        } else if constexpr (F == Finish::kElu) {
            const EluVectors elu(*strip_.epilogue->elu, strip_.epilogue->shift);
            to_words<N, Q>(words, [&](__m512i v) FUSEQ_LAMBDA {
                return elu.integer(_mm512_fmadd_ps(_mm512_cvtepi32_ps(v), scale, bias));
            });
        } else {
            to_words<N, Q>(words, [&](__m512i v) FUSEQ_LAMBDA {
                const __m512 sum =
                    F == Finish::kFloatSums ? _mm512_castsi512_ps(v) : _mm512_cvtepi32_ps(v);
                return _mm512_cvtps_epi32(_mm512_fmadd_ps(sum, scale, bias));
            });
        }
    }
    template <std::size_t N, std::size_t Q, class ToInteger>
    FUSEQ_INLINE static void to_words(Outputs<N> (&words)[kQuarters], const ToInteger& integer) {
        unrolled<N>([&](auto n) FUSEQ_LAMBDA {
            unrolled<Rows>([&](auto row) FUSEQ_LAMBDA {
                __m512i& v = words[Q][n][row];
                v = integer(v);
                if constexpr (Q % 2 == 1) {
                    __m512i& first = words[Q - 1][n][row];
                    first = _mm512_packs_epi32(first, v);
                }
            });
        });
    }

    template <std::size_t N>
    FUSEQ_INLINE void add_zero_point(Outputs<N>& words) const {
        unrolled<N>([&](auto n) FUSEQ_LAMBDA {
            unrolled<Rows>([&](auto row) FUSEQ_LAMBDA {
                words[n][row] = _mm512_adds_epi16(words[n][row], strip_.zero_point);
            });
        });
    }

    template <std::size_t Row, std::size_t N, bool Checked>
    FUSEQ_INLINE void store(__m512i low, __m512i high) const {
        __m512i bytes;
        if (F == Finish::kRule && packs_signed_) [[likely]] {
            bytes = _mm512_packs_epi16(low, high);
        } else {
            bytes = to_bytes<F>(*strip_.epilogue, low, high);
        }
        const std::ptrdiff_t at = dst_at_ + static_cast<std::ptrdiff_t>(N) * dst_step_;
        if constexpr (kMode<Checked> == 0) {
            _mm512_storeu_si512(dst_[Row] + at, bytes);
        } else {
            store_bytes<kMode<Checked>>(strip_, strip_.dst[Row], at, bytes);
        }
    }

    const Strip& strip_;
    const std::uint8_t* packed_;
    // Copies: for the compiler a store might change the strip.
    std::ptrdiff_t x_;  // first column of src that the next output reads
    std::ptrdiff_t src_step_;
    std::ptrdiff_t src_at_;  // its offset
    std::ptrdiff_t dst_step_;
    std::ptrdiff_t dst_at_ = 0;
    Ending ending_;     // of kRule
    bool is_mirrored_;  // it is kMirrored or kReal, which have no time for a table of jumps
    bool is_real_;
    bool packs_signed_;  // and it has i8, all of them
    Registers<const std::uint8_t*, kSrcRows> rows_;
    Registers<std::uint8_t*, Rows> dst_;
    // Interleaved: a column, or one of even number and the lowest row of the next.
    Registers<Registers<Quarters, kSets>, kColumns + kCarried> columns_;
    // Of stride 2: the rest of that, for two quarters.
    Registers<Registers<__m512i, kSets>, kColumns> pairs_;
};

// A form of strips, for Runner.
struct Pairs {
    static constexpr bool kOpens = true;
    template <std::size_t Size, std::size_t Stride>
    static constexpr std::size_t kRows = 2;

    template <std::size_t Size,
              std::size_t Rows,
              std::size_t Stride,
              std::size_t Mode,
              bool Flip,
              Finish F>
    __attribute__((noinline)) static void run(const Strip& strip) {
        static_assert(Size == 3);
        PairRun<Rows, Stride, Mode, Flip, F> run(strip);
        run.run();
    }
};

}  // namespace
}  // namespace fuseq::kernels::depthwise

FUSEQ_END_VNNI
