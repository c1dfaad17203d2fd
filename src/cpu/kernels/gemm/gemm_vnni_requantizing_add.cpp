// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Searches the integers of a requantizing add and compares the result for every pair of bytes.
// Factors near the real ones give the same byte for nearly all pairs. Where a pair lies close to a
// step of the result, neighbouring factors are tried.
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "cpu/kernels/common/vnni_target.hpp"
#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"
#include "cpu/kernels/gemm/gemm_vnni_requantizing_add_operations-inl.h"

FUSEQ_BEGIN_VNNI

namespace fuseq::kernels::gemm {
namespace {

struct Factors {
    std::int64_t a = 0, b = 0;
};

// A pair of bytes and its bound on c, lower or upper, given a and b.
struct Pair {
    std::int64_t q, r, bound;
    std::int64_t bound_for(const Factors& change) const {
        return bound - change.a * q - change.b * r;
    }
};

// Of sums: a * q + b * r + c.
struct Line {
    Factors factors;
    std::int64_t c = 0;
    std::int64_t at(std::int64_t q, std::int64_t r) const {
        return factors.a * q + factors.b * r + c;
    }
};

class Search {
public:
    Search(const Operations& operations, Range dst)
        : q_(operations.q()), r_(operations.r()), dst_(dst), has_elu_(operations.has_elu()) {
        __m512i min = _mm512_set1_epi32(dst.high);
        for (int q = 0; q < kBytes; ++q) {
            const Operations::Row row = operations.row(q_.low + q);
            min = _mm512_min_epi32(min, take_row(q, row));
        }
        min_ = has_elu_ ? _mm512_reduce_min_epi32(min) : dst.low;
        for (int q = 0; has_elu_ && q < kBytes; ++q) {
            collect_on_curve(q);
        }
    }

    // The pairs below zero take part, and no others.
    void turn_below() {
        for (bool& below : below_) {
            below = !below;
        }
    }

    // Whether the larger of both sums gives the byte of each pair.
    bool agrees(const Line& above, const Line& below) const {
        for (std::int64_t q = -128; q < 128; ++q) {
            for (std::int64_t r = -128; r < 128; ++r) {
                const std::int64_t byte = std::max(above.at(q, r), below.at(q, r)) >> shift_;
                if (std::clamp<std::int64_t>(byte, dst_.low, dst_.high) !=
                    wanted_[place(q + 128, r + 128)]) {
                    return false;
                }
            }
        }
        return true;
    }

    // Tries factors around 2^shift times the real ones; c follows from the pairs.
    bool run(const Plane& plane, int shift) {
        const double one = std::ldexp(1.0, shift);
        first_ = {std::llround(plane.q * one), std::llround(plane.r * one)};
        shift_ = shift;
        collect();
        for (std::int64_t distance = 0; distance <= 2 * kReach; ++distance) {
            for (std::int64_t a = -kReach; a <= kReach; ++a) {
                const std::int64_t b = distance - std::abs(a);
                if (b >= 0 && b <= kReach && (fits({a, b}) || fits({a, -b}))) {
                    return true;
                }
                if (tables_tried_ == kMaxTables) {
                    return false;
                }
            }
        }
        return false;
    }

    Line line() const { return {found_, c_}; }
    const std::optional<EluTable>& elu_table() const { return table_; }

private:
    static constexpr std::int64_t kReach = 8;
    static constexpr std::int64_t kAny = std::int64_t{1} << 60;
    static constexpr int kMaxTables = 4;
    struct Window {
        std::int64_t min = -kAny, max = kAny;
    };
    static std::size_t place(std::int64_t q, std::int64_t r) {
        return static_cast<std::size_t>(q * kBytes + r);
    }
    // The bytes of a row, 16 at a time. Returns their minima.
    __m512i take_row(int q, const Operations::Row& row) {
        const __m512 low = _mm512_set1_ps(static_cast<float>(dst_.low));
        const __m512 high = _mm512_set1_ps(static_cast<float>(dst_.high));
        __m512i min = _mm512_set1_epi32(dst_.high);
        for (std::size_t r = 0; r < kBytes; r += 16) {
            const __m512 v = _mm512_loadu_ps(row.values.data() + r);
            const __m512i byte = _mm512_cvtps_epi32(_mm512_min_ps(_mm512_max_ps(v, low), high));
            min = _mm512_min_epi32(min, byte);
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(wanted_.data() + place(q, 0) + r),
                                _mm512_cvtepi32_epi16(byte));
        }
        std::copy(row.below.begin(), row.below.end(), below_.data() + place(q, 0));
        return min;
    }

    void collect_on_curve(int q) {
        const __m512i min = _mm512_set1_epi16(static_cast<std::int16_t>(min_));
        for (int r = 0; r < kBytes; r += 32) {
            const __m512i wanted = _mm512_loadu_si512(wanted_.data() + place(q, r));
            const __m256i below =
                _mm256_loadu_si256(reinterpret_cast<const __m256i*>(below_.data() + place(q, r)));
            std::uint32_t on_curve =
                _mm512_cmpgt_epi16_mask(wanted, min) & _mm256_test_epi8_mask(below, below);
            for (; on_curve != 0; on_curve &= on_curve - 1) {
                on_curve_.push_back({q - 128, r + std::countr_zero(on_curve) - 128, 0});
            }
        }
    }

    // The pairs that can bound c for any a and b that are tried.
    void collect() {
        low_.clear();
        high_.clear();
        std::array<Window, kBytes> rows;
        Window all;
        for (std::int64_t q = -128; q < 128; ++q) {
            const Window row = rows[static_cast<std::size_t>(q + 128)] = row_window(q);
            all.min = std::max(all.min, row.min);
            all.max = std::min(all.max, row.max);
        }
        constexpr std::int64_t kMargin = 2 * 2 * 128 * kReach;
        const auto is_low = [&](const Window& w) { return w.min >= all.min - kMargin; };
        const auto is_high = [&](const Window& w) { return w.max <= all.max + kMargin; };
        for (std::int64_t q = -128; q < 128; ++q) {
            const Window& row = rows[static_cast<std::size_t>(q + 128)];
            if (!is_low(row) && !is_high(row)) {
                continue;
            }
            for_row(q, [&](std::int64_t r, const Window& window) {
                if (is_low(window)) {
                    low_.push_back({q, r, window.min});
                }
                if (is_high(window)) {
                    high_.push_back({q, r, window.max});
                }
            });
        }
    }

    // The window of c for a row of pairs above the elu, with the first factors; 8 at a time.
    Window row_window(std::int64_t q) const {
        __m512i min = _mm512_set1_epi64(-kAny);
        __m512i max = _mm512_set1_epi64(kAny);
        const __m512i steps = _mm512_mullo_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7),
                                                 _mm512_set1_epi64(first_.b));
        const __m512i width = _mm512_set1_epi64((std::int64_t{1} << shift_) - 1);
        for (std::int64_t r = -128; r < 128; r += 8) {
            const std::size_t at = place(q + 128, r + 128);
            const __m512i byte = _mm512_cvtepi16_epi64(
                _mm_loadu_si128(reinterpret_cast<const __m128i*>(wanted_.data() + at)));
            const __m128i below =
                _mm_loadl_epi64(reinterpret_cast<const __m128i*>(below_.data() + at));
            const auto kept = static_cast<__mmask8>(_mm_testn_epi8_mask(below, below));
            const __m512i sum =
                _mm512_add_epi64(_mm512_set1_epi64(first_.a * q + first_.b * r), steps);
            const __m512i begin =
                _mm512_sub_epi64(_mm512_sllv_epi64(byte, _mm512_set1_epi64(shift_)), sum);
            const __mmask8 has_min =
                _mm512_mask_cmpgt_epi64_mask(kept, byte, _mm512_set1_epi64(min_));
            const __mmask8 has_max =
                _mm512_mask_cmplt_epi64_mask(kept, byte, _mm512_set1_epi64(dst_.high));
            min = _mm512_mask_max_epi64(min, has_min, min, begin);
            max = _mm512_mask_min_epi64(max, has_max, max, _mm512_add_epi64(begin, width));
        }
        return {_mm512_reduce_max_epi64(min), _mm512_reduce_min_epi64(max)};
    }

    // Calls f(r, window of c) for all pairs above the elu, with the first factors.
    template <class F>
    void for_row(std::int64_t q, F&& f) const {
        for (std::int64_t r = -128; r < 128; ++r) {
            if (!below_[place(q + 128, r + 128)]) {
                f(r, window_of(q, r, first_.a * q + first_.b * r));
            }
        }
    }

    // What has to be added to `sum` for the byte of a pair.
    Window window_of(std::int64_t q, std::int64_t r, std::int64_t sum) const {
        const int o = wanted_[place(q + 128, r + 128)];
        const std::int64_t begin = (std::int64_t{o} << shift_) - sum;
        const std::int64_t end = begin + (std::int64_t{1} << shift_) - 1;
        return {o > min_ ? begin : -kAny, o < dst_.high ? end : kAny};
    }

    bool fits(const Factors& change) { return take(change) && (!has_elu_ || find_table()); }

    // The table begins where the elu leaves its lowest byte. Its last entry but one is for the
    // highest sum of a pair below zero. Returns the number of entries, 0 when there are too many.
    std::size_t place_steps() {
        std::int64_t highest = -kAny;
        std::int64_t lowest = kAny;
        for (const Pair& pair : on_curve_) {
            const std::int64_t sum = sum_of(pair.q, pair.r);
            highest = std::max(highest, sum);
            lowest = std::min(lowest, sum);
        }
        const std::int64_t on_curve =
            on_curve_.empty() ? 0 : (highest >> shift_) - (lowest >> shift_) + 1;
        constexpr auto kMax = static_cast<std::int64_t>(EluTable::kMaxSteps);
        const std::int64_t steps = on_curve < kMax / 2 ? kMax / 2 : kMax;
        line_ = on_curve_.empty() ? 0 : (highest >> shift_) - (steps - 2);
        // Lower sums are those of the lowest byte.
        if (on_curve >= kMax || line_ - 1 > min_) {
            return 0;
        }
        c_ -= line_ * (std::int64_t{1} << shift_);
        return static_cast<std::size_t>(steps);
    }

    // The addend of each step.
    bool find_table() {
        const std::size_t steps = place_steps();
        tables_tried_ = steps == 0 ? kMaxTables : tables_tried_ + 1;
        if (steps == 0) {
            return false;
        }
        std::array<Window, EluTable::kMaxSteps> windows{};
        for (std::int64_t q = -128; q < 128; ++q) {
            for (std::int64_t r = -128; r < 128; ++r) {
                const std::int64_t sum = sum_of(q, r);
                const auto step = static_cast<std::uint64_t>(sum >> shift_);
                if (step < steps - 1) {
                    const Window wanted = window_of(q, r, sum);
                    windows[step].min = std::max(windows[step].min, wanted.min);
                    windows[step].max = std::min(windows[step].max, wanted.max);
                }
            }
        }
        const std::int64_t on_line = line_ * (std::int64_t{1} << shift_);
        windows[steps - 1] = {on_line, on_line};
        EluTable elu_table{.steps = steps, .min = min_};
        for (std::size_t i = 0; i < steps; ++i) {
            const Window& window = windows[i];
            const std::int64_t add = window.min == -kAny  ? std::min(window.max, kHalf)
                                     : window.max == kAny ? window.min
                                                          : (window.min + window.max) / 2;
            if (window.min > window.max || !fits_with(add)) {
                return false;
            }
            elu_table.add[i] = static_cast<std::int32_t>(add);
        }
        table_ = elu_table;
        return is_dword(c_) && fits_with(0);
    }

    std::int64_t sum_of(std::int64_t q, std::int64_t r) const { return line().at(q, r); }
    // Whether `add` and all sums with it are 32-bit integers.
    bool fits_with(std::int64_t add) const {
        const std::int64_t max = 128 * (std::abs(found_.a) + std::abs(found_.b));
        return is_dword(add) && is_dword(c_ + add + max) && is_dword(c_ + add - max);
    }

    static constexpr std::int64_t kHalf = std::int64_t{1} << 20;
    static bool is_dword(std::int64_t v) { return v == static_cast<std::int32_t>(v); }

    bool take(const Factors& change) {
        std::int64_t min = std::numeric_limits<std::int64_t>::min();
        std::int64_t max = std::numeric_limits<std::int64_t>::max();
        for (const Pair& pair : low_) {
            min = std::max(min, pair.bound_for(change));
        }
        for (const Pair& pair : high_) {
            max = std::min(max, pair.bound_for(change));
            if (max < min) {
                return false;
            }
        }
        found_ = {first_.a + change.a, first_.b + change.b};
        c_ = min + (max - min) / 2;
        constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
        return std::abs(c_) <= kMax;
    }

    Range q_, r_, dst_;
    bool has_elu_;
    int min_ = 0;  // of all bytes, where lower sums may stand for it
    // All are written by the constructor.
    std::array<std::int16_t, kBytes * kBytes> wanted_;
    std::array<bool, kBytes * kBytes> below_;
    std::vector<Pair> on_curve_;  // pairs below zero, above the lowest byte
    std::int64_t line_ = 0;       // the line's byte at the first step of the table
    int tables_tried_ = 0;
    std::optional<EluTable> table_;
    int shift_ = 0;
    Factors first_, found_;
    std::int64_t c_ = 0;
    std::vector<Pair> low_, high_;
};

// The max number of fraction bits with which a and b fit 24 bits and no sum leaves 32; 0: too few.
int shift_for(const Operations& operations) {
    const auto middle = [](Range range) { return range.low == 0 ? 128.0 : 0.0; };
    const Plane& p = operations.plane();
    const double factor = std::max(std::abs(p.q), std::abs(p.r));
    const double max =
        128 * (std::abs(p.q) + std::abs(p.r)) +
        std::abs(p.constant + p.q * middle(operations.q()) + p.r * middle(operations.r()));
    const double steps = operations.has_elu() ? EluTable::kMaxSteps : 0;
    constexpr int kMax = 22;
    constexpr int kMin = 18;
    for (int shift = kMax; shift >= kMin; --shift) {
        const double one = std::ldexp(1.0, shift);
        if (factor * one < 0x1p23 - kBytes && (max + steps + 1) * one < 0x1p31) {
            return shift;
        }
    }
    return 0;
}

// The words for q and r, as one.
std::int32_t words(std::int64_t of_q, std::int64_t of_r) {
    const auto low = static_cast<std::uint16_t>(of_q);
    const auto high = static_cast<std::uint16_t>(of_r);
    return static_cast<std::int32_t>(low | static_cast<std::uint32_t>(high) << 16u);
}

RequantizingAdd::Sum packed(const Line& line) {
    const auto [a, b] = line.factors;
    return {.upper = words(a >> 8, b >> 8),
            .lower = words((a & 0xff) << 8, (b & 0xff) << 8),
            .c = static_cast<std::int32_t>(line.c)};
}

// After a search above zero: the sum below it, if the larger of both is the leaky relu.
std::optional<RequantizingAdd::Sum> find_below(Search& search, const Plane& plane, int shift) {
    const Line above = search.line();
    search.turn_below();
    const bool found = search.run(plane, shift) && search.agrees(above, search.line());
    return found ? std::optional(packed(search.line())) : std::nullopt;
}

}  // namespace

std::optional<RequantizingAdd> find_requantizing_add(const std::vector<PackedOp>& ops,
                                                     Store store,
                                                     std::size_t channels) {
    const Operations operations(ops, channels);
    const bool can_take_elu =
        store == Store::kU8 && operations.possible() && operations.q().low == 0;
    if (store == Store::kF32 || !operations.possible() || (operations.has_elu() && !can_take_elu)) {
        return std::nullopt;
    }
    const int shift = shift_for(operations);
    const Range dst = store == Store::kU8 ? kUnsigned : kSigned;
    const auto search = std::make_unique<Search>(operations, dst);
    if (shift == 0 || !search->run(operations.plane(), shift)) {
        return std::nullopt;
    }
    RequantizingAdd add;
    add.input = operations.input();
    add.q_unsigned = operations.q().low == 0;
    add.r_flip = operations.r().low == 0 ? static_cast<std::int32_t>(0x80808080u) : 0;
    add.sum = packed(search->line());
    add.shift = shift;
    add.elu_table = search->elu_table();
    if (operations.below()) {
        add.below = find_below(*search, *operations.below(), shift);
    }
    return add.below.has_value() == operations.below().has_value() ? std::optional(add)
                                                                   : std::nullopt;
}

}  // namespace fuseq::kernels::gemm

FUSEQ_END_VNNI
