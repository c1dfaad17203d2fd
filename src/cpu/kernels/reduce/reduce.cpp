// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/reduce/reduce.hpp"

#include <algorithm>
#include <limits>

#include <fmt/core.h>

#include "fuseq/error.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/reduce/reduce.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/common/exact-inl.h"
#include "cpu/kernels/reduce/column_epilogue-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

// How elements are folded into a result: start, one element more, two results made one.
struct Sum {
    static float start() { return 0.0f; }
    template <class D, class V = hn::Vec<D>>
    HWY_INLINE V fold(D, V sum, V x) const {
        return hn::Add(sum, x);
    }
    template <class D, class V = hn::Vec<D>>
    HWY_INLINE V combine(D, V a, V b) const {
        return hn::Add(a, b);
    }
};
struct SumOfAbsolutes : Sum {
    template <class D, class V = hn::Vec<D>>
    HWY_INLINE V fold(D, V sum, V x) const {
        return hn::Add(sum, hn::Abs(x));
    }
};
struct SumOfSquares : Sum {
    template <class D, class V = hn::Vec<D>>
    HWY_INLINE V fold(D, V sum, V x) const {
        return hn::Add(sum, hn::Mul(x, x));
    }
};
// The comparison is false for a NaN among the elements, which is passed over.
struct Max {
    static float start() { return -std::numeric_limits<float>::infinity(); }
    template <class D, class V = hn::Vec<D>>
    HWY_INLINE V fold(D, V max, V x) const {
        return hn::IfThenElse(hn::Lt(max, x), x, max);
    }
    template <class D, class V = hn::Vec<D>>
    HWY_INLINE V combine(D d, V a, V b) const {
        return fold(d, a, b);
    }
};
struct Min {
    static float start() { return std::numeric_limits<float>::infinity(); }
    template <class D, class V = hn::Vec<D>>
    HWY_INLINE V fold(D, V min, V x) const {
        return hn::IfThenElse(hn::Lt(x, min), x, min);
    }
    template <class D, class V = hn::Vec<D>>
    HWY_INLINE V combine(D d, V a, V b) const {
        return fold(d, a, b);
    }
};

// Folds `length` vectors that lie `stride` elements apart. Four partial results, and again one for
// every 64 vectors: sums of many elements keep their precision. `change` is applied to each vector.
template <class Fold, class D, class Src, class Change>
HWY_INLINE hn::Vec<D> fold_column(D d,
                                  const Fold& f,
                                  const Src* src,
                                  std::size_t length,
                                  std::size_t stride,
                                  const Change& change) {
    constexpr std::size_t kBlock = 64;
    const auto start = hn::Set(d, Fold::start());
    const auto at = [&](std::size_t i) HWY_ATTR { return change(load_float(d, src + i * stride)); };
    auto total = start;
    for (std::size_t block = 0; block < length; block += kBlock) {
        const std::size_t end = std::min(block + kBlock, length);
        auto a = start;
        auto b = start;
        auto c = start;
        auto e = start;
        std::size_t i = block;
        for (; i + 4 <= end; i += 4) {
            a = f.fold(d, a, at(i));
            b = f.fold(d, b, at(i + 1));
            c = f.fold(d, c, at(i + 2));
            e = f.fold(d, e, at(i + 3));
        }
        for (; i < end; ++i) {
            a = f.fold(d, a, at(i));
        }
        total = f.combine(d, total, f.combine(d, f.combine(d, a, b), f.combine(d, c, e)));
    }
    return total;
}

struct Same {
    template <class V>
    HWY_INLINE V operator()(V x) const {
        return x;
    }
};

// A row as columns of 16 lanes, whatever the width of a vector, then the lanes and the rest.
template <class Fold>
HWY_INLINE float fold_row(const Fold& f, const float* src, std::size_t length) {
    constexpr std::size_t kLanes = 16;
    const hn::CappedTag<float, kLanes> d;
    const hn::FixedTag<float, 1> one;
    auto total = hn::Set(one, Fold::start());
    std::size_t i = 0;
    if (length >= kLanes) {
        alignas(64) float lanes[kLanes];
        for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(d)) {
            hn::Store(fold_column(d, f, src + lane, length / kLanes, kLanes, Same()), d,
                      lanes + lane);
        }
        for (const float& lane : lanes) {
            total = f.combine(one, total, hn::LoadU(one, &lane));
        }
        i = length / kLanes * kLanes;
    }
    for (; i < length; ++i) {
        total = f.fold(one, total, hn::LoadU(one, src + i));
    }
    return hn::GetLane(total);
}

template <class Fold, class Finish>
void reduce_with(const ReduceParams& p,
                 const float* src,
                 float* dst,
                 Range outer,
                 Range inner,
                 const Finish& finish) {
    const Fold fold;
    const hn::FixedTag<float, 1> one;
    for (std::size_t o = outer.begin; o < outer.end; ++o) {
        const float* from = src + o * p.length * p.inner;
        float* to = dst + o * p.inner;
        if (p.inner == 1) {
            const auto value = hn::Set(one, fold_row(fold, from, p.length));
            hn::StoreU(finish(one, value), one, to);
            continue;
        }
        for_vectors(inner.end - inner.begin, [&](auto d, std::size_t i) HWY_ATTR {
            const std::size_t c = inner.begin + i;
            const auto value = fold_column(d, fold, from + c, p.length, p.inner, Same());
            hn::StoreU(finish(d, value), d, to + c);
        });
    }
}

void reduce_impl(const ReduceParams& p, const float* src, float* dst, Range outer, Range inner) {
    const auto as_is = [](auto, auto v) HWY_ATTR { return v; };
    const auto count = static_cast<float>(p.length);
    const auto mean = [count](auto d, auto v) HWY_ATTR { return hn::Div(v, hn::Set(d, count)); };
    const auto root = [](auto, auto v) HWY_ATTR { return hn::Sqrt(v); };
    switch (p.kind) {
        case Reduction::kSum: return reduce_with<Sum>(p, src, dst, outer, inner, as_is);
        case Reduction::kMean: return reduce_with<Sum>(p, src, dst, outer, inner, mean);
        case Reduction::kMax: return reduce_with<Max>(p, src, dst, outer, inner, as_is);
        case Reduction::kMin: return reduce_with<Min>(p, src, dst, outer, inner, as_is);
        case Reduction::kL1: return reduce_with<SumOfAbsolutes>(p, src, dst, outer, inner, as_is);
        case Reduction::kL2: return reduce_with<SumOfSquares>(p, src, dst, outer, inner, root);
    }
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V factor_of(D d, const NormalizeParams& p, V squares) {
    const V variance = hn::Div(squares, hn::Set(d, static_cast<float>(p.length)));
    const V epsilon = hn::Set(d, p.epsilon);
    const V deviation = p.epsilon_outside ? hn::Add(hn::Sqrt(variance), epsilon)
                                          : hn::Sqrt(hn::Add(variance, epsilon));
    return hn::Div(hn::Set(d, 1.0f), deviation);
}

// One vector of columns, the first of them number `column`.
template <class D, class Src, class Dst>
HWY_INLINE void normalize_columns(
    D d, const NormalizeParams& p, const Src* src, Dst* dst, std::size_t column) {
    const auto count = hn::Set(d, static_cast<float>(p.length));
    const auto mean = hn::Div(fold_column(d, Sum(), src, p.length, p.inner, Same()), count);
    const auto centred = [&](auto x) HWY_ATTR { return hn::Sub(x, mean); };
    auto factor = hn::Set(d, 1.0f);
    if (p.normalize_variance) {
        factor = factor_of(d, p, fold_column(d, SumOfSquares(), src, p.length, p.inner, centred));
    }
    with_column_epilogue(d, p, column, [&](const auto& epilogue) HWY_ATTR {
        for (std::size_t i = 0; i < p.length; ++i) {
            const auto x = load_float(d, src + i * p.inner);
            store_float(d, epilogue(hn::Mul(hn::Sub(x, mean), factor)), dst + i * p.inner);
        }
    });
}

template <class Src, class Dst>
void normalize_as(
    const NormalizeParams& p, const void* src_data, void* dst_data, Range outer, Range inner) {
    const auto* src = static_cast<const Src*>(src_data);
    auto* dst = static_cast<Dst*>(dst_data);
    for (std::size_t o = outer.begin; o < outer.end; ++o) {
        const std::size_t first = o * p.length * p.inner;
        for_vectors(inner.end - inner.begin, [&](auto d, std::size_t i) HWY_ATTR {
            const std::size_t column = inner.begin + i;
            normalize_columns(d, p, src + first + column, dst + first + column, column);
        });
    }
}

template <class Src>
void normalize_from(
    const NormalizeParams& p, const void* src, void* dst, Range outer, Range inner) {
    switch (p.dst_type) {
        case ElementType::u8: return normalize_as<Src, std::uint8_t>(p, src, dst, outer, inner);
        case ElementType::i8: return normalize_as<Src, std::int8_t>(p, src, dst, outer, inner);
        default: return normalize_as<Src, float>(p, src, dst, outer, inner);
    }
}

void normalize_impl(
    const NormalizeParams& p, const void* src, void* dst, Range outer, Range inner) {
    switch (p.src_type) {
        case ElementType::u8: return normalize_from<std::uint8_t>(p, src, dst, outer, inner);
        case ElementType::i8: return normalize_from<std::int8_t>(p, src, dst, outer, inner);
        default: return normalize_from<float>(p, src, dst, outer, inner);
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(reduce_impl);
HWY_EXPORT(normalize_impl);

namespace {

void check_sizes(const char* kernel, std::size_t length, std::size_t inner) {
    if (length == 0 || inner == 0) {
        throw Error("compile",
                    fmt::format("{} kernel: length {}, inner size {}, both must be above 0", kernel,
                                length, inner));
    }
}

}  // namespace

void check_reduce(const ReduceParams& params) {
    check_sizes("reduce", params.length, params.inner);
}

void check_normalize(const NormalizeParams& params) {
    check_sizes("normalize", params.length, params.inner);
    for (const ElementType type : {params.src_type, params.dst_type}) {
        if (type != ElementType::u8 && type != ElementType::i8 && type != ElementType::f32) {
            throw Error("compile", "normalize kernel: " + to_string(params.src_type) + " to " +
                                       to_string(params.dst_type) + ", expected u8, i8 or f32");
        }
    }
    for (const auto list : {params.gamma, params.beta, params.slope}) {
        if (list.size() > 1 && list.size() != params.inner) {
            throw Error(
                "compile",
                fmt::format("normalize kernel: {} gammas, {} betas, {} slopes for {} columns",
                            params.gamma.size(), params.beta.size(), params.slope.size(),
                            params.inner));
        }
    }
}

void reduce(const ReduceParams& params, const float* src, float* dst, Range outer, Range inner) {
    HWY_DYNAMIC_DISPATCH(reduce_impl)(params, src, dst, outer, inner);
}

void normalize(
    const NormalizeParams& params, const void* src, void* dst, Range outer, Range inner) {
    HWY_DYNAMIC_DISPATCH(normalize_impl)(params, src, dst, outer, inner);
}

}  // namespace fuseq::kernels
#endif  // HWY_ONCE
