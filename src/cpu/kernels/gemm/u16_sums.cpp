// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The product of 16 by 8 bits, for every instruction set: what is done to vectors.
#include <algorithm>
#include <cstring>

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/gemm/u16_product_detail.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/gemm/u16_sums.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

// Once a target: its include guard is a toggle.
#include "cpu/kernels/common/hwy_unrolled-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels::u16 {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using kernels::HWY_NAMESPACE::unrolled;

using D = hn::CappedTag<std::int32_t, kGroup>;
using D16 = hn::Repartition<std::int16_t, D>;
using DF = hn::Rebind<float, D>;
using V = hn::Vec<D>;
constexpr std::size_t kLanes = hn::MaxLanes(D());
constexpr std::size_t kVectors = kGroup / kLanes;
// Pixels of a tile, so that sums, weights and a source stay in registers.
constexpr std::size_t kPixels = kLanes == kGroup ? 14 : kLanes == 8 ? 6 : 3;

// Sums of 16 channels.
struct Sums {
    V of[kVectors];

    HWY_INLINE void begin(const std::int32_t* init) {
        unrolled<kVectors>([&](auto v)
                               FUSEQ_HWY_LAMBDA { of[v] = hn::LoadU(D(), init + v * kLanes); });
    }
    HWY_INLINE void store(float* to) const {
        unrolled<kVectors>([&](auto v) FUSEQ_HWY_LAMBDA {
            hn::StoreU(hn::ConvertTo(DF(), of[v]), DF(), to + v * kLanes);
        });
    }
};

HWY_INLINE V add_products(hn::Vec<D16> x, hn::Vec<D16> w, V sum) {
    V unused = hn::Zero(D());
    return hn::ReorderWidenMulAccumulate(D(), x, w, sum, unused);
}

template <std::size_t Pixels>
void sum_tile(const PairCall& call, std::size_t first, std::size_t group) {
    Sums sums[Pixels];
    unrolled<Pixels>([&](auto p) FUSEQ_HWY_LAMBDA { sums[p].begin(call.init + group * kGroup); });
    const std::int16_t* wei = call.wei + group * call.wei_step;
    const std::int16_t* const src = call.src + static_cast<std::ptrdiff_t>(first) * call.src_step;
    for (const std::ptrdiff_t tap : call.taps) {
        const std::int16_t* at = src + tap;
        for (std::size_t i = 0; i < call.pairs; ++i, at += 2, wei += 2 * kGroup) {
            unrolled<Pixels>([&](auto p) FUSEQ_HWY_LAMBDA {
                std::int32_t pair;
                std::memcpy(&pair, at + static_cast<std::ptrdiff_t>(p) * call.src_step,
                            sizeof(pair));
                const auto x = hn::BitCast(D16(), hn::Set(D(), pair));
                unrolled<kVectors>([&](auto v) FUSEQ_HWY_LAMBDA {
                    const auto w = hn::Load(D16(), wei + 2 * v * kLanes);
                    sums[p].of[v] = add_products(x, w, sums[p].of[v]);
                });
            });
        }
    }
    unrolled<Pixels>([&](auto p) FUSEQ_HWY_LAMBDA {
        sums[p].store(call.sums + (first + p) * call.pitch + group * kGroup);
    });
}

void sum_pairs_impl(const PairCall& call) {
    for (std::size_t group = 0; group < call.groups; ++group) {
        std::size_t pixel = 0;
        for (; pixel + kPixels <= call.pixels; pixel += kPixels) {
            sum_tile<kPixels>(call, pixel, group);
        }
        for (; pixel + 2 <= call.pixels; pixel += 2) {
            sum_tile<2>(call, pixel, group);
        }
        if (pixel < call.pixels) {
            sum_tile<1>(call, pixel, group);
        }
    }
}

// 16 values, each with another one in the upper half.
struct Twos {
    V of[kVectors];
};
HWY_INLINE V widened(const std::int16_t* from) {
    const hn::Rebind<std::uint16_t, D> half;
    const hn::Repartition<std::uint32_t, D> whole;
    return hn::BitCast(
        D(), hn::PromoteTo(whole, hn::LoadU(half, reinterpret_cast<const std::uint16_t*>(from))));
}
HWY_INLINE Twos load_twos(const std::int16_t* first, const std::int16_t* second) {
    Twos twos;
    for (std::size_t v = 0; v < kVectors; ++v) {
        twos.of[v] =
            hn::Or(widened(first + v * kLanes), hn::ShiftLeft<16>(widened(second + v * kLanes)));
    }
    return twos;
}
HWY_INLINE void add_twos(const Twos& x, const std::int16_t* wei, Sums& sums) {
    unrolled<kVectors>([&](auto v) FUSEQ_HWY_LAMBDA {
        const auto w = hn::Load(D16(), wei + 2 * v * kLanes);
        sums.of[v] = add_products(hn::BitCast(D16(), x.of[v]), w, sums.of[v]);
    });
}

// Pixels side by side share the vectors of weights.
template <std::size_t Pixels>
HWY_INLINE void depthwise_tile(const DepthwiseCall& call, std::size_t first) {
    Sums sums[Pixels];
    unrolled<Pixels>([&](auto p) FUSEQ_HWY_LAMBDA { sums[p].begin(call.init); });
    const std::int16_t* const src = call.src + static_cast<std::ptrdiff_t>(first) * call.src_step;
    const std::int16_t* wei = call.wei;
    for (std::size_t t = 0; t < call.taps.size(); t += 2, wei += 2 * kGroup) {
        unrolled<Pixels>([&](auto p) FUSEQ_HWY_LAMBDA {
            const std::int16_t* at = src + static_cast<std::ptrdiff_t>(p) * call.src_step;
            add_twos(load_twos(at + call.taps[t], at + call.taps[t + 1]), wei, sums[p]);
        });
    }
    unrolled<Pixels>([&](auto p)
                         FUSEQ_HWY_LAMBDA { sums[p].store(call.sums + (first + p) * call.pitch); });
}

void sum_depthwise_impl(const DepthwiseCall& call) {
    constexpr std::size_t kTile = kVectors == 1 ? 4 : 2;
    std::size_t pixel = 0;
    for (; pixel + kTile <= call.pixels; pixel += kTile) {
        depthwise_tile<kTile>(call, pixel);
    }
    for (; pixel < call.pixels; ++pixel) {
        depthwise_tile<1>(call, pixel);
    }
}

void split_bytes_impl(const std::uint16_t* from,
                      std::size_t count,
                      std::uint8_t* low,
                      std::uint8_t* high) {
    const hn::ScalableTag<std::uint16_t> d16;
    const hn::RebindToSigned<decltype(d16)> d_signed;
    const hn::Rebind<std::uint8_t, decltype(d16)> d8;
    const auto store = [&](hn::Vec<decltype(d16)> x, std::uint8_t* to) HWY_ATTR {
        hn::StoreU(hn::DemoteTo(d8, hn::BitCast(d_signed, x)), d8, to);
    };
    const auto lower = hn::Set(d16, std::uint16_t{0xff});
    const std::size_t lanes = hn::Lanes(d16);
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        const auto x = hn::LoadU(d16, from + i);
        store(hn::And(x, lower), low + i);
        store(hn::ShiftRight<8>(x), high + i);
    }
    for (; i < count; ++i) {
        low[i] = static_cast<std::uint8_t>(from[i]);
        high[i] = static_cast<std::uint8_t>(from[i] >> 8U);
    }
}

void move_to_middle_impl(const std::uint16_t* from, std::size_t count, std::int16_t* to) {
    const hn::ScalableTag<std::uint16_t> d;
    const auto middle = hn::Set(d, std::uint16_t{kMiddle});
    const std::size_t lanes = hn::Lanes(d);
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        hn::StoreU(hn::Xor(hn::LoadU(d, from + i), middle), d,
                   reinterpret_cast<std::uint16_t*>(to + i));
    }
    for (; i < count; ++i) {
        to[i] = static_cast<std::int16_t>(from[i] - kMiddle);
    }
}

void join_sums_impl(const std::int32_t* tile,
                    std::size_t pixels,
                    std::size_t groups,
                    const std::int32_t* init,
                    float* to,
                    std::size_t pitch) {
    const D d;
    const std::size_t row = groups * kGroup;
    const std::int32_t* const high = tile + pixels * row;
    for (std::size_t p = 0; p < pixels; ++p, to += pitch) {
        for (std::size_t i = 0; i < row; i += kLanes) {
            const V upper = hn::ShiftLeft<8>(hn::Load(d, high + p * row + i));
            const V both = hn::Add(hn::Load(d, tile + p * row + i), upper);
            hn::StoreU(hn::ConvertTo(DF(), hn::Add(both, hn::LoadU(d, init + i))), DF(), to + i);
        }
    }
}

void store_u16_impl(const float* from, std::size_t count, std::uint16_t* to) {
    const D d;
    const hn::Rebind<std::uint16_t, D> d16;
    std::size_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        const V whole = hn::ConvertTo(d, hn::LoadU(DF(), from + i));
        hn::StoreU(hn::DemoteTo(d16, whole), d16, to + i);
    }
    for (; i < count; ++i) {
        to[i] = static_cast<std::uint16_t>(from[i]);
    }
}

using D16u = hn::Rebind<std::uint16_t, D>;
using VF = hn::Vec<DF>;

void store_u16_of_three_impl(const float* planes,
                             std::size_t plane,
                             std::size_t count,
                             std::uint16_t* to) {
    constexpr std::size_t kThree = 3;
    std::size_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        const auto load = [&](std::size_t c) HWY_ATTR {
            const VF x = hn::LoadU(DF(), planes + c * plane + i);
            return hn::DemoteTo(D16u(), hn::ConvertTo(D(), x));
        };
        hn::StoreInterleaved3(load(0), load(1), load(2), D16u(), to + kThree * i);
    }
    for (; i < count; ++i) {
        for (std::size_t c = 0; c < kThree; ++c) {
            to[kThree * i + c] = static_cast<std::uint16_t>(planes[c * plane + i]);
        }
    }
}

HWY_INLINE VF affine(VF x, const float* scale, const float* bias) {
    return hn::Add(hn::Mul(x, hn::LoadU(DF(), scale)), hn::LoadU(DF(), bias));
}

// kLanes channels of a pixel.
struct FinishedFloats {
    using Tag = DF;
    static HWY_INLINE VF of(const U16Finish& f, const float* sums, std::size_t c) {
        return affine(hn::LoadU(DF(), sums + c), f.scale() + c, f.bias() + c);
    }
};
template <bool Slope>
struct FinishedIntegers {
    using Tag = D16u;
    static HWY_INLINE hn::Vec<D16u> of(const U16Finish& f, const float* sums, std::size_t c) {
        const DF d;
        VF x = affine(hn::LoadU(d, sums + c), f.scale() + c, f.bias() + c);
        if constexpr (Slope) {
            x = hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, hn::Mul(x, hn::LoadU(d, f.slope() + c)));
        }
        x = hn::Add(x, hn::LoadU(d, f.shift() + c));
        x = hn::Min(hn::Max(x, hn::Set(d, f.low())), hn::LoadU(d, f.high() + c));
        if (f.rescale() != nullptr) {
            x = hn::Mul(x, hn::LoadU(d, f.rescale() + c));
        }
        return hn::DemoteTo(D16u(), hn::NearestInt(x));
    }
};

template <class Finished>
void finish_pixels(const U16Finish& f,
                   const float* sums,
                   std::size_t pitch,
                   std::size_t count,
                   hn::TFromD<typename Finished::Tag>* dst) {
    const typename Finished::Tag d;
    const std::size_t channels = f.channels();
    for (std::size_t p = 0; p < count; ++p, sums += pitch, dst += channels) {
        std::size_t c = 0;
        for (; c + kLanes <= channels; c += kLanes) {
            hn::StoreU(Finished::of(f, sums, c), d, dst + c);
        }
        if (c == channels) {
            continue;
        }
        // What is written beyond a pixel, the next one writes again.
        const auto last = Finished::of(f, sums, c);
        if ((count - p - 1) * channels >= kLanes) {
            hn::StoreU(last, d, dst + c);
        } else {
            HWY_ALIGN hn::TFromD<decltype(d)> lanes[kGroup];
            hn::Store(last, d, lanes);
            std::copy_n(lanes, channels - c, dst + c);
        }
    }
}

void finish_impl(const U16Finish& f,
                 const float* sums,
                 std::size_t pitch,
                 std::size_t pixel,
                 std::size_t count,
                 void* dst) {
    if (f.to_floats()) {
        return finish_pixels<FinishedFloats>(f, sums, pitch, count,
                                             static_cast<float*>(dst) + pixel * f.channels());
    }
    auto* const to = static_cast<std::uint16_t*>(dst) + pixel * f.channels();
    f.slope() != nullptr ? finish_pixels<FinishedIntegers<true>>(f, sums, pitch, count, to)
                         : finish_pixels<FinishedIntegers<false>>(f, sums, pitch, count, to);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels::u16
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {
namespace u16 {

HWY_EXPORT(sum_pairs_impl);
HWY_EXPORT(sum_depthwise_impl);
HWY_EXPORT(split_bytes_impl);
HWY_EXPORT(move_to_middle_impl);
HWY_EXPORT(join_sums_impl);
HWY_EXPORT(store_u16_impl);
HWY_EXPORT(store_u16_of_three_impl);
HWY_EXPORT(finish_impl);

void sum_pairs(const PairCall& call) {
    HWY_DYNAMIC_DISPATCH(sum_pairs_impl)(call);
}
void sum_depthwise(const DepthwiseCall& call) {
    HWY_DYNAMIC_DISPATCH(sum_depthwise_impl)(call);
}
void split_bytes(const std::uint16_t* from,
                 std::size_t count,
                 std::uint8_t* low,
                 std::uint8_t* high) {
    HWY_DYNAMIC_DISPATCH(split_bytes_impl)(from, count, low, high);
}
void move_to_middle(const std::uint16_t* from, std::size_t count, std::int16_t* to) {
    HWY_DYNAMIC_DISPATCH(move_to_middle_impl)(from, count, to);
}
void join_sums(const std::int32_t* tile,
               std::size_t pixels,
               std::size_t groups,
               const std::int32_t* init,
               float* to,
               std::size_t pitch) {
    HWY_DYNAMIC_DISPATCH(join_sums_impl)(tile, pixels, groups, init, to, pitch);
}

namespace {
void run_store_u16(const float* from, std::size_t count, std::uint16_t* to) {
    HWY_DYNAMIC_DISPATCH(store_u16_impl)(from, count, to);
}
void run_store_u16_of_three(const float* planes,
                            std::size_t plane,
                            std::size_t count,
                            std::uint16_t* to) {
    HWY_DYNAMIC_DISPATCH(store_u16_of_three_impl)(planes, plane, count, to);
}
void run_finish(const U16Finish& finish,
                const float* sums,
                std::size_t pitch,
                std::size_t pixel,
                std::size_t count,
                void* dst) {
    HWY_DYNAMIC_DISPATCH(finish_impl)(finish, sums, pitch, pixel, count, dst);
}
}  // namespace

}  // namespace u16

void store_u16(const float* from, std::size_t count, std::uint16_t* to) {
    u16::run_store_u16(from, count, to);
}

void store_u16_of_three(const float* planes,
                        std::size_t plane,
                        std::size_t count,
                        std::uint16_t* to) {
    u16::run_store_u16_of_three(planes, plane, count, to);
}

void U16Finish::run(
    const float* sums, std::size_t pitch, std::size_t pixel, std::size_t count, void* dst) const {
    u16::run_finish(*this, sums, pitch, pixel, count, dst);
}

}  // namespace fuseq::kernels
#endif
