// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A tile of a row is converted to floats in a buffer, each operation runs over the buffer, and the
// tile is converted and stored. The buffer stays in L1; the loops over it are one load, one or two
// operations and one store, about what a single pass through registers costs.
#include "cpu/kernels/chain_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "cpu/kernels/chain_program.hpp"
#include "fuseq/error.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/chain_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/chain_tile-inl.h"
#include "cpu/kernels/eltwise-inl.h"
#include "cpu/kernels/exact-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {

// ---- operations -------------------------------------------------------------------------------

// Where a constant of the current tile begins; stepping over the tile or not.
struct Constant {
    const float* data;
    bool vector;
};

template <class F>
HWY_INLINE void over_tile(float* HWY_RESTRICT tile, std::size_t count, F&& f) {
    const DF d;
    for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
        hn::Store(f(hn::Load(d, tile + i)), d, tile + i);
    }
}

// Rare functions, lane by lane in double precision.
void apply_scalar(const post_ops::Eltwise& op, float* tile, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        tile[i] = static_cast<float>(post_ops::apply(op, tile[i]));
    }
}

void apply(const post_ops::Eltwise& op, float* tile, std::size_t count) {
    const auto all = [&](auto&& f) FUSEQ_HWY_LAMBDA { over_tile(tile, count, f); };
    if (!with_eltwise(DF(), op, all)) {
        apply_scalar(op, tile, count);
    }
}

// t = (element - zero_point) * scale, in place.
void apply(const post_ops::Binary& op,
           float* HWY_RESTRICT tile,
           float* HWY_RESTRICT extra,
           std::size_t count) {
    const DF d;
    const VF zero_point = hn::Set(d, op.zero_point);
    const VF scale = hn::Set(d, op.scale);
    const auto combine = [&](auto&& f) HWY_ATTR {
        for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
            const VF t = hn::Mul(hn::Sub(hn::Load(d, extra + i), zero_point), scale);
            hn::Store(f(hn::Load(d, tile + i), t), d, tile + i);
        }
    };
    switch (op.kind) {
        case post_ops::BinaryKind::kAdd:
            return combine([](VF x, VF t) HWY_ATTR { return hn::Add(x, t); });
        case post_ops::BinaryKind::kMul:
            return combine([](VF x, VF t) HWY_ATTR { return hn::Mul(x, t); });
        case post_ops::BinaryKind::kMax:
            return combine([](VF x, VF t) HWY_ATTR { return hn::Max(x, t); });
        case post_ops::BinaryKind::kMin:
            return combine([](VF x, VF t) HWY_ATTR { return hn::Min(x, t); });
    }
}

// Whether an operation is done by apply_simple_ops().
bool is_simple(const ChainStepOp& op) {
    return op.kind != ChainStepOp::Kind::kEltwise && op.kind != ChainStepOp::Kind::kBinary;
}

struct SimpleOp {
    ChainStepOp::Kind kind;
    Constant a;
    Constant b;
};

template <std::size_t N, class F>
HWY_INLINE void with_two(VF (&x)[N], const SimpleOp& op, std::size_t i, F&& f) {
    const DF d;
    const std::size_t lanes = hn::Lanes(d);
    const VF a = hn::Set(d, *op.a.data);
    const VF b = hn::Set(d, *op.b.data);
    if (!op.a.vector && !op.b.vector) {
        HWY_UNROLL(8)
        for (std::size_t v = 0; v < N; ++v) {
            x[v] = f(x[v], a, b);
        }
        return;
    }
    HWY_UNROLL(8)
    for (std::size_t v = 0; v < N; ++v) {
        const std::size_t at = i + v * lanes;
        x[v] = f(x[v], op.a.vector ? hn::LoadU(d, op.a.data + at) : a,
                 op.b.vector ? hn::LoadU(d, op.b.data + at) : b);
    }
}

template <std::size_t N, class F>
HWY_INLINE void with_one(VF (&x)[N], const SimpleOp& op, std::size_t i, F&& f) {
    const DF d;
    const std::size_t lanes = hn::Lanes(d);
    if (!op.a.vector) {
        const VF a = hn::Set(d, *op.a.data);
        HWY_UNROLL(8)
        for (std::size_t v = 0; v < N; ++v) {
            x[v] = f(x[v], a);
        }
        return;
    }
    HWY_UNROLL(8)
    for (std::size_t v = 0; v < N; ++v) {
        x[v] = f(x[v], hn::LoadU(d, op.a.data + i + v * lanes));
    }
}

template <std::size_t N>
HWY_INLINE void apply(const SimpleOp& op, std::size_t i, VF (&x)[N]) {
    switch (op.kind) {
        case ChainStepOp::Kind::kAffine:
            return with_two(x, op, i, [](VF y, VF scale, VF shift) HWY_ATTR {
                return hn::Add(hn::Mul(y, scale), shift);
            });
        case ChainStepOp::Kind::kScale:
            return with_one(x, op, i, [](VF y, VF v) HWY_ATTR { return hn::Mul(y, v); });
        case ChainStepOp::Kind::kShift:
            return with_one(x, op, i, [](VF y, VF v) HWY_ATTR { return hn::Add(y, v); });
        case ChainStepOp::Kind::kClip:
            return with_two(x, op, i, [](VF y, VF low, VF high) HWY_ATTR {
                return hn::Min(hn::Max(y, low), high);
            });
        case ChainStepOp::Kind::kRoundClip:
            return with_two(x, op, i, [](VF y, VF low, VF high) HWY_ATTR {
                return hn::Min(hn::Max(hn::Round(y), low), high);
            });
        case ChainStepOp::Kind::kPrelu:
            return with_one(x, op, i, [](VF y, VF slope) HWY_ATTR {
                return hn::IfThenElse(hn::Gt(y, hn::Zero(DF())), y, hn::Mul(slope, y));
            });
        default:
            HWY_UNROLL(8)
            for (std::size_t v = 0; v < N; ++v) {
                x[v] = hn::Round(x[v]);
            }
    }
}

template <std::size_t N>
HWY_INLINE void apply_to_block(std::span<const SimpleOp> ops,
                               std::size_t i,
                               float* HWY_RESTRICT tile) {
    const DF d;
    const std::size_t lanes = hn::Lanes(d);
    VF x[N];
    HWY_UNROLL(8)
    for (std::size_t v = 0; v < N; ++v) {
        x[v] = hn::Load(d, tile + i + v * lanes);
    }
    for (const SimpleOp& op : ops) {
        apply<N>(op, i, x);
    }
    HWY_UNROLL(8)
    for (std::size_t v = 0; v < N; ++v) {
        hn::Store(x[v], d, tile + i + v * lanes);
    }
}

// Neighbouring operations on values that stay in registers.
void apply_simple_ops(std::span<const SimpleOp> ops, float* HWY_RESTRICT tile, std::size_t count) {
    constexpr std::size_t kVectors = 8;
    const DF d;
    const std::size_t lanes = hn::Lanes(d);
    std::size_t i = 0;
    for (; i + kVectors * lanes <= count; i += kVectors * lanes) {
        apply_to_block<kVectors>(ops, i, tile);
    }
    for (; i < count; i += lanes) {
        apply_to_block<1>(ops, i, tile);
    }
}

// ---- short chains -----------------------------------------------------------------------------

// Rounded half to even, saturated, as store_floats() does it.
template <class T>
HWY_INLINE void store_block(VF (&x)[4], T* to) {
    const DF d;
    if constexpr (sizeof(T) == 1) {
        const VF low = hn::Set(d, static_cast<float>(std::numeric_limits<T>::min()));
        store_four(d, hn::Max(x[0], low), hn::Max(x[1], low), hn::Max(x[2], low),
                   hn::Max(x[3], low), to);
    } else {
        HWY_UNROLL(4)
        for (std::size_t v = 0; v < 4; ++v) {
            store_floats(d, x[v], to + v * hn::Lanes(d));
        }
    }
}

// From src to dst without a buffer in between.
template <class Src, class Dst>
void run_simple(std::span<const SimpleOp> ops, const Src* src, Dst* dst, std::size_t count) {
    constexpr std::size_t kVectors = 4;
    const DF d;
    const std::size_t lanes = hn::Lanes(d);
    std::size_t i = 0;
    for (; i + kVectors * lanes <= count; i += kVectors * lanes) {
        VF x[kVectors];
        HWY_UNROLL(4)
        for (std::size_t v = 0; v < kVectors; ++v) {
            x[v] = load_floats(d, src + i + v * lanes);
        }
        for (const SimpleOp& op : ops) {
            apply<kVectors>(op, i, x);
        }
        store_block(x, dst + i);
    }
    HWY_ALIGN_MAX float rest[kVectors * hn::MaxLanes(d)];
    if (i < count) {
        load_tile(src + i, count - i, rest);
        for (std::size_t done = 0; i + done < count; done += lanes) {
            VF x[1] = {hn::Load(d, rest + done)};
            for (const SimpleOp& op : ops) {
                apply<1>(op, i + done, x);
            }
            hn::Store(x[0], d, rest + done);
        }
        store_tile(rest, count - i, dst + i);
    }
}

// Calls body with a pointer to the element `at` of the tensor.
template <class Body>
void with_elements(ElementType type, const void* data, std::size_t at, const Body& body) {
    switch (type) {
        case ElementType::u8: return body(static_cast<const std::uint8_t*>(data) + at);
        case ElementType::i8: return body(static_cast<const std::int8_t*>(data) + at);
        case ElementType::i32: return body(static_cast<const std::int32_t*>(data) + at);
        default: return body(static_cast<const float*>(data) + at);
    }
}

// ---- walk -------------------------------------------------------------------------------------

// A run of elements that are one behind the other in every tensor.
struct Stretch {
    std::size_t row;      // or plane
    std::size_t offset;   // of its first element in that row
    std::size_t channel;  // of the plane; of the first element is `offset` in rows
    std::size_t count;    // at most kChainTile
};

Constant constant_of(const ChainProgram& program, const ChainParameter& p, const Stretch& at) {
    if (!p.per_channel) {
        return {p.values.data(), false};
    }
    if (program.layout == ChainLayout::kRows) {
        return {p.values.data() + at.offset, true};
    }
    return {p.values.data() + at.channel, false};
}

// The elements of an extra input with one a plane, repeated for all positions of the stretch.
void load_planes(const ChainProgram& program,
                 const ChainKernelArgs& args,
                 const post_ops::Binary& op,
                 const Stretch& at,
                 float* HWY_RESTRICT extra) {
    const ChainTensor& tensor = args.extras[op.input];
    const DF d;
    if (program.layout == ChainLayout::kPlanes) {
        const std::size_t image = at.row / program.channels;
        load_tile(op.type, tensor.data, image * tensor.stride + at.channel, 1, extra);
        const VF value = hn::Set(d, extra[0]);
        for (std::size_t i = 0; i < at.count; i += hn::Lanes(d)) {
            hn::Store(value, d, extra + i);
        }
        return;
    }
    const std::size_t first = at.row / args.rows_per_image * tensor.stride;
    const std::size_t row = std::min(program.channels, at.count);
    load_tile(op.type, tensor.data, first + at.offset % program.channels, row, extra);
    // A stretch holds whole rows, or a part of one.
    for (std::size_t done = row; done < at.count; done *= 2) {
        std::memcpy(extra + done, extra, std::min(done, at.count - done) * sizeof(float));
    }
}

// The elements of an extra input with one a pixel.
void load_pixels(const ChainProgram& program,
                 const ChainTensor& tensor,
                 const post_ops::Binary& op,
                 const Stretch& at,
                 float* HWY_RESTRICT extra) {
    const std::size_t channels = program.channels;
    if (program.layout == ChainLayout::kPlanes) {
        load_tile(op.type, tensor.data, at.row / channels * tensor.stride + at.offset, at.count,
                  extra);
        return;
    }
    const DF d;
    HWY_ALIGN_MAX float values[kChainTile + kChainPadding];
    const std::size_t first = at.row + at.offset / channels;
    const std::size_t last = at.row + (at.offset + at.count - 1) / channels;
    load_tile(op.type, tensor.data, first, last - first + 1, values);
    // Whole vectors: what is too much is overwritten by the next row, or lies behind the tile.
    std::size_t count = std::min(channels - at.offset % channels, at.count);
    for (std::size_t row = 0, done = 0; done < at.count; ++row) {
        const VF value = hn::Set(d, values[row]);
        for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
            hn::StoreU(value, d, extra + done + i);
        }
        done += count;
        count = std::min(channels, at.count - done);
    }
}

void load_extra(const ChainProgram& program,
                const ChainKernelArgs& args,
                const post_ops::Binary& op,
                const Stretch& at,
                float* HWY_RESTRICT extra) {
    if (op.per_plane) {
        load_planes(program, args, op, at, extra);
        return;
    }
    const ChainTensor& tensor = args.extras[op.input];
    if (op.per_pixel) {
        load_pixels(program, tensor, op, at, extra);
        return;
    }
    load_tile(op.type, tensor.data, at.row * tensor.stride + at.offset, at.count, extra);
}

constexpr std::size_t kAtOnce = 8;  // simple operations

// A stretch by run_simple().
void run_short(const ChainProgram& program, const ChainKernelArgs& args, const Stretch& at) {
    SimpleOp ops[kAtOnce];
    std::size_t count = 0;
    for (const ChainStepOp& op : program.ops) {
        ops[count++] = {op.kind, constant_of(program, op.a, at), constant_of(program, op.b, at)};
    }
    const std::size_t from = at.row * args.src.stride + at.offset;
    const std::size_t to = at.row * args.dst_stride + at.offset;
    with_elements(program.src_type, args.src.data, from, [&](const auto* src) {
        switch (program.dst_type) {
            case ElementType::u8:
                return run_simple({ops, count}, src, static_cast<std::uint8_t*>(args.dst) + to,
                                  at.count);
            case ElementType::i8:
                return run_simple({ops, count}, src, static_cast<std::int8_t*>(args.dst) + to,
                                  at.count);
            case ElementType::i32:
                return run_simple({ops, count}, src, static_cast<std::int32_t*>(args.dst) + to,
                                  at.count);
            default:
                return run_simple({ops, count}, src, static_cast<float*>(args.dst) + to, at.count);
        }
    });
}

bool is_short(const ChainProgram& program) {
    return program.ops.size() <= kAtOnce &&
           std::all_of(program.ops.begin(), program.ops.end(), is_simple);
}

void run_stretch(const ChainProgram& program, const ChainKernelArgs& args, const Stretch& at) {
    HWY_ALIGN_MAX float tile[kChainTile + kChainPadding];
    HWY_ALIGN_MAX float extra[kChainTile + kChainPadding];
    load_tile(program.src_type, args.src.data, at.row * args.src.stride + at.offset, at.count,
              tile);
    SimpleOp simple[kAtOnce];
    std::size_t waiting = 0;
    const auto flush = [&] {
        if (waiting != 0) {
            apply_simple_ops({simple, waiting}, tile, at.count);
            waiting = 0;
        }
    };
    for (const ChainStepOp& op : program.ops) {
        if (is_simple(op)) {
            if (waiting == kAtOnce) {
                flush();
            }
            simple[waiting++] = {op.kind, constant_of(program, op.a, at),
                                 constant_of(program, op.b, at)};
            continue;
        }
        flush();
        if (op.kind == ChainStepOp::Kind::kBinary) {
            load_extra(program, args, op.binary, at, extra);
            apply(op.binary, tile, extra, at.count);
        } else {
            apply(op.eltwise, tile, at.count);
        }
    }
    flush();
    store_tile(program.dst_type, tile, at.count, args.dst, at.row * args.dst_stride + at.offset);
}

// Rows whose elements all lie one behind the other can be taken several at once.
bool is_dense(const ChainProgram& program, const ChainKernelArgs& args, std::size_t length) {
    return args.src.stride == length && args.dst_stride == length &&
           std::all_of(program.ops.begin(), program.ops.end(), [&](const ChainStepOp& op) {
               return op.kind != ChainStepOp::Kind::kBinary || op.binary.per_plane ||
                      op.binary.per_pixel || args.extras[op.binary.input].stride == length;
           });
}

void run_range(const ChainProgram& program,
               const ChainKernelArgs& args,
               std::size_t begin,
               std::size_t end) {
    const bool rows = program.layout == ChainLayout::kRows;
    const std::size_t length = rows ? program.channels : args.inner;
    // Planes only when it does not matter to which channel an element belongs.
    const bool together = (rows || !program.per_channel) && is_dense(program, args, length);
    const std::size_t most =
        !together ? 1
        : rows    ? program.repeated_row / length
                  : std::max<std::size_t>(1, kChainTile / std::max<std::size_t>(1, length));
    const bool is_simple_chain = is_short(program);
    std::size_t taken = 0;
    for (std::size_t row = begin; row < end; row += taken) {
        taken = std::min(most, end - row);
        if (rows && program.per_plane) {  // not into the next image
            taken = std::min(taken, args.rows_per_image - row % args.rows_per_image);
        }
        const std::size_t count = taken * length;
        for (std::size_t offset = 0; offset < count; offset += kChainTile) {
            const Stretch stretch{.row = row,
                                  .offset = offset,
                                  .channel = row % program.channels,
                                  .count = std::min(kChainTile, count - offset)};
            is_simple_chain ? run_short(program, args, stretch)
                            : run_stretch(program, args, stretch);
        }
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(run_range);

ChainKernel::ChainKernel(const post_ops::Chain& chain,
                         ElementType src_type,
                         std::size_t channels,
                         ChainLayout layout)
    : program_(std::make_unique<const ChainProgram>(
          make_chain_program(chain, src_type, channels, layout))) {}

ChainKernel::~ChainKernel() = default;
ChainKernel::ChainKernel(ChainKernel&&) noexcept = default;
ChainKernel& ChainKernel::operator=(ChainKernel&&) noexcept = default;

void ChainKernel::run(const ChainKernelArgs& args, std::size_t begin, std::size_t end) const {
    if (args.extras.size() < program_->extra_count) {
        throw Error("infer", detail::cat("chain kernel: ", args.extras.size(),
                                         " extra inputs are given, the chain reads ",
                                         program_->extra_count));
    }
    HWY_DYNAMIC_DISPATCH(run_range)(*program_, args, begin, end);
}

std::size_t ChainKernel::grain(std::size_t length) const {
    constexpr std::size_t kElements = 16384;  // about two microseconds of a short chain
    return std::max<std::size_t>(1, kElements / std::max<std::size_t>(1, length));
}

}  // namespace fuseq::kernels
#endif  // HWY_ONCE
