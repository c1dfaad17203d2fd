// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// From a tile of accumulators to dst by any list of operations, for every instruction set: what
// gemm_vnni_epilogue.cpp does with masks and wide vectors. Four vectors stay in registers while all
// operations are applied to them: without a branch between them where the list is a frequent one.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "cpu/kernels/gemm/gemm_narrow_results.hpp"
#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/gemm/gemm_narrow_epilogue.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/common/exact-inl.h"
#include "cpu/kernels/eltwise/eltwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using gemm::EpilogueCall;
using gemm::kLanes;
using gemm::PackedOp;
using gemm::Store;

using DF = hn::CappedTag<float, 16>;
using VF = hn::Vec<DF>;
using DI = hn::RebindToSigned<DF>;

constexpr std::size_t kVector = hn::MaxLanes(DF());
constexpr std::size_t kVectors = kLanes / kVector;  // of a row of the tile
constexpr std::size_t kGroup = 4;
constexpr std::size_t kGroupRows = kGroup / kVectors;

// Vector i holds channels kVector * (i % kVectors) of row i / kVectors. Size is kGroup or, for the
// last row of an odd number, half of it.
template <std::size_t Size>
struct Group {
    VF v[Size];
};

// Where a group is in dst, and in tensors of its size.
struct Place {
    std::size_t pixel;
    std::size_t rows;      // that exist; the others are computed and not stored
    std::size_t channel;   // first of the panel
    std::size_t channels;  // of the panel
    std::size_t pitch;     // elements from a pixel to the next
};

template <std::size_t Size, class F>
HWY_INLINE void for_group(F&& f) {
    f(std::integral_constant<std::size_t, 0>{});
    f(std::integral_constant<std::size_t, 1>{});
    if constexpr (Size == kGroup) {
        f(std::integral_constant<std::size_t, 2>{});
        f(std::integral_constant<std::size_t, 3>{});
    }
}

template <std::size_t Size, class F>
HWY_INLINE void over_group(Group<Size>& g, F&& f) {
    for_group<Size>([&](auto i) FUSEQ_HWY_LAMBDA { g.v[i] = f(g.v[i]); });
}

// With one constant, or two, a channel.
template <std::size_t Size, class F>
HWY_INLINE void with_one(Group<Size>& g, const float* a, F&& f) {
    const DF d;
    for_group<Size>([&](auto i) FUSEQ_HWY_LAMBDA {
        g.v[i] = f(g.v[i], hn::Load(d, a + kVector * (i % kVectors)));
    });
}
template <std::size_t Size, class F>
HWY_INLINE void with_two(Group<Size>& g, const float* a, const float* b, F&& f) {
    const DF d;
    for_group<Size>([&](auto i) FUSEQ_HWY_LAMBDA {
        const std::size_t at = kVector * (i % kVectors);
        g.v[i] = f(g.v[i], hn::Load(d, a + at), hn::Load(d, b + at));
    });
}

// Channels of vector number n of a row that the panel has.
HWY_INLINE std::size_t count_of(const Place& at, std::size_t n) {
    const std::size_t before = n * kVector;
    return at.channels <= before ? 0 : std::min(kVector, at.channels - before);
}

template <class T, bool Whole, std::size_t Size>
HWY_INLINE Group<Size> load_tensor(const Place& at, const void* tensor) {
    const DF d;
    Group<Size> g;
    for_group<Size>([&](auto i) FUSEQ_HWY_LAMBDA {
        const std::size_t row = i / kVectors;
        const std::size_t n = i % kVectors;
        const T* from = static_cast<const T*>(tensor) +
                        (at.pixel + (row < at.rows ? row : 0)) * at.pitch + at.channel +
                        n * kVector;
        if constexpr (Whole) {
            g.v[i] = load_float(d, from);
        } else {
            T part[kVector] = {};
            std::memcpy(part, from, count_of(at, n) * sizeof(T));
            g.v[i] = load_float(d, part);
        }
    });
    return g;
}

// Bytes of whole panels: a row is one vector of 128 bits. `Clamp`: values may leave the range of
// 32-bit integers.
template <class T, bool Clamp, std::size_t Size>
HWY_INLINE void store_rows(const Group<Size>& g, const Place& at, T* dst) {
    alignas(64) T bytes[kGroupRows * kLanes];
    const auto round = [](VF v) FUSEQ_HWY_LAMBDA {
        constexpr float kMax = std::is_signed_v<T> ? 127.0f : 255.0f;
        return Clamp ? round_below(DF(), v, kMax).raw : round_raw(v.raw);
    };
    const auto low = pack_integers(round(g.v[0]), round(g.v[1]));
    auto high = low;
    if constexpr (Size == kGroup) {
        high = pack_integers(round(g.v[2]), round(g.v[3]));
    }
    store_packed(pack_words(low, high, bytes), bytes);
    const hn::FixedTag<T, kLanes> d;
    T* to = dst + at.pixel * at.pitch + at.channel;
    for (std::size_t row = 0; row < at.rows; ++row, to += at.pitch) {
        hn::StoreU(hn::Load(d, bytes + row * kLanes), d, to);
    }
}

template <class T, bool Whole, bool Clamp, std::size_t Size>
HWY_INLINE void store_group(const Group<Size>& g, const Place& at, void* dst) {
    if constexpr (Whole && sizeof(T) == 1) {
        return store_rows<T, Clamp>(g, at, static_cast<T*>(dst));
    }
    const DF d;
    for_group<Size>([&](auto i) FUSEQ_HWY_LAMBDA {
        const std::size_t row = i / kVectors;
        const std::size_t n = i % kVectors;
        if (row >= at.rows) {
            return;
        }
        T* to = static_cast<T*>(dst) + (at.pixel + row) * at.pitch + at.channel + n * kVector;
        if constexpr (Whole) {
            store_float(d, g.v[i], to);
        } else {
            T part[kVector];
            store_float(d, g.v[i], part);
            std::memcpy(to, part, count_of(at, n) * sizeof(T));
        }
    });
}

template <bool Whole, std::size_t Size, class F>
HWY_INLINE void with_tensor(
    Group<Size>& g, const post_ops::Binary& op, const EpilogueCall& call, const Place& at, F&& f) {
    const void* tensor = call.args->binary_sources[op.input];
    Group<Size> t;
    switch (op.type) {
        case ElementType::u8: t = load_tensor<std::uint8_t, Whole, Size>(at, tensor); break;
        case ElementType::i8: t = load_tensor<std::int8_t, Whole, Size>(at, tensor); break;
        default: t = load_tensor<float, Whole, Size>(at, tensor); break;
    }
    for_group<Size>([&](auto i) FUSEQ_HWY_LAMBDA { g.v[i] = f(g.v[i], t.v[i]); });
}

template <bool Whole, std::size_t Size>
HWY_INLINE void binary(Group<Size>& g,
                       const post_ops::Binary& op,
                       const EpilogueCall& call,
                       const Place& at) {
    const DF d;
    const VF zero_point = hn::Set(d, op.zero_point);
    const VF scale = hn::Set(d, op.scale);
    const auto combine = [&](auto&& f) FUSEQ_HWY_LAMBDA {
        with_tensor<Whole>(g, op, call, at, [&](VF x, VF t) FUSEQ_HWY_LAMBDA {
            return f(x, hn::Mul(hn::Sub(t, zero_point), scale));
        });
    };
    switch (op.kind) {
        case post_ops::BinaryKind::kAdd:
            return combine([](VF x, VF t) FUSEQ_HWY_LAMBDA { return hn::Add(x, t); });
        case post_ops::BinaryKind::kMul:
            return combine([](VF x, VF t) FUSEQ_HWY_LAMBDA { return hn::Mul(x, t); });
        case post_ops::BinaryKind::kMax:
            return combine([](VF x, VF t) FUSEQ_HWY_LAMBDA { return hn::Max(x, t); });
        case post_ops::BinaryKind::kMin:
            return combine([](VF x, VF t) FUSEQ_HWY_LAMBDA { return hn::Min(x, t); });
    }
}

// Two constants a channel, or a tensor. `kind` is that of `op`, perhaps known at compile time.
template <bool Whole, std::size_t Size>
HWY_INLINE void apply_two(GemmOp::Kind kind,
                          const PackedOp& op,
                          const EpilogueCall& call,
                          const Place& at,
                          Group<Size>& g) {
    const DF d;
    const float* a = op.a.data() + at.channel;
    const float* b = op.b.data() + at.channel;
    switch (kind) {
        case GemmOp::Kind::kLinear:
            return with_two(g, a, b, [&](VF x, VF by, VF shift) FUSEQ_HWY_LAMBDA {
                return fused_mul_add(d, x, by, shift);
            });
        case GemmOp::Kind::kAffine:
            return with_two(g, a, b, [](VF x, VF by, VF shift) FUSEQ_HWY_LAMBDA {
                return hn::Add(hn::Mul(x, by), shift);
            });
        case GemmOp::Kind::kClip:
            return with_two(g, a, b, [](VF x, VF low, VF high) FUSEQ_HWY_LAMBDA {
                return hn::Min(hn::Max(x, low), high);
            });
        case GemmOp::Kind::kRoundClip:
            return with_two(g, a, b, [](VF x, VF low, VF high) FUSEQ_HWY_LAMBDA {
                return hn::Min(hn::Max(hn::Round(x), low), high);
            });
        case GemmOp::Kind::kSum: {
            const VF scale = hn::Set(d, op.binary.scale);
            return with_tensor<Whole>(g, op.binary, call, at, [&](VF x, VF t) FUSEQ_HWY_LAMBDA {
                return fused_mul_add(d, t, scale, x);
            });
        }
        default: return binary<Whole>(g, op.binary, call, at);
    }
}

// Coefficients of the intervals whose numbers are the last bits of `place`.
HWY_INLINE VF coefficients_at(const float* table, VF place) {
#if HWY_MAX_BYTES >= 64
    return VF{_mm512_permutexvar_ps(_mm512_castps_si512(place.raw), _mm512_load_ps(table))};
#elif HWY_MAX_BYTES == 32
    return VF{_mm256_permutevar8x32_ps(_mm256_load_ps(table), _mm256_castps_si256(place.raw))};
#else
    (void)table;
    return place;  // not called
#endif
}

HWY_INLINE VF short_gelu(const gemm::ShortGeluTable& table, VF x) {
    using gemm::ShortGeluTable;
    const DF d;
    const VF per_unit = hn::Set(d, ShortGeluTable::kPerUnit);
    // The last bits of so large a float are the number of the interval.
    const VF large = hn::Set(d, 0x1p23f);
    const VF t = hn::Min(hn::Abs(x), hn::Set(d, ShortGeluTable::kEnd));
    const VF place = fused_mul_add(d, t, per_unit, large);
    const VF u = fused_mul_add(d, t, per_unit, hn::Sub(large, place));
    VF v = coefficients_at(table.coefficients[ShortGeluTable::kDegree], place);
    for (std::size_t power = ShortGeluTable::kDegree; power-- > 0;) {
        v = fused_mul_add(d, v, u, coefficients_at(table.coefficients[power], place));
    }
    return fused_mul_add(d, hn::Max(x, hn::Zero(d)), hn::Set(d, table.scale), v);
}

// Whether an operation runs group by group, and not over the whole tile.
bool runs_by_group(const PackedOp& op) {
    return op.kind != GemmOp::Kind::kEltwise || (kVector >= 8 && op.short_gelu != nullptr);
}

template <bool Whole, std::size_t Size>
HWY_INLINE void apply(GemmOp::Kind kind,
                      const PackedOp& op,
                      const EpilogueCall& call,
                      const Place& at,
                      Group<Size>& g) {
    const DF d;
    const float* a = op.a.data() + at.channel;
    switch (kind) {
        case GemmOp::Kind::kScale:
            return with_one(g, a, [](VF x, VF y) FUSEQ_HWY_LAMBDA { return hn::Mul(x, y); });
        case GemmOp::Kind::kShift:
            return with_one(g, a, [](VF x, VF y) FUSEQ_HWY_LAMBDA { return hn::Add(x, y); });
        case GemmOp::Kind::kMax:
            return with_one(g, a, [](VF x, VF y) FUSEQ_HWY_LAMBDA { return hn::Max(x, y); });
        case GemmOp::Kind::kMin:
            return with_one(g, a, [](VF x, VF y) FUSEQ_HWY_LAMBDA { return hn::Min(x, y); });
        case GemmOp::Kind::kPrelu:
            return with_one(g, a, [&](VF x, VF slope) FUSEQ_HWY_LAMBDA {
                return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, hn::Mul(slope, x));
            });
        case GemmOp::Kind::kRound:
            return over_group(g, [](VF x) FUSEQ_HWY_LAMBDA { return hn::Round(x); });
        case GemmOp::Kind::kEltwise:
            return over_group(g,
                              [&](VF x) FUSEQ_HWY_LAMBDA { return short_gelu(*op.short_gelu, x); });
        default: return apply_two<Whole>(kind, op, call, at, g);
    }
}

// An activation, over the whole tile in its buffer.
void eltwise(const post_ops::Eltwise& op, float* tile, std::size_t count) {
    const DF d;
    with_eltwise(d, op, [&](auto&& f) FUSEQ_HWY_LAMBDA {
        for (std::size_t i = 0; i < count; i += kVector) {
            hn::Store(f(hn::Load(d, tile + i)), d, tile + i);
        }
    });
}

// The accumulators of a group, from `row` of the tile on, with bias and scale, each rounded; or
// floats that an activation left.
template <std::size_t Size>
HWY_INLINE Group<Size> load_group(const EpilogueCall& call, std::size_t row, bool floats) {
    const DF d;
    const std::int32_t* tile = call.tile + row * kLanes;
    Group<Size> g;
    if (floats) {
        for_group<Size>([&](auto i) FUSEQ_HWY_LAMBDA {
            g.v[i] = hn::Load(d, reinterpret_cast<const float*>(tile) + kVector * i);
        });
        return g;
    }
    for_group<Size>([&](auto i) FUSEQ_HWY_LAMBDA {
        g.v[i] = hn::ConvertTo(d, hn::Load(DI(), tile + kVector * i));
    });
    if (call.sums != nullptr) {  // what the zero points of the weights take away
        for_group<Size>([&](auto i) FUSEQ_HWY_LAMBDA {
            const float* of_sum = call.epilogue->of_sum.data() + call.panel->channel;
            g.v[i] = fused_mul_add(d, hn::Set(d, call.sums[row + i / kVectors]),
                                   hn::Load(d, of_sum + kVector * (i % kVectors)), g.v[i]);
        });
    }
    with_two(g, call.epilogue->bias.data() + call.panel->channel,
             call.epilogue->scale.data() + call.panel->channel,
             [](VF x, VF bias, VF scale)
                 FUSEQ_HWY_LAMBDA { return hn::Mul(hn::Add(x, bias), scale); });
    return g;
}

HWY_INLINE Place place_of(const EpilogueCall& call, std::size_t row) {
    return {.pixel = call.pixel + row,
            .rows = std::min(kGroupRows, call.rows - row),
            .channel = call.panel->channel,
            .channels = call.panel->channels,
            .pitch = call.channels};
}

// Bounds that are integers, as quantizations have them: then rounding may come after the clip. There
// an addition of 1.5 * 2^23 leaves the integer nearest, half to even, and additions have a unit that
// products have not.
constexpr float kLargest = 0x1p22f;
constexpr float kRounds = 0x1.8p23f;

bool has_integer_bounds(const PackedOp& op) {
    const auto integers = [](const AlignedVector<float>& list) {
        return std::all_of(list.begin(), list.end(), [](float v) {
            return std::abs(v) <= kLargest && std::nearbyint(v) == v;
        });
    };
    return integers(op.a) && integers(op.b);
}

template <GemmOp::Kind Kind, std::size_t Size>
HWY_INLINE void apply_listed(const PackedOp& op,
                             const EpilogueCall& call,
                             const Place& at,
                             Group<Size>& g) {
    if constexpr (Kind != GemmOp::Kind::kRoundClip) {
        return apply<true>(Kind, op, call, at, g);
    }
    const VF rounds = hn::Set(DF(), kRounds);
    with_two(g, op.a.data() + at.channel, op.b.data() + at.channel,
             [&](VF x, VF low, VF high) FUSEQ_HWY_LAMBDA {
                 const VF bounded = hn::Min(hn::Max(x, low), high);
                 return hn::Sub(hn::Add(bounded, rounds), rounds);
             });
}

// Of a list of operations that is known at compile time.
template <class T, bool Clamp, std::size_t Size, GemmOp::Kind... Kinds>
HWY_INLINE void finish_group(const EpilogueCall& call, std::size_t row) {
    const Place at = place_of(call, row);
    Group<Size> g = load_group<Size>(call, row, false);
    [[maybe_unused]] const PackedOp* op = call.epilogue->ops.data();
    (apply_listed<Kinds>(*op++, call, at, g), ...);
    store_group<T, true, Clamp>(g, at, call.args->dst);
}

template <class T, bool Clamp, GemmOp::Kind... Kinds>
void finish_list(const EpilogueCall& call) {
    std::size_t row = 0;
    // A half group is one row of 256-bit vectors.
    const std::size_t odd = kGroupRows == 2 ? call.rows % 2 : 0;
    for (; row < call.rows - odd; row += kGroupRows) {
        finish_group<T, Clamp, kGroup, Kinds...>(call, row);
    }
    if (odd != 0) {
        finish_group<T, Clamp, kGroup / 2, Kinds...>(call, row);
    }
}

// All operations of a tile; `store` takes its groups.
template <bool Whole, class F>
HWY_INLINE void run_operations(const EpilogueCall& call, F&& store) {
    const PackedOp* first = call.epilogue->ops.data();
    const PackedOp* const end = first + call.epilogue->ops.size();
    for (bool floats = false;; floats = true) {
        const PackedOp* const activation =
            std::find_if(first, end, [](const PackedOp& op) { return !runs_by_group(op); });
        for (std::size_t row = 0; row < call.rows; row += kGroupRows) {
            std::int32_t* tile = call.tile + row * kLanes;
            const Place at = place_of(call, row);
            Group<kGroup> g = load_group<kGroup>(call, row, floats);
            for (const PackedOp* op = first; op != activation; ++op) {
                apply<Whole>(op->kind, *op, call, at, g);
            }
            if (activation == end) {
                store(g, at);
            } else {
                for_group<kGroup>([&](auto i) FUSEQ_HWY_LAMBDA {
                    hn::Store(g.v[i], DF(), reinterpret_cast<float*>(tile) + kVector * i);
                });
            }
        }
        if (activation == end) {
            return;
        }
        eltwise(activation->eltwise, reinterpret_cast<float*>(call.tile), call.rows * kLanes);
        first = activation + 1;
    }
}

template <class T, bool Whole>
void finish_tile(const EpilogueCall& call) {
    run_operations<Whole>(call, [&](const Group<kGroup>& g, const Place& at) FUSEQ_HWY_LAMBDA {
        store_group<T, Whole, true>(g, at, call.args->dst);
    });
}

// Where a panel of the pixels is stored.
Place place_in(const gemm::NarrowResults& results, const Place& at) {
    if (results.row_width == 0) {
        return at;
    }
    const std::size_t panels = at.pitch / kLanes;
    const std::size_t row = at.pixel / results.row_width * panels + at.channel / kLanes;
    Place place = at;
    place.pixel = row * results.row_width + at.pixel % results.row_width;
    place.channel = 0;
    place.pitch = kLanes;
    return place;
}

template <bool Whole>
void finish_results(const EpilogueCall& call, const gemm::NarrowResults& results) {
    run_operations<Whole>(call, [&](const Group<kGroup>& g, const Place& at) FUSEQ_HWY_LAMBDA {
        const Place to = place_in(results, at);
        for (std::size_t i = 0; i < results.list.size(); ++i) {
            const gemm::NarrowResult& result = results.list[i];
            Group<kGroup> values = g;
            for (const PackedOp& op : result.ops) {
                apply<Whole>(op.kind, op, call, at, values);
            }
            void* const dst = call.args->results[i];
            switch (result.store) {
                case Store::kU8: store_group<std::uint8_t, Whole, true>(values, to, dst); break;
                case Store::kI8: store_group<std::int8_t, Whole, true>(values, to, dst); break;
                default: store_group<float, Whole, true>(values, to, dst); break;
            }
        }
    });
}

void finish_narrow_results(const EpilogueCall& call, const gemm::NarrowResults& results) {
    const bool whole = call.panel->channels == kLanes;
    whole ? finish_results<true>(call, results) : finish_results<false>(call, results);
}

using Function = gemm::EpilogueFunction;

template <class T, bool Clamp, GemmOp::Kind... Kinds>
Function try_list(const gemm::Epilogue& e) {
    std::size_t i = 0;
    const bool same = e.ops.size() == sizeof...(Kinds) && ((e.ops[i++].kind == Kinds) && ...) &&
                      std::all_of(e.ops.begin(), e.ops.end(), [](const PackedOp& op) {
                          return runs_by_group(op) &&
                                 (op.kind != GemmOp::Kind::kRoundClip || has_integer_bounds(op));
                      });
    return same ? &finish_list<T, Clamp, Kinds...> : nullptr;
}

// Lists that plans of quantized networks have: a relu that the store implies, a leaky relu, a
// residual input of the same or of another scale, quantization by channel, a gelu.
template <class T, bool Clamp>
Function find_list(const gemm::Epilogue& e) {
    using enum GemmOp::Kind;
    const Function lists[] = {try_list<T, Clamp>(e),
                              try_list<T, Clamp, kScale>(e),
                              try_list<T, Clamp, kShift>(e),
                              try_list<T, Clamp, kLinear>(e),
                              try_list<T, Clamp, kAffine>(e),
                              try_list<T, Clamp, kMax>(e),
                              try_list<T, Clamp, kMax, kScale>(e),
                              try_list<T, Clamp, kMax, kLinear>(e),
                              try_list<T, Clamp, kMax, kAffine>(e),
                              try_list<T, Clamp, kPrelu>(e),
                              try_list<T, Clamp, kPrelu, kShift>(e),
                              try_list<T, Clamp, kPrelu, kLinear>(e),
                              try_list<T, Clamp, kPrelu, kAffine>(e),
                              try_list<T, Clamp, kClip, kScale>(e),
                              try_list<T, Clamp, kEltwise>(e),
                              try_list<T, Clamp, kSum>(e),
                              try_list<T, Clamp, kSum, kScale>(e),
                              try_list<T, Clamp, kRoundClip, kAffine, kSum>(e),
                              try_list<T, Clamp, kRoundClip, kScale, kSum, kLinear>(e),
                              try_list<T, Clamp, kRoundClip, kScale, kSum, kAffine>(e),
                              try_list<T, Clamp, kRoundClip, kScale, kLinear, kSum, kScale>(e),
                              try_list<T, Clamp, kRoundClip, kScale, kAffine, kSum, kScale>(e)};
    const auto* found =
        std::find_if(std::begin(lists), std::end(lists), [](Function f) { return f != nullptr; });
    return found == std::end(lists) ? nullptr : *found;
}

template <class T>
Function select_for(const gemm::Epilogue& e, bool whole_panel) {
    if (!whole_panel) {
        return &finish_tile<T, false>;
    }
    const Function list =
        e.clamp && sizeof(T) == 1 ? find_list<T, sizeof(T) == 1>(e) : find_list<T, false>(e);
    return list != nullptr ? list : &finish_tile<T, true>;
}

Function narrow_epilogue(const gemm::Epilogue& e, Store store, bool whole_panel) {
    switch (store) {
        case Store::kU8: return select_for<std::uint8_t>(e, whole_panel);
        case Store::kI8: return select_for<std::int8_t>(e, whole_panel);
        default: return select_for<float>(e, whole_panel);
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(narrow_epilogue);
HWY_EXPORT(finish_narrow_results);

namespace gemm {

EpilogueFunction narrow_epilogue(const Epilogue& epilogue, Store store, bool whole_panel) {
    return HWY_DYNAMIC_DISPATCH(narrow_epilogue)(epilogue, store, whole_panel);
}

void finish_narrow_results(const EpilogueCall& call, const NarrowResults& results) {
    HWY_DYNAMIC_DISPATCH(finish_narrow_results)(call, results);
}

}  // namespace gemm
}  // namespace fuseq::kernels
#endif
