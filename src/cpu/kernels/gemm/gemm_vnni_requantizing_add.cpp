// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Searches the integers of a requantizing add and compares the result for every pair of bytes.
// Factors near the real ones give the same byte for nearly all pairs. Where a pair lies close to a
// step of the result, neighbouring factors are tried.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/gemm/gemm_vnni_requantizing_add.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/common/exact-inl.h"
#include "cpu/kernels/gemm/gemm_vnni_requantizing_add_operations-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

using gemm::EluTable;
using gemm::RequantizingAdd;
using gemm::Store;

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
        for (int q = 0; q < kBytes; ++q) {
            take_row(q, operations.row(q_.low + q));
        }
        min_ = has_elu_ ? min_wanted() : dst.low;
        for (int q = 0; has_elu_ && q < kBytes; ++q) {
            collect_on_curve(q);
        }
    }

    // The pairs below zero take part, and no others.
    void turn_below() {
        for (std::uint8_t& below : below_) {
            below ^= 1u;
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
    void take_row(int q, const Operations::Row& row) {
        const DF d;
        const hn::RebindToSigned<DF> d32;
        const hn::Rebind<std::int16_t, DF> d16;
        const auto low = hn::Set(d, static_cast<float>(dst_.low));
        const auto high = hn::Set(d, static_cast<float>(dst_.high));
        for (std::size_t r = 0; r < kBytes; r += hn::Lanes(d)) {
            const auto v = hn::LoadU(d, row.values.data() + r);
            const hn::Vec<decltype(d32)> byte{round_raw(hn::Min(hn::Max(v, low), high).raw)};
            hn::StoreU(hn::DemoteTo(d16, byte), d16, wanted_.data() + place(q, 0) + r);
        }
        std::copy(row.below.begin(), row.below.end(), below_.data() + place(q, 0));
    }

    int min_wanted() const {
        const hn::ScalableTag<std::int16_t> d;
        auto min = hn::Set(d, std::numeric_limits<std::int16_t>::max());
        for (std::size_t i = 0; i < wanted_.size(); i += hn::Lanes(d)) {
            min = hn::Min(min, hn::LoadU(d, wanted_.data() + i));
        }
        std::array<std::int16_t, hn::MaxLanes(hn::ScalableTag<std::int16_t>())> lanes;
        hn::StoreU(min, d, lanes.data());
        return *std::min_element(lanes.begin(), lanes.end());
    }

    void collect_on_curve(int q) {
        const hn::ScalableTag<std::int16_t> d;
        const hn::Rebind<std::uint8_t, decltype(d)> d8;
        const auto min = hn::Set(d, static_cast<std::int16_t>(min_));
        const auto lanes = static_cast<int>(hn::Lanes(d));
        for (int first = 0; first < kBytes; first += lanes) {
            const auto wanted = hn::LoadU(d, wanted_.data() + place(q, first));
            const auto below = hn::PromoteTo(d, hn::LoadU(d8, below_.data() + place(q, first)));
            if (hn::AllFalse(d, hn::And(hn::Gt(wanted, min), hn::Gt(below, hn::Zero(d))))) {
                continue;
            }
            for (int r = first; r < first + lanes; ++r) {
                if (wanted_[place(q, r)] > min_ && below_[place(q, r)] != 0) {
                    on_curve_.push_back({q - 128, r - 128, 0});
                }
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

    // The window of c for a row of pairs above the elu, with the first factors.
    Window row_window(std::int64_t q) const {
        const hn::ScalableTag<std::int64_t> d;
        const hn::Rebind<std::int32_t, decltype(d)> d32;
        const hn::Rebind<std::int16_t, decltype(d)> d16;
        const hn::Rebind<std::uint8_t, decltype(d)> d8;
        const std::size_t lanes = hn::Lanes(d);
        constexpr std::size_t kMaxLanes = hn::MaxLanes(hn::ScalableTag<std::int64_t>());
        alignas(64) std::int64_t of_lane[kMaxLanes];
        for (std::size_t i = 0; i < lanes; ++i) {
            of_lane[i] = static_cast<std::int64_t>(i) * first_.b;
        }
        auto sum = hn::Add(hn::Set(d, first_.a * q - 128 * first_.b), hn::Load(d, of_lane));
        const auto next = hn::Set(d, static_cast<std::int64_t>(lanes) * first_.b);
        const auto width = hn::Set(d, (std::int64_t{1} << shift_) - 1);
        auto min = hn::Set(d, -kAny);
        auto max = hn::Set(d, kAny);
        const std::size_t first = place(q + 128, 0);
        for (std::size_t at = first; at < first + kBytes; at += lanes, sum = hn::Add(sum, next)) {
            const auto byte =
                hn::PromoteTo(d, hn::PromoteTo(d32, hn::LoadU(d16, wanted_.data() + at)));
            const auto below =
                hn::PromoteTo(d, hn::PromoteTo(d32, hn::LoadU(d8, below_.data() + at)));
            const auto kept = hn::Eq(below, hn::Zero(d));
            const auto begin = hn::Sub(hn::ShiftLeftSame(byte, shift_), sum);
            const auto has_min = hn::And(kept, hn::Gt(byte, hn::Set(d, min_)));
            const auto has_max = hn::And(kept, hn::Lt(byte, hn::Set(d, dst_.high)));
            min = hn::IfThenElse(has_min, hn::Max(min, begin), min);
            max = hn::IfThenElse(has_max, hn::Min(max, hn::Add(begin, width)), max);
        }
        alignas(64) std::int64_t mins[kMaxLanes], maxs[kMaxLanes];
        hn::Store(min, d, mins);
        hn::Store(max, d, maxs);
        return {*std::max_element(mins, mins + lanes), *std::min_element(maxs, maxs + lanes)};
    }

    // Calls f(r, window of c) for all pairs above the elu, with the first factors.
    template <class F>
    void for_row(std::int64_t q, F&& f) const {
        for (std::int64_t r = -128; r < 128; ++r) {
            if (below_[place(q + 128, r + 128)] == 0) {
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
    std::array<std::uint8_t, kBytes * kBytes> below_;  // 1 or 0
    std::vector<Pair> on_curve_;                       // pairs below zero, above the lowest byte
    std::int64_t line_ = 0;  // the line's byte at the first step of the table
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

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(find_requantizing_add);

namespace gemm {

std::optional<RequantizingAdd> find_requantizing_add(const std::vector<PackedOp>& ops,
                                                     Store store,
                                                     std::size_t channels) {
    return HWY_DYNAMIC_DISPATCH(find_requantizing_add)(ops, store, channels);
}

}  // namespace gemm
}  // namespace fuseq::kernels
#endif
