// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/depthwise/depthwise_float.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/depthwise/depthwise_float.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Positions of a kernel that lie in src: numbers first to last - 1, the first of them at `at`.
struct Taps {
    std::size_t first = 0, last = 0, at = 0;
};

Taps taps_of(const DepthwiseAxis& a, std::size_t position) {
    const std::ptrdiff_t start = static_cast<std::ptrdiff_t>(position * a.stride) - a.pad;
    const auto step = static_cast<std::ptrdiff_t>(a.dilation);
    const auto end = static_cast<std::ptrdiff_t>(a.src);
    const auto max = static_cast<std::ptrdiff_t>(a.kernel);
    const std::ptrdiff_t first = start >= 0 ? 0 : (-start + step - 1) / step;
    const std::ptrdiff_t last = start >= end ? 0 : std::min(max, (end - start + step - 1) / step);
    if (first >= last) {
        return {};
    }
    return {static_cast<std::size_t>(first), static_cast<std::size_t>(last),
            static_cast<std::size_t>(start + first * step)};
}

class Row {
public:
    Row(const DepthwiseFloatParams& p, const float* src, const float* packed, std::size_t row)
        : p_(p), packed_(packed) {
        y_ = taps_of(p.height, row % p.height.dst);
        z_ = taps_of(p.depth, row / p.height.dst % p.depth.dst);
        src_ = src + row / p.height.dst / p.depth.dst * p.depth.src * plane();
    }

    void run(float* to) const {
        const hn::ScalableTag<float> d;
        const std::size_t lanes = hn::Lanes(d);
        for (std::size_t i = 0; i < p_.width.dst; ++i, to += p_.channels) {
            const Taps x = taps_of(p_.width, i);
            std::size_t c = 0;
            for (; c + 4 * lanes <= p_.channels; c += 4 * lanes) {
                pixel<4>(d, x, c, to);
            }
            for (; c + lanes <= p_.channels; c += lanes) {
                pixel<1>(d, x, c, to);
            }
            for (; c < p_.channels; ++c) {
                pixel<1>(hn::FixedTag<float, 1>(), x, c, to);
            }
        }
    }

private:
    std::size_t plane() const { return p_.height.src * p_.width.src * p_.channels; }

    // kVectors vectors of channels of one pixel.
    template <std::size_t kVectors, class D>
    HWY_INLINE void pixel(D d, const Taps& x, std::size_t channel, float* to) const {
        const std::size_t lanes = hn::Lanes(d);
        hn::Vec<D> sums[kVectors];
#pragma GCC unroll 4
        for (auto& sum : sums) {
            sum = hn::Zero(d);
        }
        const std::size_t next = p_.width.dilation * p_.channels;
        for (std::size_t kz = z_.first; kz < z_.last; ++kz) {
            const std::size_t z = z_.at + (kz - z_.first) * p_.depth.dilation;
            for (std::size_t ky = y_.first; ky < y_.last; ++ky) {
                const std::size_t y = y_.at + (ky - y_.first) * p_.height.dilation;
                const float* from =
                    src_ + ((z * p_.height.src + y) * p_.width.src + x.at) * p_.channels + channel;
                const float* w =
                    packed_ +
                    ((kz * p_.height.kernel + ky) * p_.width.kernel + x.first) * p_.channels +
                    channel;
                for (std::size_t kx = x.first; kx < x.last; ++kx, from += next, w += p_.channels) {
#pragma GCC unroll 4
                    for (std::size_t v = 0; v < kVectors; ++v) {
                        sums[v] = hn::MulAdd(hn::LoadU(d, from + v * lanes),
                                             hn::LoadU(d, w + v * lanes), sums[v]);
                    }
                }
            }
        }
#pragma GCC unroll 4
        for (std::size_t v = 0; v < kVectors; ++v) {
            hn::StoreU(sums[v], d, to + channel + v * lanes);
        }
    }

    const DepthwiseFloatParams& p_;
    const float* packed_;
    const float* src_;  // of the image
    Taps y_, z_;
};

void depthwise_float_row_impl(const DepthwiseFloatParams& p,
                              const float* src,
                              const float* packed,
                              std::size_t row,
                              float* to) {
    Row(p, src, packed, row).run(to);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(depthwise_float_row_impl);

void pack_depthwise_float(const DepthwiseFloatParams& params, const float* weights, float* packed) {
    const std::size_t taps = params.taps();
    for (std::size_t c = 0; c < params.channels; ++c) {
        for (std::size_t t = 0; t < taps; ++t) {
            packed[t * params.channels + c] = weights[c * taps + t];
        }
    }
}

void depthwise_float_row(const DepthwiseFloatParams& params,
                         const float* src,
                         const float* packed,
                         std::size_t row,
                         float* to) {
    HWY_DYNAMIC_DISPATCH(depthwise_float_row_impl)(params, src, packed, row, to);
}

}  // namespace fuseq::kernels
#endif  // HWY_ONCE
