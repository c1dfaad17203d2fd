// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fuseq/error.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/rows.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/exact-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

constexpr std::size_t kSums = 16;

// Adds up f(d, i) over a row in 16 partial sums: element i goes to sum i % 16.
template <class F>
HWY_INLINE float sum_over(std::size_t count, const F& f) {
    const hn::ScalableTag<float> d;
    const hn::FixedTag<float, 1> one;
    constexpr std::size_t kVectors = kSums * sizeof(float) / HWY_MIN(HWY_MAX_BYTES, 64);
    static_assert(HWY_MAX_BYTES <= 64);
    const std::size_t lanes = hn::Lanes(d);
    hn::Vec<decltype(d)> sums[kVectors];
    for (auto& sum : sums) {
        sum = hn::Zero(d);
    }
    std::size_t i = 0;
    for (; i + kSums <= count; i += kSums) {
        for (std::size_t k = 0; k < kVectors; ++k) {
            sums[k] = hn::Add(sums[k], f(d, i + k * lanes));
        }
    }
    alignas(64) float total[kSums];
    for (std::size_t k = 0; k < kVectors; ++k) {
        hn::Store(sums[k], d, total + k * lanes);
    }
    for (std::size_t k = 0; i < count; ++i, ++k) {
        total[k] += hn::GetLane(f(one, i));
    }
    for (std::size_t step = kSums / 2; step > 0; step /= 2) {
        for (std::size_t k = 0; k < step; ++k) {
            total[k] += total[k + step];
        }
    }
    return total[0];
}

HWY_INLINE float max_over(const float* x, std::size_t count) {
    const hn::ScalableTag<float> d;
    auto max = hn::Set(d, x[0]);
    std::size_t i = 0;
    for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
        max = hn::Max(max, hn::LoadU(d, x + i));
    }
    float result = hn::GetLane(hn::MaxOfLanes(d, max));
    for (; i < count; ++i) {
        result = std::max(result, x[i]);
    }
    return result;
}

// exp(x) for x <= 0: x = n * ln 2 + r with |r| <= ln 2 / 2, exp(r) by a polynomial of degree 6,
// 2^n by the exponent bits. Below -87.3 the result would be denormal: 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp_of(D d, V x) {
    const hn::RebindToSigned<D> di;
    const V least = hn::Set(d, -87.3f);
    const auto too_small = hn::Lt(x, least);
    const V bounded = hn::Max(x, least);
    const V n = hn::Round(hn::Mul(bounded, hn::Set(d, 1.44269504f)));
    V r = fused_mul_add(d, n, hn::Set(d, -0.693359375f), bounded);
    r = fused_mul_add(d, n, hn::Set(d, 2.12194440e-4f), r);
    V p = hn::Set(d, 1.9875691500e-4f);
    p = fused_mul_add(d, p, r, hn::Set(d, 1.3981999507e-3f));
    p = fused_mul_add(d, p, r, hn::Set(d, 8.3334519073e-3f));
    p = fused_mul_add(d, p, r, hn::Set(d, 4.1665795894e-2f));
    p = fused_mul_add(d, p, r, hn::Set(d, 1.6666665459e-1f));
    p = fused_mul_add(d, p, r, hn::Set(d, 5.0000001201e-1f));
    p = hn::Add(fused_mul_add(d, p, hn::Mul(r, r), r), hn::Set(d, 1.0f));
    const auto power = hn::ShiftLeft<23>(hn::Add(hn::NearestInt(n), hn::Set(di, 127)));
    const V result = hn::Mul(p, hn::BitCast(d, power));
    // NaN compares false and passes through the arithmetic.
    return hn::IfThenElse(hn::IsNaN(x), x, hn::IfThenZeroElse(too_small, result));
}

template <class Dst>
void softmax_row(const SoftmaxParams& params, const float* src, Dst* dst) {
    // The exponentials are kept between the two passes: in dst if it is f32, else a part of the
    // row at a time (longer rows compute the rest twice).
    constexpr std::size_t kKept = 4096;
    constexpr bool kInPlace = std::is_same_v<Dst, float>;
    alignas(64) float some[kInPlace ? 16 : kKept];
    const std::size_t n = params.length;
    const float max = max_over(src, n);
    const float sum = sum_over(n, [&](auto d, std::size_t i) HWY_ATTR {
        const auto e = exp_of(d, hn::Sub(hn::LoadU(d, src + i), hn::Set(d, max)));
        if constexpr (kInPlace) {
            hn::StoreU(e, d, dst + i);
        } else if (i + hn::Lanes(d) <= kKept) {
            hn::StoreU(e, d, some + i);
        }
        return e;
    });
    const float inv_sum = 1.0f / sum;
    const auto finish = [&](auto d, std::size_t i, auto e) HWY_ATTR {
        const auto p = hn::Mul(e, hn::Set(d, inv_sum));
        const auto v = fused_mul_add(d, p, hn::Set(d, params.scale), hn::Set(d, params.shift));
        store_float(d, v, dst + i);
    };
    const std::size_t kept = kInPlace ? n : std::min(n, kKept);
    const float* from = some;
    if constexpr (kInPlace) {
        from = dst;
    }
    for_vectors(kept,
                [&](auto d, std::size_t i) HWY_ATTR { finish(d, i, hn::LoadU(d, from + i)); });
    for_vectors(n - kept, [&](auto d, std::size_t i) HWY_ATTR {
        const auto x = hn::LoadU(d, src + kept + i);
        finish(d, kept + i, exp_of(d, hn::Sub(x, hn::Set(d, max))));
    });
}

template <class Dst>
void layer_norm_row(const LayerNormParams& params, const float* src, Dst* dst) {
    const std::size_t n = params.length;
    const auto count = static_cast<float>(n);
    const float mean =
        sum_over(n, [&](auto d, std::size_t i) HWY_ATTR { return hn::LoadU(d, src + i); }) / count;
    float factor = 1.0f;
    if (params.normalize_variance) {
        const float squares = sum_over(n, [&](auto d, std::size_t i) HWY_ATTR {
            const auto x = hn::Sub(hn::LoadU(d, src + i), hn::Set(d, mean));
            return hn::Mul(x, x);
        });
        const float variance = squares / count;
        factor = 1.0f / (params.epsilon_outside ? std::sqrt(variance) + params.epsilon
                                                : std::sqrt(variance + params.epsilon));
    }
    const bool gammas = params.gamma.size() > 1;
    const bool betas = params.beta.size() > 1;
    const float gamma = params.gamma.empty() ? 1.0f : params.gamma[0];
    const float beta = params.beta.empty() ? 0.0f : params.beta[0];
    for_vectors(n, [&](auto d, std::size_t i) HWY_ATTR {
        const auto x = hn::Sub(hn::LoadU(d, src + i), hn::Set(d, mean));
        const auto y = hn::Mul(x, hn::Set(d, factor));
        const auto g = gammas ? hn::LoadU(d, params.gamma.data() + i) : hn::Set(d, gamma);
        const auto b = betas ? hn::LoadU(d, params.beta.data() + i) : hn::Set(d, beta);
        store_float(d, fused_mul_add(d, y, g, b), dst + i);
    });
}

template <class Dst>
void softmax_rows(const SoftmaxParams& params, const float* src, void* dst, Range rows) {
    for (std::size_t r = rows.begin; r < rows.end; ++r) {
        softmax_row(params, src + r * params.length, static_cast<Dst*>(dst) + r * params.length);
    }
}

template <class Dst>
void layer_norm_rows(const LayerNormParams& params, const float* src, void* dst, Range rows) {
    for (std::size_t r = rows.begin; r < rows.end; ++r) {
        layer_norm_row(params, src + r * params.length, static_cast<Dst*>(dst) + r * params.length);
    }
}

void softmax_impl(const SoftmaxParams& params, const float* src, void* dst, Range rows) {
    switch (params.dst_type) {
        case ElementType::u8: return softmax_rows<std::uint8_t>(params, src, dst, rows);
        case ElementType::i8: return softmax_rows<std::int8_t>(params, src, dst, rows);
        default: return softmax_rows<float>(params, src, dst, rows);
    }
}

void layer_norm_impl(const LayerNormParams& params, const float* src, void* dst, Range rows) {
    switch (params.dst_type) {
        case ElementType::u8: return layer_norm_rows<std::uint8_t>(params, src, dst, rows);
        case ElementType::i8: return layer_norm_rows<std::int8_t>(params, src, dst, rows);
        default: return layer_norm_rows<float>(params, src, dst, rows);
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(softmax_impl);
HWY_EXPORT(layer_norm_impl);

namespace {

void check_row(const char* kernel, std::size_t length, ElementType dst_type) {
    if (length == 0 || (dst_type != ElementType::u8 && dst_type != ElementType::i8 &&
                        dst_type != ElementType::f32)) {
        throw Error("compile", detail::cat(kernel, " kernel: rows of ", length, ", f32 to ",
                                           to_string(dst_type)));
    }
}

}  // namespace

void check_softmax(const SoftmaxParams& params) {
    check_row("softmax", params.length, params.dst_type);
}

void check_layer_norm(const LayerNormParams& params) {
    check_row("layer norm", params.length, params.dst_type);
    const auto fits = [&](std::span<const float> list) {
        return list.size() <= 1 || list.size() == params.length;
    };
    if (!fits(params.gamma) || !fits(params.beta)) {
        throw Error("compile",
                    detail::cat("layer norm kernel: ", params.gamma.size(), " gammas, ",
                                params.beta.size(), " betas for rows of ", params.length));
    }
}

void softmax(const SoftmaxParams& params, const float* src, void* dst, Range rows) {
    HWY_DYNAMIC_DISPATCH(softmax_impl)(params, src, dst, rows);
}

void layer_norm(const LayerNormParams& params, const float* src, void* dst, Range rows) {
    HWY_DYNAMIC_DISPATCH(layer_norm_impl)(params, src, dst, rows);
}

}  // namespace fuseq::kernels
#endif  // HWY_ONCE
