// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/eltwise/residual_add.hpp"

#include "fuseq/error.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/eltwise/residual_add.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/common/exact-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

struct Arguments {
    const void* a;
    const void* b;
    void* dst;
    Range elements;
};

template <class A, class B, class Dst>
void add(const ResidualAddParams& p, const Arguments& x) {
    const A* a = static_cast<const A*>(x.a) + x.elements.begin;
    const B* b = static_cast<const B*>(x.b) + x.elements.begin;
    Dst* dst = static_cast<Dst*>(x.dst) + x.elements.begin;
    map_elements(x.elements.end - x.elements.begin, dst, [&](auto d, std::size_t i) HWY_ATTR {
        const auto other =
            fused_mul_add(d, load_float(d, b + i), hn::Set(d, p.b_scale), hn::Set(d, p.shift));
        const auto v = fused_mul_add(d, load_float(d, a + i), hn::Set(d, p.a_scale), other);
        return hn::Min(hn::Max(v, hn::Set(d, p.low)), hn::Set(d, p.high));
    });
}

void residual_add_impl(
    const ResidualAddParams& p, const void* a, const void* b, void* dst, Range elements) {
    const Arguments x{a, b, dst, elements};
    with_element(p.a_type, [&](auto left) {
        with_element(p.b_type, [&](auto right) {
            with_element(p.dst_type, [&](auto sum) {
                add<decltype(left), decltype(right), decltype(sum)>(p, x);
            });
        });
    });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(residual_add_impl);

void check_residual_add(const ResidualAddParams& p) {
    for (const ElementType type : {p.a_type, p.b_type, p.dst_type}) {
        if (type != ElementType::u8 && type != ElementType::i8 && type != ElementType::f32) {
            throw Error("compile", "residual add kernel: " + to_string(p.a_type) + " + " +
                                       to_string(p.b_type) + " to " + to_string(p.dst_type) +
                                       ", expected u8, i8 or f32");
        }
    }
}

void residual_add(
    const ResidualAddParams& params, const void* a, const void* b, void* dst, Range elements) {
    HWY_DYNAMIC_DISPATCH(residual_add_impl)(params, a, b, dst, elements);
}

}  // namespace fuseq::kernels
#endif  // HWY_ONCE
