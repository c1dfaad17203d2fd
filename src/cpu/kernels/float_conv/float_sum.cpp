// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/float_conv/float_sum.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/float_conv/float_sum.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/common/exact-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {

// The ways round once where they multiply and add: there is nothing to search without that.
#if HWY_TARGET == HWY_SSSE3 || HWY_TARGET == HWY_SSE4
std::optional<FloatSum> search_slopes(const ByteRule& /*rule*/, float /*scale*/) {
    return std::nullopt;
}
#else
namespace {

constexpr std::size_t kSteps = 256;  // the last one is the one before it again
constexpr std::int64_t kOne = std::int64_t{1} << 23u;

// Step i is the way from one byte to the next, `byte`.
struct Steps {
    alignas(64) std::array<std::int32_t, kSteps> byte;
    // The smallest real number that rounds to a float that rounds to the byte, or the greatest that
    // does not: half-way cases of either rounding go to the even side.
    alignas(64) std::array<double, kSteps> boundary;
};

Steps make_steps(int lowest) {
    Steps steps{};
    for (std::size_t i = 0; i < kSteps; ++i) {
        const int byte = lowest + 1 + static_cast<int>(std::min(i, kSteps - 2));
        const float half = static_cast<float>(byte) - 0.5f;
        const float inf = std::numeric_limits<float>::infinity();
        const float next = std::nextafter(half, byte % 2 == 0 ? -inf : inf);
        steps.byte[i] = byte;
        steps.boundary[i] = (static_cast<double>(half) + static_cast<double>(next)) / 2;
    }
    return steps;
}

const Steps& steps_of(bool is_signed) {
    static const Steps kUnsigned = make_steps(0);
    static const Steps kSigned = make_steps(-128);
    return is_signed ? kSigned : kUnsigned;
}

// What may be added to scale * x: at least `low`, less than `high`.
struct Window {
    double low;
    double high;
};

namespace hn = hwy::HWY_NAMESPACE;
using DF = hn::ScalableTag<float>;
using DI = hn::RebindToSigned<DF>;
using DD = hn::ScalableTag<double>;
using DHalf = hn::Rebind<std::int32_t, DD>;  // as many integers as doubles
using VF = hn::Vec<DF>;
using VI = hn::Vec<DI>;
using VD = hn::Vec<DD>;
constexpr std::size_t kDoubles = hn::MaxLanes(DD());

// The first x of each byte, limited to [min, max + 1].
struct Places {
    alignas(64) std::array<std::int32_t, kSteps> first;
};

HWY_INLINE VI to_integers(VF v) {
    return VI{round_raw(v.raw)};
}

HWY_INLINE VI long_way(const ByteRule& rule, VI x) {
    const DF d;
    const VF v = hn::ConvertTo(d, x);
    const VF scale = hn::Set(d, rule.scale);
    const VF bias = hn::Set(d, rule.bias);
    VF value =
        rule.bias_first ? hn::Mul(hn::Add(v, bias), scale) : fused_mul_add(d, v, scale, bias);
    if (rule.clips) {
        value = hn::Max(value, hn::Set(d, rule.low));
        value = hn::Mul(hn::Min(value, hn::Set(d, rule.high)), hn::Set(d, rule.factor));
    }
    if (rule.relus) {
        value = hn::Add(hn::Max(value, hn::Zero(d)), hn::Set(d, rule.after));
    }
    return to_integers(value);
}

HWY_INLINE VI short_way(const FloatSum& sum, VI x) {
    const DF d;
    const VF v = hn::BitCast(d, hn::Add(x, hn::Set(DI(), sum.begin)));
    return to_integers(fused_mul_add(d, v, hn::Set(d, sum.scale), hn::Set(d, sum.shift)));
}

// Whether way(x) has all of these places.
template <class Way>
HWY_INLINE bool has_places(const ByteRule& rule,
                           const Steps& steps,
                           const Places& places,
                           const Way& way) {
    const DI d;
    // Integers: what is at least another one is greater than that less one.
    const VI one = hn::Set(d, 1);
    const VI before_min = hn::Set(d, static_cast<std::int32_t>(rule.min) - 1);
    const VI after_max = hn::Set(d, static_cast<std::int32_t>(rule.max) + 1);
    const VI after_top = hn::Set(d, top_byte(rule) + 1);
    const VI bottom = hn::Set(d, bottom_byte(rule));
    for (std::size_t i = 0; i < kSteps; i += hn::Lanes(d)) {
        const VI byte = hn::Load(d, steps.byte.data() + i);
        const VI first = hn::Load(d, places.first.data() + i);
        const VI last = hn::Sub(first, one);
        const auto used = hn::And(hn::Lt(byte, after_top), hn::Gt(byte, bottom));
        const auto there = hn::And(used, hn::Lt(first, after_max));
        const auto before = hn::And(used, hn::Gt(last, before_min));
        const auto late = hn::And(there, hn::Lt(way(first), byte));
        const auto early = hn::And(before, hn::Gt(way(last), hn::Sub(byte, one)));
        if (!hn::AllFalse(d, hn::Or(late, early))) {
            return false;
        }
    }
    return true;
}

// From estimates in double precision, which are at most one away.
HWY_INLINE Places find_places(const ByteRule& rule, const Steps& steps) {
    const double factor =
        1.0 / (static_cast<double>(rule.scale) * static_cast<double>(rule.factor));
    const double bias =
        static_cast<double>(rule.bias) + (rule.relus ? static_cast<double>(rule.after) : 0.0);
    const DD dd;
    const VD shift = hn::Set(dd, rule.bias_first ? -bias : -bias * factor);
    const auto estimate = [&](std::size_t at) FUSEQ_HWY_LAMBDA {
        const VD boundary = hn::Load(dd, steps.boundary.data() + at);
        const VD x = hn::MulAdd(boundary, hn::Set(dd, factor), shift);
        const VD limited = hn::Min(hn::Max(x, hn::Set(dd, static_cast<double>(rule.min))),
                                   hn::Set(dd, static_cast<double>(rule.max + 1)));
        return hn::DemoteTo(DHalf(), hn::Ceil(limited));
    };
    const DI d;
    const VI one = hn::Set(d, 1);
    const VI min = hn::Set(d, static_cast<std::int32_t>(rule.min));
    const VI after = hn::Set(d, static_cast<std::int32_t>(rule.max + 1));
    Places places;
    for (std::size_t i = 0; i < kSteps; i += hn::Lanes(d)) {
        const VI byte = hn::Load(d, steps.byte.data() + i);
        const VI x = hn::Combine(d, estimate(i + kDoubles), estimate(i));
        const VI last = hn::Sub(x, one);
        const auto later = hn::Lt(long_way(rule, x), byte);
        const auto sooner = hn::Gt(long_way(rule, last), hn::Sub(byte, one));
        const VI first = hn::IfThenElse(sooner, last, hn::IfThenElse(later, hn::Add(x, one), x));
        hn::Store(hn::Min(hn::Max(first, min), after), d, places.first.data() + i);
    }
    return places;
}

// Where scale * x + shift, in real numbers, has the places.
HWY_INLINE Window window_of(const ByteRule& rule,
                            const Steps& steps,
                            const Places& places,
                            float scale) {
    const DD d;
    const DHalf half;
    const VD by = hn::Set(d, static_cast<double>(scale));
    const VD min = hn::Set(d, static_cast<double>(rule.min));
    const VD max = hn::Set(d, static_cast<double>(rule.max));
    const VD top = hn::Set(d, static_cast<double>(top_byte(rule)));
    const VD bottom = hn::Set(d, static_cast<double>(bottom_byte(rule)));
    VD low = hn::Set(d, -std::numeric_limits<double>::max());
    VD high = hn::Set(d, std::numeric_limits<double>::max());
    for (std::size_t i = 0; i < kSteps; i += kDoubles) {
        const VD boundary = hn::Load(d, steps.boundary.data() + i);
        const VD first = hn::PromoteTo(d, hn::Load(half, places.first.data() + i));
        const VD last = hn::Sub(first, hn::Set(d, 1.0));
        const VD byte = hn::PromoteTo(d, hn::Load(half, steps.byte.data() + i));
        const auto used = hn::And(hn::Le(byte, top), hn::Gt(byte, bottom));
        const auto there = hn::And(used, hn::Le(first, max));
        const auto before = hn::And(used, hn::Ge(last, min));
        low = hn::IfThenElse(there, hn::Max(low, hn::NegMulAdd(by, first, boundary)), low);
        high = hn::IfThenElse(before, hn::Min(high, hn::NegMulAdd(by, last, boundary)), high);
    }
    alignas(64) double lows[kDoubles], highs[kDoubles];
    hn::Store(low, d, lows);
    hn::Store(high, d, highs);
    return {*std::max_element(lows, lows + kDoubles), *std::min_element(highs, highs + kDoubles)};
}

// A beginning and a shift that is a float, together in the window: the shift is as large as 2^23
// steps of x, too coarse by itself, and each later beginning moves it by another fraction.
HWY_INLINE std::optional<FloatSum> find_sum(const ByteRule& rule, float scale, Window window) {
    constexpr int kTries = 1 << 15;
    constexpr int kMostDoubles = 8;  // of all targets, which try the same
    const double middle = std::clamp(window.low / 2 + window.high / 2, -1e9, 1e9);
    const std::int64_t begin = kOne - std::min<std::int64_t>(rule.min, 0);
    const std::int64_t room = 2 * kOne - 1 - std::max<std::int64_t>(rule.max, 0) - begin;
    const auto tries =
        static_cast<int>(std::min<std::int64_t>(room, kTries) / kMostDoubles * kMostDoubles);
    const DD d;
    const hn::Rebind<float, DD> half;
    const VD by = hn::Set(d, static_cast<double>(scale));
    const VD wanted = hn::Set(d, middle);
    const VD step = hn::Set(d, static_cast<double>(kDoubles));
    VD at = hn::Iota(d, static_cast<double>(begin));
    for (int i = 0; i < tries; i += static_cast<int>(kDoubles), at = hn::Add(at, step)) {
        const VD product = hn::Mul(at, by);  // exact, 24 and 24 bits
        const auto shift = hn::DemoteTo(half, hn::Sub(wanted, product));
        const VD sum = hn::Add(hn::PromoteTo(d, shift), product);
        const auto in =
            hn::And(hn::Gt(sum, hn::Set(d, window.low)), hn::Lt(sum, hn::Set(d, window.high)));
        if (!hn::AllFalse(d, in)) {
            const auto lane = static_cast<std::size_t>(hn::FindFirstTrue(d, in));
            alignas(64) float shifts[kDoubles];
            hn::Store(shift, half, shifts);
            const auto bits =
                static_cast<std::int32_t>(begin + i - kOne) + static_cast<std::int32_t>(lane);
            return FloatSum{.begin = std::bit_cast<std::int32_t>(static_cast<float>(kOne)) + bits,
                            .scale = scale,
                            .shift = shifts[lane]};
        }
    }
    return std::nullopt;
}

std::optional<FloatSum> with_slope(const ByteRule& rule,
                                   const Steps& steps,
                                   const Places& places,
                                   float scale) {
    const Window window = window_of(rule, steps, places, scale);
    if (!(window.low < window.high)) {
        return std::nullopt;
    }
    const auto found = find_sum(rule, scale, window);
    if (found && has_places(rule, steps, places,
                            [&](VI x) FUSEQ_HWY_LAMBDA { return short_way(*found, x); })) {
        return found;
    }
    return std::nullopt;
}

}  // namespace

// The slope of the long way is not quite that of its product of scales: each rounding after it
// moves the places a little, and a neighbour of it may have them where it has not.
std::optional<FloatSum> search_slopes(const ByteRule& rule, float scale) {
    const Steps& steps = steps_of(rule.is_signed);
    const auto by_long_way = [&](VI x) FUSEQ_HWY_LAMBDA { return long_way(rule, x); };
    const Places places = find_places(rule, steps);
    if (!has_places(rule, steps, places, by_long_way)) {
        return std::nullopt;
    }
    for (const int ulps : {0, 1, -1, 2, -2}) {
        const float slope = std::bit_cast<float>(std::bit_cast<std::int32_t>(scale) + ulps);
        if (const auto found = with_slope(rule, steps, places, slope)) {
            return found;
        }
    }
    return std::nullopt;
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(search_slopes);

int top_byte(const ByteRule& rule) {
    const int max = rule.is_signed ? 127 : 255;
    return rule.clips ? static_cast<int>(std::clamp(std::nearbyint(rule.high * rule.factor), 0.0f,
                                                    static_cast<float>(max)))
                      : max;
}

int bottom_byte(const ByteRule& rule) {
    const float min = rule.is_signed ? -128.0f : 0.0f;
    return static_cast<int>(rule.relus ? std::clamp(std::nearbyint(rule.after), min, min + 255.0f)
                                       : min);
}

std::optional<FloatSum> search_float_sum(const ByteRule& rule) {
    constexpr std::int64_t kOne = std::int64_t{1} << 23u;
    const bool takes = rule.scale >= 1e-30f && rule.scale <= 1e4f && std::abs(rule.bias) < 1e9f &&
                       rule.min <= rule.max && rule.min > -kOne && rule.max < kOne &&
                       rule.max - rule.min < kOne - 64;
    const bool clips_well = !rule.clips || (rule.bias_first && !rule.is_signed && rule.low <= 0 &&
                                            rule.factor >= 1e-10f && rule.factor <= 1e10f &&
                                            rule.high > 0 && rule.high * rule.factor < 1e9f);
    const bool relus_well =
        !rule.relus || (!rule.bias_first && !rule.clips && std::abs(rule.after) < 1e6f);
    const float scale = rule.clips ? rule.scale * rule.factor : rule.scale;
    constexpr double kFits = 1e9;  // a 32-bit integer, either way
    const double largest = static_cast<double>(std::max(-rule.min, rule.max)) +
                           (rule.bias_first ? std::abs(static_cast<double>(rule.bias)) : 0.0);
    if (!takes || !clips_well || !relus_well || !(scale >= 1e-30f) ||
        largest * static_cast<double>(std::max(rule.scale, scale)) > kFits) {
        return std::nullopt;
    }
    return HWY_DYNAMIC_DISPATCH(search_slopes)(rule, scale);
}

}  // namespace fuseq::kernels
#endif
