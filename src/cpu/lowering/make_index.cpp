// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Small steps on tables of indices: Gather with computed indices, Convert. The reference kernels
// give the same bytes, but ask the heap for more time than they work.
#include <algorithm>
#include <cstring>

#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/call_step.hpp"
#include "cpu/threading/parallel.hpp"
#include "model/typed.hpp"
#include "ops/axes.hpp"
#include "ops/convert.hpp"
#include "ops/gather.hpp"

namespace fuseq::cpu {
namespace {

// Fewer bytes are not worth a second thread.
constexpr std::size_t kBytesOfAThread = std::size_t{1} << 16;

// data [outer..., size, block], of which row r of the result, [outer, picked, block], takes blocks
// by the indices of batch r / outer.
struct GatherTask {
    std::size_t rows = 1;   // batches * outer
    std::size_t outer = 1;  // rows that share their indices
    std::size_t size = 1;
    std::size_t picked = 1;
    std::size_t block = 1;  // bytes
};

// Small blocks of known size are copied without a call. An index outside of the axis reads zeros.
template <std::size_t kBlock, class Index>
void gather_part(const GatherTask& t,
                 const std::byte* data,
                 const Index* indices,
                 std::byte* dst,
                 std::size_t begin,
                 std::size_t end) {
    const std::size_t block = kBlock == 0 ? t.block : kBlock;
    const auto size = static_cast<std::int64_t>(t.size);
    std::size_t row = begin / t.picked;
    std::size_t i = begin % t.picked;
    for (std::size_t at = begin; at < end; ++at) {
        const auto index = static_cast<std::int64_t>(indices[row / t.outer * t.picked + i]);
        const std::int64_t place = index < 0 ? index + size : index;
        std::byte* to = dst + at * block;
        if (place < 0 || place >= size) {
            std::memset(to, 0, block);
        } else {
            std::memcpy(to, data + (row * t.size + static_cast<std::size_t>(place)) * block, block);
        }
        if (++i == t.picked) {
            i = 0;
            ++row;
        }
    }
}

template <class Index>
void gather(const GatherTask& t, const std::byte* data, const Index* indices, std::byte* dst) {
    parallel_for(t.rows * t.picked, 1 + kBytesOfAThread / t.block,
                 [&](std::size_t begin, std::size_t end) {
                     switch (t.block) {
                         case 4: return gather_part<4>(t, data, indices, dst, begin, end);
                         case 8: return gather_part<8>(t, data, indices, dst, begin, end);
                         case 12: return gather_part<12>(t, data, indices, dst, begin, end);
                         case 16: return gather_part<16>(t, data, indices, dst, begin, end);
                         default: return gather_part<0>(t, data, indices, dst, begin, end);
                     }
                 });
}

std::size_t product(const Shape& shape, std::size_t from, std::size_t to) {
    std::size_t size = 1;
    for (std::size_t d = from; d < to; ++d) {
        size *= shape[d];
    }
    return size;
}

GatherTask task_of(const Node& node, std::size_t axis) {
    const Shape data = node.input(0).shape();
    const Shape indices = node.input(1).shape();
    const std::int64_t dims = node.spec().version == 1 ? 0 : node.attrs<GatherAttrs>().batch_dims;
    const std::size_t batch = static_cast<std::size_t>(
        dims < 0 ? dims + static_cast<std::int64_t>(indices.size()) : dims);
    GatherTask task;
    task.outer = product(data, batch, axis);
    task.rows = product(data, 0, axis);
    task.size = data[axis];
    task.picked = product(indices, batch, indices.size());
    task.block = product(data, axis + 1, data.size()) * size_of(node.port(0).type);
    return task;
}

StepInfo info_of(const char* kind, const Node& node) {
    StepInfo info;
    info.kind = kind;
    info.implementation = std::string("fuseq:") + kind;
    info.src_type = to_string(node.input(0).type());
    info.dst_type = to_string(node.port(0).type);
    info.layout = "plain";
    const std::size_t size = shape_size(node.port(0).shape.to_shape());
    info.bytes = static_cast<std::int64_t>(byte_size_of(node.input(0).type(), size) +
                                           byte_size_of(node.port(0).type, size));
    return info;
}

}  // namespace

Verdict make_gather(StepBuilder& builder, Node& node) {
    if (!node.is("Gather") || !node.input_node(2)->is_constant() ||
        node.input(0).type() == ElementType::undefined || is_packed(node.input(0).type())) {
        return node.is("Gather") ? Verdict::no("a computed axis, or packed values")
                                 : Verdict::other_kind();
    }
    const ElementType type = node.input(1).type();
    if ((type != ElementType::i32 && type != ElementType::i64) ||
        shape_size(node.input(1).shape()) == 0) {
        return Verdict::no("indices of another type than i32 and i64, or none");
    }
    const std::size_t axis =
        wrapped_axis(to_ints(node.input_node(2)->constant())[0], node.input(0).shape().size());
    const GatherTask task = task_of(node, axis);
    const TensorId data = builder.tensor_of(node.input(0), Layout::kPlain);
    const TensorId indices = builder.tensor_of(node.input(1), Layout::kPlain);
    const TensorId dst = builder.new_tensor(node.port(0).type, node.port(0).shape, Layout::kPlain);
    const bool wide = type == ElementType::i64;
    auto call = [task, wide](const CallMemory& memory) {
        const auto* from = memory.input<std::byte>(0);
        auto* to = memory.output<std::byte>(0);
        wide ? gather(task, from, memory.input<std::int64_t>(1), to)
             : gather(task, from, memory.input<std::int32_t>(1), to);
    };
    add_node_step(
        builder, node,
        std::make_unique<CallStep>(std::move(call), CallStep::Tensors{{data, indices}, {dst}, {}},
                                   info_of("gather", node)),
        dst);
    return Verdict::yes();
}

Verdict make_convert(StepBuilder& builder, Node& node) {
    const ElementType from =
        node.input_count() == 0 ? ElementType::undefined : node.input(0).type();
    const ElementType to = node.port(0).type;
    if (!node.is("Convert") || from == ElementType::undefined || to == ElementType::undefined) {
        return node.is("Convert") ? Verdict::no("a type of no elements") : Verdict::other_kind();
    }
    const TensorId src = builder.tensor_of(node.input(0), Layout::kPlain);
    const TensorId dst = builder.new_tensor(to, node.port(0).shape, Layout::kPlain);
    const std::size_t count = shape_size(node.port(0).shape.to_shape());
    constexpr std::size_t kUnit = 8;  // elements
    auto call = [=](const CallMemory& memory) {
        const auto* bytes = memory.input<std::byte>(0);
        auto* result = memory.output<std::byte>(0);
        // Parts begin with a whole byte of packed types.
        const std::size_t units = (count + kUnit - 1) / kUnit;
        parallel_for(units, kBytesOfAThread / kUnit, [&](std::size_t begin, std::size_t end) {
            const std::size_t first = begin * kUnit;
            convert_values(from, bytes + byte_size_of(from, first), to,
                           result + byte_size_of(to, first), std::min(end * kUnit, count) - first);
        });
    };
    add_node_step(builder, node,
                  std::make_unique<CallStep>(std::move(call), CallStep::Tensors{{src}, {dst}, {}},
                                             info_of("convert", node)),
                  dst);
    return Verdict::yes();
}

}  // namespace fuseq::cpu
