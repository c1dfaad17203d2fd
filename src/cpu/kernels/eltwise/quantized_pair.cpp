// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/eltwise/quantized_pair.hpp"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/eltwise/quantized_pair.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/common/exact-inl.h"
#include "cpu/kernels/eltwise/rounded_product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

// dst = operation(a, b) vector by vector. The elements after the last whole vector go through a buffer.
template <class Element, class Operation>
HWY_INLINE void for_each_vector(const void* a_data,
                                const void* b_data,
                                void* dst_data,
                                std::size_t count,
                                const Operation& operation) {
    const auto* a = static_cast<const Element*>(a_data);
    const auto* b = static_cast<const Element*>(b_data);
    auto* dst = static_cast<Element*>(dst_data);
    const std::size_t lanes = hn::Lanes(TagI32());
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        store_elements(operation(load_elements(a + i), load_elements(b + i)), dst + i);
    }
    if (i < count) {
        HWY_ALIGN Element some[3][HWY_MAX_BYTES] = {};
        const std::size_t bytes = (count - i) * sizeof(Element);
        std::memcpy(some[0], a + i, bytes);
        std::memcpy(some[1], b + i, bytes);
        store_elements(operation(load_elements(some[0]), load_elements(some[1])), some[2]);
        std::memcpy(dst + i, some[2], bytes);
    }
}

template <class Element>
void three_products(const PairParams& p, const void* a, const void* b, void* dst, std::size_t n) {
    const TagI32 d;
    const VecMultiplier of_a = all_lanes(p.of_a);
    const VecMultiplier of_b = all_lanes(p.of_b);
    const VecMultiplier of_sum = all_lanes(p.of_sum);
    const VecI32 zero_a = hn::Set(d, p.zero_a);
    const VecI32 zero_b = hn::Set(d, p.zero_b);
    const VecI32 left = hn::Set(d, p.left);
    const VecI32 sign = hn::Set(d, p.sign);
    for_each_vector<Element>(a, b, dst, n, [&](VecI32 x, VecI32 y) HWY_ATTR {
        const VecI32 first = rounded_product(hn::Sub(x, zero_a) << left, of_a);
        const VecI32 second = rounded_product(hn::Sub(y, zero_b) << left, of_b);
        const VecI32 sum = hn::Add(first, hn::Mul(second, sign));
        return on_grid(rounded_product(sum, of_sum), p.grid);
    });
}

template <class Element>
void shared_shift(const PairParams& p, const void* a, const void* b, void* dst, std::size_t n) {
    const TagI32 d;
    const VecI32 by_a = hn::Set(d, p.shift_a);
    const VecI32 by_b = hn::Set(d, p.shift_b);
    const VecI32 zero_a = hn::Set(d, p.zero_a);
    const VecI32 zero_b = hn::Set(d, p.zero_b);
    const VecI32 half = hn::Set(d, std::int32_t{1} << (p.shift - 1));
    const VecI32 shift = hn::Set(d, p.shift);
    for_each_vector<Element>(a, b, dst, n, [&](VecI32 x, VecI32 y) HWY_ATTR {
        const VecI32 first = hn::Mul(hn::Sub(x, zero_a), by_a);
        const VecI32 second = hn::Mul(hn::Sub(y, zero_b), by_b);
        return on_grid(hn::Add(hn::Add(first, second), half) >> shift, p.grid);
    });
}

// x / 2^shift, half away from zero. `half` and `away` are 0 where the shift is.
struct RoundedShift {
    VecI32 half;
    VecI32 away;
    VecI32 shift;
    explicit RoundedShift(std::int32_t by)
        : half(hn::Set(TagI32(), by == 0 ? 0 : std::int32_t{1} << (by - 1))),
          away(hn::Set(TagI32(), by == 0 ? 0 : -1)),
          shift(hn::Set(TagI32(), by)) {}
    HWY_INLINE VecI32 operator()(VecI32 x) const {
        return hn::Add(hn::Add(x, hn::And(hn::ShiftRight<31>(x), away)), half) >> shift;
    }
};

template <class Element>
void shifted_sums(const PairParams& p, const void* a, const void* b, void* dst, std::size_t n) {
    const RoundedShift of_a(p.shift_a);
    const RoundedShift of_b(p.shift_b);
    const VecI32 sign = hn::Set(TagI32(), p.sign);
    for_each_vector<Element>(a, b, dst, n, [&](VecI32 x, VecI32 y) HWY_ATTR {
        return on_grid(hn::Add(of_a(x), hn::Mul(of_b(y), sign)), p.grid);
    });
}

template <class Element>
void real_sums(const PairParams& p, const void* a, const void* b, void* dst, std::size_t n) {
    const TagF32 d;
    const VecF32 by_a = hn::Set(d, p.real_a);
    const VecF32 by_b = hn::Set(d, p.real_b);
    const VecF32 offset = hn::Set(d, p.offset);
    for_each_vector<Element>(a, b, dst, n, [&](VecI32 x, VecI32 y) HWY_ATTR {
        const VecF32 second = fused_mul_add(d, hn::ConvertTo(d, y), by_b, offset);
        const VecF32 sum = fused_mul_add(d, hn::ConvertTo(d, x), by_a, second);
        return rounded_to_grid(sum, true, p.grid);
    });
}

template <class Element>
void fixed_products(const PairParams& p, const void* a, const void* b, void* dst, std::size_t n) {
    const TagI32 d;
    const VecMultiplier by = all_lanes(p.of_sum);
    const VecI32 zero_a = hn::Set(d, p.zero_a);
    const VecI32 zero_b = hn::Set(d, p.zero_b);
    for_each_vector<Element>(a, b, dst, n, [&](VecI32 x, VecI32 y) HWY_ATTR {
        const VecI32 product = hn::Mul(hn::Sub(x, zero_a), hn::Sub(y, zero_b));
        return on_grid(rounded_product(product, by), p.grid);
    });
}

template <class Element>
void real_products(const PairParams& p, const void* a, const void* b, void* dst, std::size_t n) {
    const TagI32 d;
    const TagF32 df;
    const VecF32 by = hn::Set(df, p.real_a);
    const VecI32 zero_a = hn::Set(d, p.zero_a);
    const VecI32 zero_b = hn::Set(d, p.zero_b);
    const bool zero_first = p.rounding == ProductRounding::kRealZeroFirst;
    const VecF32 before = hn::Set(df, zero_first ? static_cast<float>(p.grid.zero_point) : 0.0F);
    for_each_vector<Element>(a, b, dst, n, [&](VecI32 x, VecI32 y) HWY_ATTR {
        const VecI32 product = hn::Mul(hn::Sub(x, zero_a), hn::Sub(y, zero_b));
        // An addition of 0 changes no rounding.
        const VecF32 steps = hn::Add(hn::Mul(hn::ConvertTo(df, product), by), before);
        return rounded_to_grid(steps, zero_first, p.grid);
    });
}

template <class Element>
void pairs(const PairParams& p, const void* a, const void* b, void* dst, std::size_t n) {
    switch (p.kind) {
        case PairKind::kThreeProducts: return three_products<Element>(p, a, b, dst, n);
        case PairKind::kSharedShift: return shared_shift<Element>(p, a, b, dst, n);
        case PairKind::kReal: return real_sums<Element>(p, a, b, dst, n);
        case PairKind::kShiftedSum: return shifted_sums<Element>(p, a, b, dst, n);
        case PairKind::kProduct: break;
    }
    if (is_fixed(p.rounding)) {
        fixed_products<Element>(p, a, b, dst, n);
    } else {
        real_products<Element>(p, a, b, dst, n);
    }
}

void quantized_pair_impl(
    const PairParams& p, const void* a, const void* b, void* dst, std::size_t n) {
    switch (p.type) {
        case ElementType::u8: return pairs<std::uint8_t>(p, a, b, dst, n);
        case ElementType::i16: return pairs<std::int16_t>(p, a, b, dst, n);
        default: return pairs<std::int8_t>(p, a, b, dst, n);
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(quantized_pair_impl);

void quantized_pair(
    const PairParams& params, const void* a, const void* b, void* dst, std::size_t count) {
    HWY_DYNAMIC_DISPATCH(quantized_pair_impl)(params, a, b, dst, count);
}

}  // namespace fuseq::kernels
#endif  // HWY_ONCE
