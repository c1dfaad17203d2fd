// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// From a tile of accumulators to dst. Four vectors at a time, of one to four pixels, stay in
// registers while all operations are applied to them, and leave as one vector of bytes.
//
// A Highway file for the sake of activation_math-inl.h; only AVX-512's pass has anything in it.
#include "cpu/kernels/gemm_vnni_detail.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/gemm_vnni_epilogue.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

// Once a target: its include guard is a toggle.
#include "cpu/kernels/activation_math-inl.h"

#if HWY_TARGET == HWY_AVX3

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {

// Left out of line, a lambda would take the vectors' addresses and force them into memory.
#define FUSEQ_LAMBDA HWY_ATTR __attribute__((always_inline))

namespace hn = hwy::HWY_NAMESPACE;
using gemm::EpilogueCall;
using gemm::kLanes;
using gemm::PackedOp;
using gemm::Store;

using DF = hn::ScalableTag<float>;
using VF = hn::Vec<DF>;
constexpr std::size_t kQuad = 4;

struct Quad {
    VF v[kQuad];
};

// Where a quad is: vector i holds channels first_channel + 16 * (i % Vectors) of pixel
// first_pixel + i / Vectors.
struct Place {
    std::size_t pixel;    // of dst
    std::size_t channel;  // of dst
    std::size_t rows;     // that exist; the others are not read or written
    std::size_t channels;
    __mmask16 mask[2];  // channels of each vector of a row
};

// Unrolled by hand: the compiler keeps an array in registers only without loops over it.
template <class F>
HWY_INLINE void for_quad(F&& f) {
    f(std::integral_constant<std::size_t, 0>{});
    f(std::integral_constant<std::size_t, 1>{});
    f(std::integral_constant<std::size_t, 2>{});
    f(std::integral_constant<std::size_t, 3>{});
}

template <std::size_t Vectors, class F>
HWY_INLINE void over_quad(Quad& q, F&& f) {
    for_quad([&](auto i) FUSEQ_LAMBDA { q.v[i] = f(q.v[i], i % Vectors); });
}

template <std::size_t Vectors, class F>
HWY_INLINE void with_one(Quad& q, const float* a, F&& f) {
    const DF d;
    const VF values[2] = {hn::Load(d, a), hn::Load(d, a + kLanes * (Vectors - 1))};
    over_quad<Vectors>(q, [&](VF x, std::size_t n) FUSEQ_LAMBDA { return f(x, values[n]); });
}

template <std::size_t Vectors, class F>
HWY_INLINE void with_two(Quad& q, const float* a, const float* b, F&& f) {
    const DF d;
    const VF first[2] = {hn::Load(d, a), hn::Load(d, a + kLanes * (Vectors - 1))};
    const VF second[2] = {hn::Load(d, b), hn::Load(d, b + kLanes * (Vectors - 1))};
    over_quad<Vectors>(q,
                       [&](VF x, std::size_t n) FUSEQ_LAMBDA { return f(x, first[n], second[n]); });
}

template <class F>
HWY_INLINE void activate(Quad& q, float scale, F&& f) {
    const DF d;
    if (scale == 1.0f) {
        over_quad<1>(q, [&](VF x, std::size_t) FUSEQ_LAMBDA { return f(x); });
    } else {
        const VF by = hn::Set(d, scale);
        over_quad<1>(q, [&](VF x, std::size_t) FUSEQ_LAMBDA { return hn::Mul(by, f(x)); });
    }
}

HWY_INLINE VF hard_sigmoid(VF x) {
    const DF d;
    const VF shifted = hn::Add(x, hn::Set(d, 3.0f));
    return hn::Mul(hn::Min(hn::Max(shifted, hn::Zero(d)), hn::Set(d, 6.0f)),
                   hn::Set(d, 1.0f / 6.0f));
}

// The same functions as the chain kernel's: out of line, because they are many.
HWY_NOINLINE void simple_eltwise(const post_ops::Eltwise& op, Quad& q) {
    const DF d;
    const VF alpha = hn::Set(d, op.alpha);
    const VF zero = hn::Zero(d);
    switch (op.kind) {
        case post_ops::EltwiseKind::kHswish:
            return activate(q, op.scale,
                            [](VF x) FUSEQ_LAMBDA { return hn::Mul(x, hard_sigmoid(x)); });
        case post_ops::EltwiseKind::kHsigmoid:
            return activate(q, op.scale, [](VF x) FUSEQ_LAMBDA { return hard_sigmoid(x); });
        case post_ops::EltwiseKind::kHardSigmoid:
            return activate(q, op.scale, [&](VF x) FUSEQ_LAMBDA {
                const VF line = hn::Add(hn::Mul(x, alpha), hn::Set(d, op.beta));
                return hn::Min(hn::Max(line, zero), hn::Set(d, 1.0f));
            });
        case post_ops::EltwiseKind::kAbs:
            return activate(q, op.scale, [](VF x) FUSEQ_LAMBDA { return hn::Abs(x); });
        case post_ops::EltwiseKind::kSqrt:
            return activate(q, op.scale, [](VF x) FUSEQ_LAMBDA { return hn::Sqrt(x); });
        case post_ops::EltwiseKind::kSquare:
            return activate(q, op.scale, [](VF x) FUSEQ_LAMBDA { return hn::Mul(x, x); });
        default:
            return activate(q, op.scale, [&](VF x) FUSEQ_LAMBDA {
                return hn::IfThenElse(hn::Gt(x, zero), x, hn::Mul(alpha, x));
            });
    }
}

HWY_NOINLINE void eltwise(const post_ops::Eltwise& op, Quad& q) {
    const DF d;
    const VF alpha = hn::Set(d, op.alpha);
    switch (op.kind) {
        case post_ops::EltwiseKind::kTanh:
            return activate(q, op.scale, [&](VF x) FUSEQ_LAMBDA { return tanh(d, x); });
        case post_ops::EltwiseKind::kElu:
            return activate(q, op.scale, [&](VF x) FUSEQ_LAMBDA {
                const VF below = hn::Mul(alpha, expm1(d, hn::Min(x, hn::Zero(d))));
                return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, below);
            });
        case post_ops::EltwiseKind::kSigmoid:
            return activate(q, op.scale, [&](VF x) FUSEQ_LAMBDA { return sigmoid(d, x); });
        case post_ops::EltwiseKind::kSwish:
            return activate(q, op.scale, [&](VF x) FUSEQ_LAMBDA {
                return hn::Mul(x, sigmoid(d, hn::Mul(alpha, x)));
            });
        case post_ops::EltwiseKind::kMish:
            return activate(q, op.scale, [&](VF x) FUSEQ_LAMBDA { return mish(d, x); });
        case post_ops::EltwiseKind::kSoftplus:
            return activate(q, op.scale, [&](VF x) FUSEQ_LAMBDA { return softplus(d, x); });
        case post_ops::EltwiseKind::kGeluErf:
            return activate(q, op.scale, [&](VF x) FUSEQ_LAMBDA { return gelu_erf(d, x); });
        case post_ops::EltwiseKind::kGeluTanh:
            return activate(q, op.scale, [&](VF x) FUSEQ_LAMBDA { return gelu_tanh(d, x); });
        case post_ops::EltwiseKind::kExp:
            return activate(q, op.scale, [&](VF x) FUSEQ_LAMBDA { return exp(d, x); });
        default: return simple_eltwise(op, q);
    }
}

// x / 2 + |x| * integral(|x|)
HWY_INLINE VF gelu_by_table(const gemm::NormalTable& table, VF x) {
    const DF d;
    const VF magnitude = hn::Abs(x);
    // 31.99..: the last interval, where the integral is a half.
    const VF place = hn::Min(hn::Mul(magnitude, hn::Set(d, 4.0f)), hn::Set(d, 31.999998f));
    const __m512i interval = _mm512_cvttps_epi32(place.raw);
    const VF u = hn::Sub(place, VF{_mm512_cvtepi32_ps(interval)});
    const auto coefficient = [&](std::size_t power) FUSEQ_LAMBDA {
        const float* c = table.coefficients[power];
        return VF{_mm512_permutex2var_ps(_mm512_load_ps(c), interval, _mm512_load_ps(c + kLanes))};
    };
    VF integral = coefficient(4);
    integral = hn::MulAdd(integral, u, coefficient(3));
    integral = hn::MulAdd(integral, u, coefficient(2));
    integral = hn::MulAdd(integral, u, coefficient(1));
    integral = hn::MulAdd(integral, u, coefficient(0));
    return hn::MulAdd(magnitude, integral, hn::Mul(x, hn::Set(d, 0.5f)));
}

// ---- tensors ----------------------------------------------------------------------------------

template <class T, bool Whole>
HWY_INLINE VF load_elements(const T* from, __mmask16 mask) {
    if constexpr (sizeof(T) == 4) {
        return VF{Whole ? _mm512_loadu_ps(from) : _mm512_maskz_loadu_ps(mask, from)};
    } else {
        const __m128i bytes = Whole ? _mm_loadu_si128(reinterpret_cast<const __m128i*>(from))
                                    : _mm_maskz_loadu_epi8(mask, from);
        const __m512i wide =
            std::is_signed_v<T> ? _mm512_cvtepi8_epi32(bytes) : _mm512_cvtepu8_epi32(bytes);
        return VF{_mm512_cvtepi32_ps(wide)};
    }
}

template <class T, std::size_t Vectors, bool Whole>
HWY_INLINE Quad load_quad(const Place& at, const void* tensor) {
    Quad q;
    for_quad([&](auto i) FUSEQ_LAMBDA {
        constexpr std::size_t kRow = decltype(i)::value / Vectors;
        constexpr std::size_t kVector = decltype(i)::value % Vectors;
        const auto* from = static_cast<const T*>(tensor) +
                           (at.pixel + (kRow < at.rows ? kRow : 0)) * at.channels + at.channel;
        q.v[i] = load_elements<T, Whole>(from + kLanes * kVector, at.mask[kVector]);
    });
    return q;
}

template <std::size_t Vectors, bool Whole, class F>
HWY_INLINE void with_tensor(
    Quad& q, const post_ops::Binary& op, const void* tensor, const Place& at, F&& f) {
    Quad t;
    switch (op.type) {
        case ElementType::u8: t = load_quad<std::uint8_t, Vectors, Whole>(at, tensor); break;
        case ElementType::i8: t = load_quad<std::int8_t, Vectors, Whole>(at, tensor); break;
        default: t = load_quad<float, Vectors, Whole>(at, tensor); break;
    }
    for_quad([&](auto i) FUSEQ_LAMBDA { q.v[i] = f(q.v[i], t.v[i]); });
}

template <std::size_t Vectors, bool Whole>
HWY_INLINE void binary(Quad& q, const post_ops::Binary& op, const void* tensor, const Place& at) {
    const DF d;
    const VF zero_point = hn::Set(d, op.zero_point);
    const VF scale = hn::Set(d, op.scale);
    const auto combine = [&](auto&& f) FUSEQ_LAMBDA {
        with_tensor<Vectors, Whole>(q, op, tensor, at, [&](VF x, VF t) FUSEQ_LAMBDA {
            return f(x, hn::Mul(hn::Sub(t, zero_point), scale));
        });
    };
    switch (op.kind) {
        case post_ops::BinaryKind::kAdd:
            return combine([](VF x, VF t) FUSEQ_LAMBDA { return hn::Add(x, t); });
        case post_ops::BinaryKind::kMul:
            return combine([](VF x, VF t) FUSEQ_LAMBDA { return hn::Mul(x, t); });
        case post_ops::BinaryKind::kMax:
            return combine([](VF x, VF t) FUSEQ_LAMBDA { return hn::Max(x, t); });
        case post_ops::BinaryKind::kMin:
            return combine([](VF x, VF t) FUSEQ_LAMBDA { return hn::Min(x, t); });
    }
}

// ---- store ------------------------------------------------------------------------------------

template <Store To>
HWY_INLINE __m512i to_bytes(const Quad& q, bool clamp) {
    const DF d;
    __m512i v[kQuad];
    for_quad([&](auto i) FUSEQ_LAMBDA {
        // Large values would become negative integers.
        const VF x = clamp ? hn::Min(q.v[i], hn::Set(d, 255.0f)) : q.v[i];
        v[i] = _mm512_cvtps_epi32(x.raw);
    });
    const __m512i low = _mm512_packs_epi32(v[0], v[1]);
    const __m512i high = _mm512_packs_epi32(v[2], v[3]);
    const __m512i bytes =
        To == Store::kI8 ? _mm512_packs_epi16(low, high) : _mm512_packus_epi16(low, high);
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return _mm512_permutexvar_epi32(order, bytes);
}

template <std::size_t Vectors, bool Whole>
HWY_INLINE void store_bytes(__m512i bytes, const Place& at, void* dst) {
    auto* to = static_cast<std::uint8_t*>(dst) + at.pixel * at.channels + at.channel;
    if constexpr (Vectors == 2) {
        const __m256i rows[2] = {_mm512_castsi512_si256(bytes),
                                 _mm512_extracti64x4_epi64(bytes, 1)};
        const auto mask =
            static_cast<__mmask32>(at.mask[0]) | (static_cast<__mmask32>(at.mask[1]) << kLanes);
        for (std::size_t r = 0; r < 2 && r < at.rows; ++r, to += at.channels) {
            Whole ? _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), rows[r])
                  : _mm256_mask_storeu_epi8(to, mask, rows[r]);
        }
    } else {
        const __m128i rows[4] = {_mm512_castsi512_si128(bytes), _mm512_extracti32x4_epi32(bytes, 1),
                                 _mm512_extracti32x4_epi32(bytes, 2),
                                 _mm512_extracti32x4_epi32(bytes, 3)};
        for (std::size_t r = 0; r < 4 && r < at.rows; ++r, to += at.channels) {
            Whole ? _mm_storeu_si128(reinterpret_cast<__m128i*>(to), rows[r])
                  : _mm_mask_storeu_epi8(to, at.mask[0], rows[r]);
        }
    }
}

template <std::size_t Vectors>
HWY_INLINE void store_floats(const Quad& q, const Place& at, void* dst) {
    for_quad([&](auto i) FUSEQ_LAMBDA {
        constexpr std::size_t kRow = decltype(i)::value / Vectors;
        constexpr std::size_t kVector = decltype(i)::value % Vectors;
        if (kRow < at.rows) {
            float* to = static_cast<float*>(dst) + (at.pixel + kRow) * at.channels + at.channel +
                        kLanes * kVector;
            _mm512_mask_storeu_ps(to, at.mask[kVector], q.v[i].raw);
        }
    });
}

// ---- walk -------------------------------------------------------------------------------------

template <std::size_t Vectors, bool Whole>
HWY_INLINE void apply(const PackedOp& op, const EpilogueCall& call, const Place& at, Quad& q) {
    const DF d;
    const float* a = op.a.data() + at.channel;
    const float* b = op.b.data() + at.channel;
    using Kind = GemmOp::Kind;
    switch (op.kind) {
        case Kind::kLinear:
            return with_two<Vectors>(q, a, b, [](VF x, VF by, VF shift) FUSEQ_LAMBDA {
                return hn::MulAdd(x, by, shift);
            });
        case Kind::kScale:
            return with_one<Vectors>(q, a, [](VF x, VF y) FUSEQ_LAMBDA { return hn::Mul(x, y); });
        case Kind::kShift:
            return with_one<Vectors>(q, a, [](VF x, VF y) FUSEQ_LAMBDA { return hn::Add(x, y); });
        case Kind::kRound:
            return over_quad<Vectors>(q,
                                      [](VF x, std::size_t) FUSEQ_LAMBDA { return hn::Round(x); });
        case Kind::kClip:
            return with_two<Vectors>(q, a, b, [](VF x, VF low, VF high) FUSEQ_LAMBDA {
                return hn::Min(hn::Max(x, low), high);
            });
        case Kind::kAffine:
            return with_two<Vectors>(q, a, b, [](VF x, VF by, VF shift) FUSEQ_LAMBDA {
                return hn::Add(hn::Mul(x, by), shift);
            });
        case Kind::kRoundClip:
            return with_two<Vectors>(q, a, b, [](VF x, VF low, VF high) FUSEQ_LAMBDA {
                return hn::Min(hn::Max(hn::Round(x), low), high);
            });
        case Kind::kPrelu:
            return with_one<Vectors>(q, a, [&](VF x, VF slope) FUSEQ_LAMBDA {
                return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, hn::Mul(slope, x));
            });
        case Kind::kMax:
            return with_one<Vectors>(q, a, [](VF x, VF y) FUSEQ_LAMBDA { return hn::Max(x, y); });
        case Kind::kMin:
            return with_one<Vectors>(q, a, [](VF x, VF y) FUSEQ_LAMBDA { return hn::Min(x, y); });
        case Kind::kSum: {
            const VF scale = hn::Set(d, op.binary.scale);
            return with_tensor<Vectors, Whole>(
                q, op.binary, call.args->extras[op.binary.input], at,
                [&](VF x, VF t) FUSEQ_LAMBDA { return hn::MulAdd(t, scale, x); });
        }
        case Kind::kBinary:
            return binary<Vectors, Whole>(q, op.binary, call.args->extras[op.binary.input], at);
        case Kind::kEltwise: {
            if (op.normal != nullptr) {
                return activate(q, op.eltwise.scale,
                                [&](VF x) FUSEQ_LAMBDA { return gelu_by_table(*op.normal, x); });
            }
            Quad in_memory = q;  // its address is taken: q itself stays in registers
            eltwise(op.eltwise, in_memory);
            q = in_memory;
            return;
        }
    }
}

template <Store To, std::size_t Vectors, bool Whole>
HWY_INLINE void finish_quad(const EpilogueCall& call, const std::int32_t* tile, const Place& at) {
    const DF d;
    const gemm::Epilogue& e = *call.epilogue;
    Quad q;
    for_quad([&](auto i) FUSEQ_LAMBDA {
        q.v[i] = VF{_mm512_cvtepi32_ps(_mm512_load_si512(tile + kLanes * i))};
    });
    with_two<Vectors>(q, e.bias.data() + at.channel, e.scale.data() + at.channel,
                      [](VF x, VF bias, VF scale)
                          FUSEQ_LAMBDA { return hn::Mul(hn::Add(x, bias), scale); });
    (void)d;
    for (const PackedOp& op : e.ops) {
        apply<Vectors, Whole>(op, call, at, q);
    }
    if constexpr (To == Store::kF32) {
        store_floats<Vectors>(q, at, call.args->dst);
    } else {
        store_bytes<Vectors, Whole>(to_bytes<To>(q, e.clamp), at, call.args->dst);
    }
}

template <Store To, std::size_t Vectors, bool Whole>
void finish_tile(const EpilogueCall& call) {
    constexpr std::size_t kRows = kQuad / Vectors;
    const std::uint32_t mask = (std::uint64_t{1} << call.panel->channels) - 1;
    Place at{.pixel = call.pixel,
             .channel = call.panel->channel,
             .rows = kRows,
             .channels = call.channels,
             .mask = {static_cast<__mmask16>(mask), static_cast<__mmask16>(mask >> kLanes)}};
    const std::int32_t* tile = call.tile;
    std::size_t row = 0;
    for (; row + kRows <= call.rows; row += kRows) {
        finish_quad<To, Vectors, Whole>(call, tile, at);
        tile += kLanes * kQuad;
        at.pixel += kRows;
    }
    if (row < call.rows) {
        at.rows = call.rows - row;
        finish_quad<To, Vectors, Whole>(call, tile, at);
    }
}

template <Store To>
gemm::EpilogueFunction select(std::size_t vectors, bool whole_panel) {
    if (vectors == 1) {
        return whole_panel ? &finish_tile<To, 1, true> : &finish_tile<To, 1, false>;
    }
    return whole_panel ? &finish_tile<To, 2, true> : &finish_tile<To, 2, false>;
}

gemm::EpilogueFunction select_for(Store store, std::size_t vectors, bool whole_panel) {
    switch (store) {
        case Store::kU8: return select<Store::kU8>(vectors, whole_panel);
        case Store::kI8: return select<Store::kI8>(vectors, whole_panel);
        default: return select<Store::kF32>(vectors, whole_panel);
    }
}

}  // namespace HWY_NAMESPACE

namespace gemm {
EpilogueFunction epilogue_function(Store store, std::size_t vectors, bool whole_panel) {
    return HWY_NAMESPACE::select_for(store, vectors, whole_panel);
}
}  // namespace gemm

}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#endif  // HWY_AVX3
