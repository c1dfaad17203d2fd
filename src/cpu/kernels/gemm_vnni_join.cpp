// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// From the operations of a residual input behind a quantization to factors of integers, found by
// comparing the results for every pair of bytes. Factors near the real ones give the same bytes for
// nearly all pairs; for the rest, which are close to where a result changes, neighbours are tried.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "cpu/kernels/always_inline.hpp"
#include "cpu/kernels/gemm_vnni_detail.hpp"
#include "cpu/kernels/vnni_target.hpp"

FUSEQ_BEGIN_VNNI

namespace fuseq::kernels::gemm {
namespace {

using Kind = GemmOp::Kind;
constexpr int kBytes = 256;

struct Range {
    int low = 0, high = 0;
};
constexpr Range kUnsigned{0, 255};
constexpr Range kSigned{-128, 127};

bool is_uniform(const AlignedVector<float>& list, std::size_t channels) {
    return std::all_of(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(channels),
                       [&](float v) { return v == list[0]; });
}

// An affine function of q and r, up to rounding.
struct Plane {
    double q = 1, r = 0, constant = 0;
};

// The operations behind the quantization, on floats as the general epilogue has them.
class Operations {
public:
    Operations(const std::vector<PackedOp>& ops, std::size_t channels) {
        possible_ = ops.size() > 1 && ops[0].kind == Kind::kRoundClip;
        for (const PackedOp& op : ops) {
            possible_ = possible_ && is_uniform(op.a, channels) && is_uniform(op.b, channels);
        }
        if (!possible_) {
            return;
        }
        q_ = {static_cast<int>(ops[0].a[0]), static_cast<int>(ops[0].b[0])};
        possible_ = is_byte(q_) && static_cast<float>(q_.low) == ops[0].a[0] &&
                    static_cast<float>(q_.high) == ops[0].b[0];
        for (std::size_t i = 1; possible_ && i < ops.size(); ++i) {
            possible_ = add(ops[i]);
        }
        possible_ = possible_ && tensor_ != nullptr;
        if (possible_) {
            find_far();
        }
    }

    bool possible() const { return possible_; }
    Range q() const { return q_; }
    Range r() const { return tensor_->type == ElementType::u8 ? kUnsigned : kSigned; }
    std::size_t input() const { return tensor_->input; }
    const Plane& plane() const { return plane_; }  // above zero, where there is an elu
    bool bends() const { return bends_; }

    struct Row {
        std::array<float, kBytes> values;
        std::array<bool, kBytes> below;  // where an elu gets nothing above zero
    };
    // For one q and each r, from the lowest one on.
    Row row(int q) const {
        Row row{};
        row.values.fill(static_cast<float>(q));
        for (const Step& step : steps_) {
            apply(step, row);
        }
        return row;
    }

private:
    struct Step {
        Kind kind;
        float a, b;
    };

    void apply(const Step& step, Row& row) const {
        std::array<float, kBytes>& v = row.values;
        const auto each = [&](auto&& f) FUSEQ_LAMBDA {
            for (int i = 0; i < kBytes; ++i) {
                v[static_cast<std::size_t>(i)] = f(v[static_cast<std::size_t>(i)], i);
            }
        };
        const float a = step.a, b = step.b;
        const auto low = static_cast<float>(r().low);
        switch (step.kind) {
            case Kind::kScale: each([&](float x, int) FUSEQ_LAMBDA { return x * a; }); break;
            case Kind::kShift: each([&](float x, int) FUSEQ_LAMBDA { return x + a; }); break;
            case Kind::kAffine: each([&](float x, int) FUSEQ_LAMBDA { return x * a + b; }); break;
            case Kind::kLinear:
                each([&](float x, int) FUSEQ_LAMBDA { return std::fma(x, a, b); });
                break;
            case Kind::kEltwise:
                each([&](float x, int i) FUSEQ_LAMBDA {
                    row.below[static_cast<std::size_t>(i)] = !(x > 0.0f);
                    return x > 0.0f ? b * x : by_expm1(step, x);
                });
                break;
            default:
                each([&](float x, int i)
                         FUSEQ_LAMBDA { return std::fma(low + static_cast<float>(i), a, x); });
                break;
        }
    }

    // As post_ops::apply() has it, but where all is rounded to the lowest byte.
    float by_expm1(const Step& step, float x) const {
        const double e = x < far_ ? -1.0 : std::expm1(static_cast<double>(x));
        return static_cast<float>(static_cast<double>(step.b) * (static_cast<double>(step.a) * e));
    }

    // Exponentials would take most of the time of a search.
    void find_far() {
        const auto elu = std::find_if(steps_.begin(), steps_.end(),
                                      [](const Step& step) { return step.kind == Kind::kEltwise; });
        if (elu == steps_.end()) {
            return;
        }
        Row row{};
        for (int i = 0; i < kBytes; ++i) {
            row.values[static_cast<std::size_t>(i)] = far_ * static_cast<float>(i) / (kBytes - 1);
        }
        const std::array<float, kBytes> places = row.values;
        std::for_each(elu, steps_.end(), [&](const Step& step) { apply(step, row); });
        std::size_t i = kBytes - 1;
        while (i > 0 && std::nearbyint(row.values[i - 1]) == std::nearbyint(row.values.back())) {
            --i;
        }
        far_ = places[i];
    }

    static bool is_byte(Range range) {
        return (range.low == 0 && range.high == 255) || (range.low == -128 && range.high == 127);
    }

    bool add(const PackedOp& op) {
        Step step{op.kind, op.a[0], op.b[0]};
        switch (op.kind) {
            case Kind::kScale: plane_ = scaled(step.a, 0); break;
            case Kind::kShift: plane_ = scaled(1, step.a); break;
            case Kind::kAffine:
            case Kind::kLinear: plane_ = scaled(step.a, step.b); break;
            case Kind::kSum:
                if (tensor_ != nullptr || op.binary.type == ElementType::f32) {
                    return false;
                }
                tensor_ = &op.binary;
                step.a = op.binary.scale;
                plane_.r = static_cast<double>(step.a);
                break;
            case Kind::kEltwise:
                if (tensor_ == nullptr || bends_ ||
                    op.eltwise.kind != post_ops::EltwiseKind::kElu) {
                    return false;
                }
                bends_ = true;
                step.a = op.eltwise.alpha;
                step.b = op.eltwise.scale;
                plane_ = scaled(step.b, 0);
                break;
            default: return false;
        }
        steps_.push_back(step);
        return true;
    }

    Plane scaled(double by, double shift) const {
        return {plane_.q * by, plane_.r * by, plane_.constant * by + shift};
    }

    bool possible_ = false;
    Range q_;
    std::vector<Step> steps_;
    const post_ops::Binary* tensor_ = nullptr;
    bool bends_ = false;
    float far_ = -40.0f;  // below, the exponential of a double is nothing beside 1
    Plane plane_;
};

struct Factors {
    std::int64_t a = 0, b = 0;
};

// A pair of bytes and what it asks of c, given a and b: at least, or at most, `bound`.
struct Pair {
    std::int64_t q, r, bound;
    std::int64_t bound_for(const Factors& change) const {
        return bound - change.a * q - change.b * r;
    }
};

class Search {
public:
    Search(const Operations& operations, Range dst)
        : q_(operations.q()), r_(operations.r()), dst_(dst), bends_(operations.bends()) {
        int least = dst.high;
        for (int q = 0; q < kBytes; ++q) {
            const Operations::Row row = operations.row(q_.low + q);
            for (int r = 0; r < kBytes; ++r) {
                const float v = std::nearbyint(row.values[static_cast<std::size_t>(r)]);
                const float saturated =
                    std::clamp(v, static_cast<float>(dst.low), static_cast<float>(dst.high));
                wanted_[place(q, r)] = static_cast<std::int16_t>(saturated);
                below_[place(q, r)] = row.below[static_cast<std::size_t>(r)];
                least = std::min(least, static_cast<int>(saturated));
            }
        }
        least_ = bends_ ? least : dst.low;
        for (int at = 0; bends_ && at < kBytes * kBytes; ++at) {
            const auto i = static_cast<std::size_t>(at);
            if (below_[i] && wanted_[i] > least_) {
                bent_.push_back({at / kBytes - 128, at % kBytes - 128, 0});
            }
        }
    }

    // With factors of 2^shift times the real ones; c follows from the pairs.
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
                if (bends_tried_ == kMostBends) {
                    return false;
                }
            }
        }
        return false;
    }

    Factors factors() const { return found_; }
    std::int64_t c() const { return c_; }
    const std::optional<Bend>& bend() const { return bend_; }

private:
    static constexpr std::int64_t kReach = 8;
    static constexpr std::int64_t kAny = std::int64_t{1} << 60;
    static constexpr int kMostBends = 4;
    static std::size_t place(std::int64_t q, std::int64_t r) {
        return static_cast<std::size_t>(q * kBytes + r);
    }
    // The pairs that may decide, with a and b as far from the first ones as they go.
    void collect() {
        low_.clear();
        high_.clear();
        std::array<Window, kBytes> rows;
        Window all;
        for (std::int64_t q = -128; q < 128; ++q) {
            Window& row = rows[static_cast<std::size_t>(q + 128)];
            for_row(q, [&](std::int64_t, const Window& window) {
                row.least = std::max(row.least, window.least);
                row.most = std::min(row.most, window.most);
            });
            all.least = std::max(all.least, row.least);
            all.most = std::min(all.most, row.most);
        }
        constexpr std::int64_t kMargin = 2 * 2 * 128 * kReach;
        const auto is_low = [&](const Window& w) { return w.least >= all.least - kMargin; };
        const auto is_high = [&](const Window& w) { return w.most <= all.most + kMargin; };
        for (std::int64_t q = -128; q < 128; ++q) {
            const Window& row = rows[static_cast<std::size_t>(q + 128)];
            if (!is_low(row) && !is_high(row)) {
                continue;
            }
            for_row(q, [&](std::int64_t r, const Window& window) {
                if (is_low(window)) {
                    low_.push_back({q, r, window.least});
                }
                if (is_high(window)) {
                    high_.push_back({q, r, window.most});
                }
            });
        }
    }

    // Calls f(r, what c must be) for all pairs that no elu bends, with the first factors.
    template <class F>
    void for_row(std::int64_t q, F&& f) const {
        for (std::int64_t r = -128; r < 128; ++r) {
            if (!below_[place(q + 128, r + 128)]) {
                f(r, window_of(q, r, first_.a * q + first_.b * r));
            }
        }
    }

    struct Window {
        std::int64_t least = -kAny, most = kAny;
    };
    // What has to be added to `sum` for the byte of a pair.
    Window window_of(std::int64_t q, std::int64_t r, std::int64_t sum) const {
        const int o = wanted_[place(q + 128, r + 128)];
        const std::int64_t begin = (std::int64_t{o} << shift_) - sum;
        const std::int64_t end = begin + (std::int64_t{1} << shift_) - 1;
        return {o > least_ ? begin : -kAny, o < dst_.high ? end : kAny};
    }

    bool fits(const Factors& change) { return take(change) && (!bends_ || find_bend()); }

    // The steps that an elu bends begin where it leaves its lowest byte; the last but one has the
    // highest sum of a pair that is below zero. Gives their number; 0 when there are too many.
    std::size_t place_steps() {
        std::int64_t highest = -kAny;
        std::int64_t lowest = kAny;
        for (const Pair& pair : bent_) {
            const std::int64_t sum = sum_of(pair.q, pair.r);
            highest = std::max(highest, sum);
            lowest = std::min(lowest, sum);
        }
        const std::int64_t bent = bent_.empty() ? 0 : (highest >> shift_) - (lowest >> shift_) + 1;
        constexpr auto kMost = static_cast<std::int64_t>(Bend::kMostSteps);
        const std::int64_t steps = bent < kMost / 2 ? kMost / 2 : kMost;
        line_ = bent_.empty() ? 0 : (highest >> shift_) - (steps - 2);
        // Lower sums are those of the lowest byte.
        if (bent >= kMost || line_ - 1 > least_) {
            return 0;
        }
        c_ -= line_ * (std::int64_t{1} << shift_);
        return static_cast<std::size_t>(steps);
    }

    // What to add on each step.
    bool find_bend() {
        const std::size_t steps = place_steps();
        bends_tried_ = steps == 0 ? kMostBends : bends_tried_ + 1;
        if (steps == 0) {
            return false;
        }
        std::array<Window, Bend::kMostSteps> windows{};
        for (std::int64_t q = -128; q < 128; ++q) {
            for (std::int64_t r = -128; r < 128; ++r) {
                const std::int64_t sum = sum_of(q, r);
                const auto step = static_cast<std::uint64_t>(sum >> shift_);
                if (step < steps - 1) {
                    const Window wanted = window_of(q, r, sum);
                    windows[step].least = std::max(windows[step].least, wanted.least);
                    windows[step].most = std::min(windows[step].most, wanted.most);
                }
            }
        }
        const std::int64_t on_line = line_ * (std::int64_t{1} << shift_);
        windows[steps - 1] = {on_line, on_line};
        Bend bend{.steps = steps, .least = least_};
        for (std::size_t i = 0; i < steps; ++i) {
            const Window& window = windows[i];
            const std::int64_t add = window.least == -kAny ? std::min(window.most, kHalf)
                                     : window.most == kAny ? window.least
                                                           : (window.least + window.most) / 2;
            if (window.least > window.most || !fits_with(add)) {
                return false;
            }
            bend.add[i] = static_cast<std::int32_t>(add);
        }
        bend_ = bend;
        return is_dword(c_) && fits_with(0);
    }

    std::int64_t sum_of(std::int64_t q, std::int64_t r) const {
        return found_.a * q + found_.b * r + c_;
    }
    // Whether `add` and all sums with it are 32-bit integers.
    bool fits_with(std::int64_t add) const {
        const std::int64_t most = 128 * (std::abs(found_.a) + std::abs(found_.b));
        return is_dword(add) && is_dword(c_ + add + most) && is_dword(c_ + add - most);
    }

    static constexpr std::int64_t kHalf = std::int64_t{1} << 20;
    static bool is_dword(std::int64_t v) { return v == static_cast<std::int32_t>(v); }

    bool take(const Factors& change) {
        std::int64_t least = std::numeric_limits<std::int64_t>::min();
        std::int64_t most = std::numeric_limits<std::int64_t>::max();
        for (const Pair& pair : low_) {
            least = std::max(least, pair.bound_for(change));
        }
        for (const Pair& pair : high_) {
            most = std::min(most, pair.bound_for(change));
            if (most < least) {
                return false;
            }
        }
        found_ = {first_.a + change.a, first_.b + change.b};
        c_ = least + (most - least) / 2;
        constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
        return std::abs(c_) <= kMost;
    }

    Range q_, r_, dst_;
    bool bends_;
    int least_ = 0;  // of all bytes, where lower sums may stand for it
    std::array<std::int16_t, kBytes * kBytes> wanted_{};
    std::array<bool, kBytes * kBytes> below_{};
    std::vector<Pair> bent_;  // those below zero whose byte is not the lowest
    std::int64_t line_ = 0;   // the line's byte where the first step of the bend begins
    int bends_tried_ = 0;
    std::optional<Bend> bend_;
    int shift_ = 0;
    Factors first_, found_;
    std::int64_t c_ = 0;
    std::vector<Pair> low_, high_;
};

// The most bits behind the point with which a and b have 24 bits and no sum leaves 32; 0 when there
// would be too few.
int shift_for(const Operations& operations) {
    const auto middle = [](Range range) { return range.low == 0 ? 128.0 : 0.0; };
    const Plane& p = operations.plane();
    const double factor = std::max(std::abs(p.q), std::abs(p.r));
    const double most =
        128 * (std::abs(p.q) + std::abs(p.r)) +
        std::abs(p.constant + p.q * middle(operations.q()) + p.r * middle(operations.r()));
    const double steps = operations.bends() ? Bend::kMostSteps : 0;
    constexpr int kMost = 22;
    constexpr int kLeast = 18;
    for (int shift = kMost; shift >= kLeast; --shift) {
        const double one = std::ldexp(1.0, shift);
        if (factor * one < 0x1p23 - kBytes && (most + steps + 1) * one < 0x1p31) {
            return shift;
        }
    }
    return 0;
}

// Of the words of q and r, as one.
std::int32_t words(std::int64_t of_q, std::int64_t of_r) {
    const auto low = static_cast<std::uint16_t>(of_q);
    const auto high = static_cast<std::uint16_t>(of_r);
    return static_cast<std::int32_t>(low | static_cast<std::uint32_t>(high) << 16u);
}

}  // namespace

std::optional<Join> find_join(const std::vector<PackedOp>& ops, Store store, std::size_t channels) {
    const Operations operations(ops, channels);
    const bool can_bend = store == Store::kU8 && operations.possible() && operations.q().low == 0;
    if (store == Store::kF32 || !operations.possible() || (operations.bends() && !can_bend)) {
        return std::nullopt;
    }
    const int shift = shift_for(operations);
    const Range dst = store == Store::kU8 ? kUnsigned : kSigned;
    const auto search = std::make_unique<Search>(operations, dst);
    if (shift == 0 || !search->run(operations.plane(), shift)) {
        return std::nullopt;
    }
    const auto [a, b] = search->factors();
    Join join;
    join.input = operations.input();
    join.q_unsigned = operations.q().low == 0;
    join.r_flip = operations.r().low == 0 ? static_cast<std::int32_t>(0x80808080u) : 0;
    join.upper = words(a >> 8, b >> 8);
    join.lower = words((a & 0xff) << 8, (b & 0xff) << 8);
    join.c = static_cast<std::int32_t>(search->c());
    join.shift = shift;
    join.bend = search->bend();
    return join;
}

}  // namespace fuseq::kernels::gemm

FUSEQ_END_VNNI
