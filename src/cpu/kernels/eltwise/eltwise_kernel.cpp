// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A tile of a row is converted to floats in a buffer, each operation runs over the buffer, and the
// tile is converted and stored. The buffer stays in L1; the loops over it are one load, one or two
// operations and one store, about what a single pass through registers costs.
#include "cpu/kernels/eltwise/eltwise_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>

#include <fmt/core.h>

#include "cpu/kernels/eltwise/eltwise_program.hpp"
#include "fuseq/error.hpp"
#include "hwy/cache_control.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/eltwise/eltwise_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/common/exact-inl.h"
#include "cpu/kernels/eltwise/eltwise-inl.h"
#include "cpu/kernels/eltwise/eltwise_registers-inl.h"
#include "cpu/kernels/eltwise/eltwise_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {

// ---- operations -------------------------------------------------------------------------------

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
           float* HWY_RESTRICT operand,
           std::size_t count) {
    const DF d;
    const VF zero_point = hn::Set(d, op.zero_point);
    const VF scale = hn::Set(d, op.scale);
    const auto combine = [&](auto&& f) HWY_ATTR {
        for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
            const VF t = hn::Mul(hn::Sub(hn::Load(d, operand + i), zero_point), scale);
            hn::Store(f(hn::Load(d, tile + i), t), d, tile + i);
        }
    };
    with_binary(d, op.kind, combine);
}

// ---- loops ------------------------------------------------------------------------------------

// A run of elements that are one after the other in every tensor.
struct Stretch {
    std::size_t row;      // or plane
    std::size_t offset;   // of its first element in that row
    std::size_t channel;  // of the plane; of the first element is `offset` in rows
    std::size_t count;    // at most kChainTile
};

Constant constant_of(const EltwiseProgram& program, const EltwiseParameter& p, const Stretch& at) {
    if (!p.per_channel) {
        return {p.values.data(), false};
    }
    if (program.layout == EltwiseLayout::kRows) {
        return {p.values.data() + at.offset, true};
    }
    return {p.values.data() + at.channel, false};
}

// The elements of a binary source with one a plane, repeated for all positions of the stretch.
void load_planes(const EltwiseProgram& program,
                 const EltwiseKernelArgs& args,
                 const post_ops::Binary& op,
                 const Stretch& at,
                 float* HWY_RESTRICT operand) {
    const EltwiseTensor& tensor = args.binary_sources[op.input];
    const DF d;
    if (program.layout == EltwiseLayout::kPlanes) {
        const std::size_t image = at.row / program.channels;
        load_tile(op.type, tensor.data, image * tensor.stride + at.channel, 1, operand);
        const VF value = hn::Set(d, operand[0]);
        for (std::size_t i = 0; i < at.count; i += hn::Lanes(d)) {
            hn::Store(value, d, operand + i);
        }
        return;
    }
    const std::size_t first = at.row / args.rows_per_image * tensor.stride;
    const std::size_t row = std::min(program.channels, at.count);
    load_tile(op.type, tensor.data, first + at.offset % program.channels, row, operand);
    // A stretch holds whole rows, or a part of one.
    for (std::size_t done = row; done < at.count; done *= 2) {
        std::memcpy(operand + done, operand, std::min(done, at.count - done) * sizeof(float));
    }
}

// The elements of a binary source with one a pixel.
void load_pixels(const EltwiseProgram& program,
                 const EltwiseTensor& tensor,
                 const post_ops::Binary& op,
                 const Stretch& at,
                 float* HWY_RESTRICT operand) {
    const std::size_t channels = program.channels;
    if (program.layout == EltwiseLayout::kPlanes) {
        load_tile(op.type, tensor.data, at.row / channels * tensor.stride + at.offset, at.count,
                  operand);
        return;
    }
    const DF d;
    HWY_ALIGN_MAX float values[kChainTile + kChainPadding];
    const std::size_t first = at.row + at.offset / channels;
    const std::size_t last = at.row + (at.offset + at.count - 1) / channels;
    load_tile(op.type, tensor.data, first, last - first + 1, values);
    // Whole vectors: what is too much is overwritten by the next row, or lies after the tile.
    std::size_t count = std::min(channels - at.offset % channels, at.count);
    for (std::size_t row = 0, done = 0; done < at.count; ++row) {
        const VF value = hn::Set(d, values[row]);
        for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
            hn::StoreU(value, d, operand + done + i);
        }
        done += count;
        count = std::min(channels, at.count - done);
    }
}

void load_source(const EltwiseProgram& program,
                 const EltwiseKernelArgs& args,
                 const post_ops::Binary& op,
                 const Stretch& at,
                 float* HWY_RESTRICT operand) {
    if (op.per_plane) {
        load_planes(program, args, op, at, operand);
        return;
    }
    const EltwiseTensor& tensor = args.binary_sources[op.input];
    if (op.per_pixel) {
        load_pixels(program, tensor, op, at, operand);
        return;
    }
    load_tile(op.type, tensor.data, at.row * tensor.stride + at.offset, at.count, operand);
}

constexpr std::size_t kAtOnce = 8;  // simple operations

void run_stretch(const EltwiseProgram& program, const EltwiseKernelArgs& args, const Stretch& at) {
    HWY_ALIGN_MAX float tile[kChainTile + kChainPadding];
    HWY_ALIGN_MAX float operand[kChainTile + kChainPadding];
    load_tile(program.src_type, args.src.data, at.row * args.src.stride + at.offset, at.count,
              tile);
    SimpleOp simple[kAtOnce];
    std::size_t pending = 0;
    const auto flush = [&] {
        if (pending != 0) {
            apply_simple_ops({simple, pending}, tile, at.count);
            pending = 0;
        }
    };
    for (const ProgramOp& op : program.ops) {
        if (is_simple(op)) {
            if (pending == kAtOnce) {
                flush();
            }
            simple[pending++] = {op.kind, constant_of(program, op.a, at),
                                 constant_of(program, op.b, at)};
            continue;
        }
        flush();
        if (op.kind == ProgramOp::Kind::kBinary) {
            load_source(program, args, op.binary, at, operand);
            apply(op.binary, tile, operand, at.count);
        } else {
            apply(op.eltwise, tile, at.count);
        }
    }
    flush();
    store_tile(program.dst_type, tile, at.count, args.dst, at.row * args.dst_stride + at.offset);
}

// Second tensors of one element a plane, repeated for whole rows. They stay the same until the next
// image.
constexpr std::size_t kMaxSpread = 2;
struct Spread {
    HWY_ALIGN_MAX float values[kMaxSpread][kChainTile + kChainPadding];
    post_ops::Binary ops[kMaxSpread];
    std::size_t image = ~std::size_t{0};
    std::size_t count = 0;
};

void spread_planes(const EltwiseProgram& program,
                   const EltwiseKernelArgs& args,
                   const Stretch& at,
                   Spread& spread) {
    const std::size_t image = at.row / args.rows_per_image;
    if (!program.per_plane || (spread.image == image && spread.count >= at.count)) {
        return;
    }
    std::size_t number = 0;
    for (const ProgramOp& op : program.ops) {
        if (op.kind == ProgramOp::Kind::kBinary && op.binary.per_plane) {
            float* const values = spread.values[number];
            load_planes(program, args, op.binary, at, values);
            const VF zero_point = hn::Set(DF(), op.binary.zero_point);
            const VF scale = hn::Set(DF(), op.binary.scale);
            over_tile(values, at.count, [&](VF t) FUSEQ_HWY_LAMBDA {
                return hn::Mul(hn::Sub(t, zero_point), scale);
            });
            post_ops::Binary& applied = spread.ops[number++];
            applied = op.binary;
            applied.type = ElementType::f32;
            applied.zero_point = 0.0f;
            applied.scale = 1.0f;
        }
    }
    spread.image = image;
    spread.count = at.count;
}

// Of a second tensor with an element for each one of the stretch, or a pixel.
const void* source_at(const EltwiseProgram& program,
                      const EltwiseKernelArgs& args,
                      const post_ops::Binary& op,
                      const Stretch& at) {
    const EltwiseTensor& tensor = args.binary_sources[op.input];
    const std::size_t row = op.per_pixel ? at.row / program.channels : at.row;
    return static_cast<const std::byte*>(tensor.data) +
           (row * tensor.stride + at.offset) * size_of(op.type);
}

// A stretch in registers; what is left of it, where second tensors are read, in a tile.
void run_short(const EltwiseProgram& program,
               const EltwiseKernelArgs& args,
               const Stretch& at,
               Spread& spread) {
    if (program.per_plane && at.count % kSimpleBlock != 0) {
        return run_stretch(program, args, at);
    }
    SimpleOp ops[kAtOnce];
    std::size_t count = 0;
    std::size_t planes = 0;
    spread_planes(program, args, at, spread);
    for (const ProgramOp& op : program.ops) {
        const bool binary = op.kind == ProgramOp::Kind::kBinary;
        if (binary && op.binary.per_plane) {
            ops[count++] = {op.kind, {}, {}, &spread.ops[planes], spread.values[planes]};
            ++planes;
            continue;
        }
        ops[count++] = {op.kind, constant_of(program, op.a, at), constant_of(program, op.b, at),
                        binary ? &op.binary : nullptr,
                        binary ? source_at(program, args, op.binary, at) : nullptr};
    }
    const std::size_t whole =
        program.source_count == 0 ? at.count : at.count / kSimpleBlock * kSimpleBlock;
    const std::size_t from = at.row * args.src.stride + at.offset;
    const std::size_t to = at.row * args.dst_stride + at.offset;
    constexpr std::size_t kCacheLine = 64;
    const bool stream =
        args.stream && program.dst_type == ElementType::f32 &&
        reinterpret_cast<std::uintptr_t>(static_cast<float*>(args.dst) + to) % kCacheLine == 0;
    with_bytes_or_floats(program.src_type, args.src.data, from, [&](const auto* src) {
        const auto run = [&](auto* dst) { run_simple({ops, count}, src, dst + to, whole, stream); };
        switch (program.dst_type) {
            case ElementType::u8: return run(static_cast<std::uint8_t*>(args.dst));
            case ElementType::i8: return run(static_cast<std::int8_t*>(args.dst));
            default: return run(static_cast<float*>(args.dst));
        }
    });
    if (whole < at.count) {
        run_stretch(program, args, {at.row, at.offset + whole, at.channel, at.count - whole});
    }
}

bool is_short(const EltwiseProgram& program) {
    const bool rows = program.layout == EltwiseLayout::kRows;
    std::size_t planes = 0;
    // From or to 32-bit integers no network has a short chain: each pair of types costs a second to
    // compile.
    return program.src_type != ElementType::i32 && program.dst_type != ElementType::i32 &&
           program.ops.size() <= kAtOnce &&
           std::all_of(program.ops.begin(), program.ops.end(), [&](const ProgramOp& op) {
               if (op.kind != ProgramOp::Kind::kBinary) {
                   return is_simple(op);
               }
               planes += op.binary.per_plane ? 1 : 0;
               const bool whole_rows = rows && program.channels <= kChainTile;
               return op.binary.per_plane ? whole_rows && planes <= kMaxSpread
                                          : !op.binary.per_pixel || !rows;
           });
}

// Rows of a stretch that are whole blocks of run_simple(), if there are such among `max`.
std::size_t rows_of_blocks(std::size_t max, std::size_t length) {
    const std::size_t step = kSimpleBlock / std::gcd(kSimpleBlock, length);
    return max < step ? max : max / step * step;
}

// Rows whose elements all lie one after the other can be taken several at once.
bool is_dense(const EltwiseProgram& program, const EltwiseKernelArgs& args, std::size_t length) {
    return args.src.stride == length && args.dst_stride == length &&
           std::all_of(program.ops.begin(), program.ops.end(), [&](const ProgramOp& op) {
               return op.kind != ProgramOp::Kind::kBinary || op.binary.per_plane ||
                      op.binary.per_pixel || args.binary_sources[op.binary.input].stride == length;
           });
}

void run_range(const EltwiseProgram& program,
               const EltwiseKernelArgs& args,
               std::size_t begin,
               std::size_t end) {
    const bool rows = program.layout == EltwiseLayout::kRows;
    const std::size_t length = rows ? program.channels : args.inner;
    // Planes only when it does not matter to which channel an element belongs.
    const bool together = (rows || !program.per_channel) && is_dense(program, args, length);
    const std::size_t max =
        !together ? 1
        : rows    ? rows_of_blocks(program.repeated_row / length, length)
                  : std::max<std::size_t>(1, kChainTile / std::max<std::size_t>(1, length));
    const bool is_simple_chain = is_short(program);
    Spread spread;
    std::size_t taken = 0;
    for (std::size_t row = begin; row < end; row += taken) {
        taken = std::min(max, end - row);
        if (rows && program.per_plane) {  // not into the next image
            taken = std::min(taken, args.rows_per_image - row % args.rows_per_image);
        }
        const std::size_t count = taken * length;
        for (std::size_t offset = 0; offset < count; offset += kChainTile) {
            const Stretch stretch{.row = row,
                                  .offset = offset,
                                  .channel = row % program.channels,
                                  .count = std::min(kChainTile, count - offset)};
            is_simple_chain ? run_short(program, args, stretch, spread)
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

EltwiseKernel::EltwiseKernel(const post_ops::Chain& chain,
                             ElementType src_type,
                             std::size_t channels,
                             EltwiseLayout layout)
    : program_(std::make_unique<const EltwiseProgram>(
          make_chain_program(chain, src_type, channels, layout))) {}

EltwiseKernel::~EltwiseKernel() = default;
EltwiseKernel::EltwiseKernel(EltwiseKernel&&) noexcept = default;
EltwiseKernel& EltwiseKernel::operator=(EltwiseKernel&&) noexcept = default;

void EltwiseKernel::run(const EltwiseKernelArgs& args, std::size_t begin, std::size_t end) const {
    if (args.binary_sources.size() < program_->source_count) {
        throw Error("infer",
                    fmt::format("fused eltwise: {} binary sources are given, the chain reads {}",
                                args.binary_sources.size(), program_->source_count));
    }
    HWY_DYNAMIC_DISPATCH(run_range)(*program_, args, begin, end);
}

void EltwiseKernel::end_stream() {
    hwy::FlushStream();
}

std::size_t EltwiseKernel::grain(std::size_t length) const {
    constexpr std::size_t kElements = 16384;  // about two microseconds of a short chain
    return std::max<std::size_t>(1, kElements / std::max<std::size_t>(1, length));
}

}  // namespace fuseq::kernels
#endif  // HWY_ONCE
