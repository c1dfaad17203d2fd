// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The micro-kernel of gemm_vnni256.cpp and the list of operations after it in one function: the sums
// go from registers to dst, and the last products of a tile do not wait in memory. For the tiles of
// five and six rows, which most are, and the lists of layers of little depth.
#include "cpu/kernels/gemm/gemm_vnni256_fused.hpp"

#include <algorithm>
#include <array>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/gemm/gemm_vnni256_fused.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/common/vnni256-inl.h"
#include "cpu/kernels/gemm/first_of.hpp"
#include "cpu/kernels/gemm/gemm_narrow_list-inl.h"
#include "cpu/kernels/gemm/gemm_narrow_rule-inl.h"
#include "cpu/kernels/gemm/gemm_narrow_tile-inl.h"
#include "cpu/kernels/gemm/gemm_vnni256_requantizing_add-inl.h"
#include "cpu/machine/avx_vnni.hpp"

#if HWY_TARGET == HWY_AVX2
HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

using gemm::FusedFunction;
using gemm::MicroCall;

constexpr std::size_t kFiveRows = gemm::kMinFusedRows;
constexpr std::size_t kSixRows = 6;
constexpr std::size_t kMaxRows = 7;  // of the tiles of gemm_vnni256.cpp

// How sums become floats that are rounded to bytes: with bias and scale, or by the panel's way.
enum class Way : std::uint8_t { kLong, kShort };

template <std::size_t... I>
HWY_INLINE void begin_short(narrow::Sums<sizeof...(I)>& sums,
                            const std::int32_t* init,
                            const std::int32_t* begin,
                            std::index_sequence<I...>) {
    const DI d;
    ((sums.v[I] = hn::Add(hn::Load(d, init + kVector * (I % kVectors)),
                          hn::Load(d, begin + kVector * (I % kVectors)))),
     ...);
}

// The sums of a tile. They must stay a variable of the function that calls this: as a member of an
// object they would be stored in each round of the loop.
template <class Product, Way How, std::size_t Rows>
HWY_INLINE void sum_tile(narrow::Sums<Rows * kVectors>& sums,
                         const MicroCall& micro,
                         const EpilogueCall& call) {
    if constexpr (How == Way::kLong) {
        narrow::sum_tile<Product, Rows>(sums, micro);
    } else {
        begin_short(sums, micro.init, call.panel->way->begin,
                    std::make_index_sequence<Rows * kVectors>{});
        narrow::for_steps(micro, [&](narrow::Places& at, auto steps) FUSEQ_HWY_LAMBDA {
            narrow::add_steps<Product, Rows>(sums, micro, at, steps);
        });
    }
}

// The constants of a way, from the first channel of the panel on: bias and scale, or scale and shift.
struct WayConstants {
    const float* a;
    const float* b;
};

template <Way How>
HWY_INLINE WayConstants constants_of(const EpilogueCall& call) {
    if constexpr (How == Way::kShort) {
        return {call.panel->way->scale, call.panel->way->shift};
    } else {
        const std::size_t channel = call.panel->channel;
        return {call.epilogue->bias.data() + channel, call.epilogue->scale.data() + channel};
    }
}

// The vectors of a group, from number `First` of the sums on.
template <Way How, std::size_t First, std::size_t Size, std::size_t Count>
HWY_INLINE Group<Size> group_of(const narrow::Sums<Count>& sums, const WayConstants& k) {
    const DF d;
    Group<Size> g;
    if constexpr (How == Way::kShort) {
        for_group<Size>([&](auto i)
                            FUSEQ_HWY_LAMBDA { g.v[i] = hn::BitCast(d, sums.v[First + i]); });
        with_two(g, k.a, k.b, [](VF x, VF scale, VF shift) FUSEQ_HWY_LAMBDA {
            return hn::MulAdd(x, scale, shift);
        });
    } else {
        for_group<Size>([&](auto i)
                            FUSEQ_HWY_LAMBDA { g.v[i] = hn::ConvertTo(d, sums.v[First + i]); });
        bias_and_scale(g, k.a, k.b);
    }
    return g;
}

// f(first row, number of vectors) for each group of a tile.
template <std::size_t Rows, class F>
HWY_INLINE void for_groups(F&& f) {
    for_group<(Rows + kGroupRows - 1) / kGroupRows>([&](auto number) FUSEQ_HWY_LAMBDA {
        constexpr std::size_t kRow = decltype(number)::value * kGroupRows;
        constexpr std::size_t kSize = std::min(kGroupRows, Rows - kRow) * kVectors;
        f(std::integral_constant<std::size_t, kRow>{},
          std::integral_constant<std::size_t, kSize>{});
    });
}

// As finish_list(). Windows: weights have zero points.
template <class Product, class T, bool Windows, std::size_t Count, GemmOp::Kind... Kinds>
void fused_list(const MicroCall& micro, const EpilogueCall& call) {
    narrow::Sums<Count * kVectors> sums;
    sum_tile<Product, Way::kLong, Count>(sums, micro, call);
    const WayConstants constants = constants_of<Way::kLong>(call);
    const std::size_t pitch = call.channels;
    [[maybe_unused]] ListedOp ops[sizeof...(Kinds) + 1];
    for_group<sizeof...(Kinds)>(
        [&](auto i) FUSEQ_HWY_LAMBDA { ops[i] = listed(call.epilogue->ops[i], call); });
    const std::size_t channels = takes_halves<T, Kinds...>() ? call.panel->channels : gemm::kLanes;
    T* const dst = static_cast<T*>(call.args->dst);
    const std::size_t first = call.pixel * pitch + call.panel->channel;
    for_groups<Count>([&](auto row, auto size) FUSEQ_HWY_LAMBDA {
        const Rows r{first + row * pitch, pitch, size / kVectors};
        Group<size> g;
        for_group<size>([&](auto i) FUSEQ_HWY_LAMBDA {
            g.v[i] = hn::ConvertTo(DF(), sums.v[row * kVectors + i]);
        });
        if constexpr (Windows) {
            add_windows(g, call.sums + row, call.epilogue->of_sum.data() + call.panel->channel);
        }
        bias_and_scale(g, constants.a, constants.b);
        [[maybe_unused]] const ListedOp* op = ops;
        (apply_listed<Kinds>(*op++, r, g), ...);
        store_rows<false>(g, dst + r.at, pitch, size / kVectors, channels);
    });
}

// Functions of tiles of so many rows, by that number less 1.
constexpr std::array<FusedFunction, kMaxRows> functions_of(FusedFunction five, FusedFunction six) {
    std::array<FusedFunction, kMaxRows> functions{};
    functions[kFiveRows - 1] = five;
    functions[kSixRows - 1] = six;
    return functions;
}

// By the rounding rule of a framework, which starts from the sums themselves.
template <class Product, class T, std::size_t Count>
void fused_rule(const MicroCall& micro, const EpilogueCall& call) {
    narrow::Sums<Count * kVectors> sums;
    narrow::sum_tile<Product, Count>(sums, micro);
    const PanelRule rule = rule_of(call);
    const std::size_t channels = call.panel->channels;
    const std::size_t pitch = call.channels;
    T* const dst = static_cast<T*>(call.args->dst) + call.pixel * pitch + call.panel->channel;
    for_groups<Count>([&](auto row, auto size) FUSEQ_HWY_LAMBDA {
        Group<size> g;
        for_group<size>([&](auto i) FUSEQ_HWY_LAMBDA {
            g.v[i] = hn::ConvertTo(DF(), sums.v[row * kVectors + i]);
        });
        apply_rule(rule, g);
        store_rows<false>(g, dst + row * pitch, pitch, size / kVectors, channels);
    });
}

template <class Product, class T>
const FusedFunction* rule_functions() {
    static constexpr auto kFunctions =
        functions_of(&fused_rule<Product, T, kFiveRows>, &fused_rule<Product, T, kSixRows>);
    return kFunctions.data();
}

template <class Product, class T, bool Windows, GemmOp::Kind... Kinds>
const FusedFunction* try_fused(const gemm::Epilogue& e) {
    static constexpr auto kFunctions =
        functions_of(&fused_list<Product, T, Windows, kFiveRows, Kinds...>,
                     &fused_list<Product, T, Windows, kSixRows, Kinds...>);
    return is_list<Kinds...>(e) ? kFunctions.data() : nullptr;
}

// Bytes by the panel's way.
template <class Product, class T, std::size_t Count>
void fused_bytes(const MicroCall& micro, const EpilogueCall& call) {
    narrow::Sums<Count * kVectors> sums;
    sum_tile<Product, Way::kShort, Count>(sums, micro, call);
    const WayConstants constants = constants_of<Way::kShort>(call);
    const __m256i limits = load_halves(call.panel->way->limits);
    const std::size_t channels = call.panel->channels;
    const std::size_t pitch = call.channels;
    auto* const dst =
        static_cast<std::uint8_t*>(call.args->dst) + call.pixel * pitch + call.panel->channel;
    for_groups<Count>([&](auto row, auto size) FUSEQ_HWY_LAMBDA {
        const __m256i bytes =
            to_bytes<T>(group_of<Way::kShort, row * kVectors, size>(sums, constants));
        store_halves<size>(std::is_signed_v<T> ? bytes : _mm256_min_epu8(bytes, limits),
                           dst + row * pitch, pitch, channels);
    });
}

// A relu6 and a scale after it, where weights have zero points: bytes are bounded instead of floats.
template <class Product, std::size_t Count>
void fused_windows_clip(const MicroCall& micro, const EpilogueCall& call) {
    narrow::Sums<Count * kVectors> sums;
    narrow::sum_tile<Product, Count>(sums, micro);
    const gemm::Epilogue& e = *call.epilogue;
    const std::size_t channel = call.panel->channel;
    const WayConstants constants = constants_of<Way::kLong>(call);
    const float* const of_sum = e.of_sum.data() + channel;
    const float* const factor = e.ops[1].a.data() + channel;
    const float* const windows = call.sums;
    const auto scaled = [&](auto& g) FUSEQ_HWY_LAMBDA {
        with_one(g, factor, [](VF x, VF by) FUSEQ_HWY_LAMBDA { return hn::Mul(x, by); });
        return to_bytes<std::uint8_t>(g);
    };
    Group<kVectors> highest;
    for_group<kVectors>([&](auto i) FUSEQ_HWY_LAMBDA {
        highest.v[i] = hn::Load(DF(), e.ops[0].b.data() + channel + kVector * i);
    });
    const __m256i limits = scaled(highest);
    const std::size_t channels = call.panel->channels;
    const std::size_t pitch = call.channels;
    auto* const dst = static_cast<std::uint8_t*>(call.args->dst) + call.pixel * pitch + channel;
    for_groups<Count>([&](auto row, auto size) FUSEQ_HWY_LAMBDA {
        Group<size> g;
        for_group<size>([&](auto i) FUSEQ_HWY_LAMBDA {
            g.v[i] = hn::ConvertTo(DF(), sums.v[row * kVectors + i]);
        });
        add_windows(g, windows + row, of_sum);
        bias_and_scale(g, constants.a, constants.b);
        store_halves<size>(_mm256_min_epu8(scaled(g), limits), dst + row * pitch, pitch, channels);
    });
}

// Whether bounds of bytes do what those of values do: from 0 on, before a scale above it.
template <class T>
const FusedFunction* try_windows_clip_of(const FusedFunction* functions, const gemm::Epilogue& e) {
    const auto all = [](const AlignedVector<float>& list, auto&& holds) {
        return std::all_of(list.begin(), list.end(), holds);
    };
    return std::is_same_v<T, std::uint8_t> &&
                   is_list<GemmOp::Kind::kClip, GemmOp::Kind::kScale>(e) &&
                   all(e.ops[0].a, [](float low) { return low == 0.0F; }) &&
                   all(e.ops[0].b, [](float high) { return high >= 0.0F; }) &&
                   all(e.ops[1].a, [](float factor) { return factor >= 0.0F; })
               ? functions
               : nullptr;
}

template <class Product, class T>
const FusedFunction* try_windows_clip(const gemm::Epilogue& e) {
    static constexpr auto kFunctions = functions_of(&fused_windows_clip<Product, kFiveRows>,
                                                    &fused_windows_clip<Product, kSixRows>);
    return try_windows_clip_of<T>(kFunctions.data(), e);
}

// By the requantizing add of the epilogue.
template <class Product, class T, bool Unsigned, Way How, std::size_t Count>
void fused_add(const MicroCall& micro, const EpilogueCall& call) {
    narrow::Sums<Count * kVectors> sums;
    sum_tile<Product, How, Count>(sums, micro, call);
    const WayConstants constants = constants_of<How>(call);
    const gemm::RequantizingAdd& add = *call.epilogue->add;
    const std::size_t pitch = call.channels;
    const std::size_t first = call.pixel * pitch + call.panel->channel;
    const auto* const residual =
        static_cast<const std::uint8_t*>(call.args->binary_sources[add.input]) + first;
    auto* const dst = static_cast<std::uint8_t*>(call.args->dst) + first;
    const AddConstants k = constants_of(add);
    for_groups<Count>([&](auto row, auto size) FUSEQ_HWY_LAMBDA {
        const auto g = group_of<How, row * kVectors, size>(sums, constants);
        const __m256i q = quantized<Unsigned>(g);
        const __m256i r = load_residual<size>(residual + row * pitch, pitch);
        store_halves<size>(added_bytes<Product, T>(k, q, r), dst + row * pitch, pitch,
                           gemm::kLanes);
    });
}

template <class Product, class T, bool Unsigned, Way How>
const FusedFunction* fused_adds() {
    static constexpr auto kFunctions =
        functions_of(&fused_add<Product, T, Unsigned, How, kFiveRows>,
                     &fused_add<Product, T, Unsigned, How, kSixRows>);
    return kFunctions.data();
}

template <class P, class T>
const FusedFunction* find_fused_add(bool q_unsigned, bool way) {
    return q_unsigned ? (way ? fused_adds<P, T, true, Way::kShort>()
                             : fused_adds<P, T, true, Way::kLong>())
                      : (way ? fused_adds<P, T, false, Way::kShort>()
                             : fused_adds<P, T, false, Way::kLong>());
}

template <class P, class T>
const FusedFunction* find_fused(const gemm::Epilogue& e, bool way) {
    using enum GemmOp::Kind;
    if (!e.of_sum.empty()) {
        return e.rule || e.add ? nullptr
                               : gemm::first_of(try_fused<P, T, true>(e), try_windows_clip<P, T>(e),
                                                try_fused<P, T, true, kClip, kScale>(e));
    }
    if (e.rule) {
        return rule_functions<P, T>();
    }
    if (e.only_adds()) {
        return find_fused_add<P, T>(e.add->q_unsigned, way);
    }
    if (way) {
        static constexpr auto kFunctions =
            functions_of(&fused_bytes<P, T, kFiveRows>, &fused_bytes<P, T, kSixRows>);
        return kFunctions.data();
    }
    return gemm::first_of(try_fused<P, T, false>(e),
                          try_fused<P, T, false, kRoundClip, kAffine, kSum>(e),
                          try_fused<P, T, false, kRoundClip, kScale, kLinear, kSum, kScale>(e));
}

template <class Product>
const FusedFunction* select_fused(const gemm::Epilogue& e, gemm::Store store, bool way) {
    switch (store) {
        case gemm::Store::kU8: return find_fused<Product, std::uint8_t>(e, way);
        case gemm::Store::kI8: return find_fused<Product, std::int8_t>(e, way);
        default: return nullptr;
    }
}

}  // namespace

const FusedFunction* vnni256_fused(const gemm::Epilogue& e, gemm::Store store, bool way, bool vex) {
    return vex ? select_fused<Vex>(e, store, way) : select_fused<Evex>(e, store, way);
}

}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace fuseq::kernels::gemm {

const FusedFunction* vnni256_fused_functions(const Epilogue& epilogue, Store store, bool way) {
#if (HWY_TARGETS & HWY_AVX2) != 0
    if (!epilogue.clamp) {
        return N_AVX2::vnni256_fused(epilogue, store, way, has_avx_vnni());
    }
#endif
    return nullptr;
}

}  // namespace fuseq::kernels::gemm
#endif
