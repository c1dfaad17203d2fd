// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/reduce/lrn.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "fuseq/error.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/reduce/lrn.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/common/exact-inl.h"
#include "cpu/kernels/eltwise/logarithm-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

constexpr std::size_t kTile = 4096;  // floats: stays in the first cache

// What becomes of the sum at an element.
template <class Dst>
struct Normalized {
    const LrnParams& p;
    const float* x;
    Dst* dst;
    template <class D, class V = hn::Vec<D>>
    HWY_INLINE void operator()(D d, std::size_t at, V sum) const {
        const V base = hn::Add(hn::Set(d, p.bias), hn::Mul(hn::Set(d, p.share), sum));
        const V y = hn::Mul(hn::LoadU(d, x + at), negative_power(d, base, p.beta));
        const bool plain = p.scale == 1.0f && p.shift == 0.0f;
        store_float(d, plain ? y : fused_mul_add(d, y, hn::Set(d, p.scale), hn::Set(d, p.shift)),
                    dst + at);
    }
};
struct Stored {
    float* dst;
    template <class D, class V = hn::Vec<D>>
    HWY_INLINE void operator()(D d, std::size_t at, V sum) const {
        hn::StoreU(sum, d, dst + at);
    }
};

template <bool kSquare>
struct Terms {
    const float* from;
    template <class D>
    HWY_INLINE hn::Vec<D> operator()(D d, std::size_t at) const {
        const auto v = hn::LoadU(d, from + at);
        return kSquare ? hn::Mul(v, v) : v;
    }
};

// Elements that lie `inner` apart.
template <class Term, class Finish>
void columns(const LrnParams& p, const Term& term, const Finish& finish, Range outer, Range inner) {
    for (std::size_t o = outer.begin; o < outer.end; ++o) {
        for (std::size_t at = 0; at < p.length; ++at) {
            const std::size_t first = at - std::min(at, p.reach);
            const std::size_t last = std::min(p.length - 1, at + p.reach);
            const std::size_t row = o * p.length * p.inner + inner.begin;
            for_vectors(inner.end - inner.begin, [&](auto d, std::size_t i) HWY_ATTR {
                auto sum = hn::Zero(d);
                for (std::size_t n = first; n <= last; ++n) {
                    sum = hn::Add(sum, term(d, row + n * p.inner + i));
                }
                finish(d, row + at * p.inner + i, sum);
            });
        }
    }
}

// Elements side by side: the terms of several rows with zeros around them, so that all windows are
// alike, and what is loaded at odd places was stored a while ago.
template <class Term, class Finish>
void rows(const LrnParams& p, const Term& term, const Finish& finish, Range outer) {
    HWY_ALIGN float tile[kTile];
    const std::size_t reach = std::min(p.reach, p.length - 1);
    const std::size_t part = std::min(p.length, kTile - 2 * reach);  // of a row
    const std::size_t padded = part + 2 * reach;
    const std::size_t at_once = kTile / padded;
    for (std::size_t c = 0; c < p.length; c += part) {
        const std::size_t count = std::min(part, p.length - c);
        const std::size_t before = std::min(c, reach);  // elements there are
        const std::size_t after = std::min(p.length - c - count, reach);
        for (std::size_t o = outer.begin; o < outer.end; o += at_once) {
            const std::size_t end = std::min(outer.end, o + at_once);
            for (std::size_t r = o; r < end; ++r) {
                float* to = tile + (r - o) * padded;
                std::fill(to, to + reach - before, 0.0f);
                to += reach - before;
                for_vectors(before + count + after, [&](auto d, std::size_t i) HWY_ATTR {
                    hn::StoreU(term(d, r * p.length + c - before + i), d, to + i);
                });
                to += before + count + after;
                std::fill(to, to + reach - after, 0.0f);
            }
            for (std::size_t r = o; r < end; ++r) {
                const float* from = tile + (r - o) * padded;
                for_vectors(count, [&](auto d, std::size_t i) HWY_ATTR {
                    auto sum = hn::Zero(d);
                    for (std::size_t n = 0; n <= 2 * reach; ++n) {
                        sum = hn::Add(sum, hn::LoadU(d, from + i + n));
                    }
                    finish(d, r * p.length + c + i, sum);
                });
            }
        }
    }
}

template <class Term, class Finish>
void run(const LrnParams& p, const Term& term, const Finish& finish, Range outer, Range inner) {
    if (p.inner == 1) {
        rows(p, term, finish, outer);
    } else {
        columns(p, term, finish, outer, inner);
    }
}

void lrn_impl(
    const LrnParams& p, const float* src, const float* sums, void* dst, Range outer, Range inner) {
    with_element(p.dst_type, [&](auto element) {
        const Normalized<decltype(element)> finish{p, src, static_cast<decltype(element)*>(dst)};
        if (sums == nullptr) {
            run(p, Terms<true>{src}, finish, outer, inner);
        } else {
            run(p, Terms<false>{sums}, finish, outer, inner);
        }
    });
}

void window_sums_impl(
    const LrnParams& p, bool squares, const float* src, float* dst, Range outer, Range inner) {
    if (squares) {
        run(p, Terms<true>{src}, Stored{dst}, outer, inner);
    } else {
        run(p, Terms<false>{src}, Stored{dst}, outer, inner);
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(lrn_impl);
HWY_EXPORT(window_sums_impl);

void check_lrn(const LrnParams& p) {
    if (p.length == 0 || p.inner == 0) {
        throw Error("compile",
                    fmt::format("LRN kernel: length {}, inner size {}, both must be above 0",
                                p.length, p.inner));
    }
    if (p.inner == 1 && std::min(p.reach, p.length - 1) > kLrnMaxReach) {
        throw Error(
            "compile",
            fmt::format(
                "LRN kernel: windows reach {} elements far, at most {} are possible in rows",
                p.reach, kLrnMaxReach));
    }
    if (!(p.bias > 0) || !(p.share >= 0)) {
        throw Error(
            "compile",
            fmt::format(
                "LRN kernel: bias {:g}, share {:g}, expected a bias above 0 and no negative share",
                p.bias, p.share));
    }
    if (p.dst_type != ElementType::u8 && p.dst_type != ElementType::i8 &&
        p.dst_type != ElementType::f32) {
        throw Error("compile",
                    "LRN kernel: f32 to " + to_string(p.dst_type) + ", expected u8, i8 or f32");
    }
}

void lrn(const LrnParams& params,
         const float* src,
         const float* sums,
         void* dst,
         Range outer,
         Range inner) {
    HWY_DYNAMIC_DISPATCH(lrn_impl)(params, src, sums, dst, outer, inner);
}

void window_sums(
    const LrnParams& params, bool squares, const float* src, float* dst, Range outer, Range inner) {
    HWY_DYNAMIC_DISPATCH(window_sums_impl)(params, squares, src, dst, outer, inner);
}

}  // namespace fuseq::kernels
#endif  // HWY_ONCE
