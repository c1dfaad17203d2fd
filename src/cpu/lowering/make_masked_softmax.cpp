// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// SoftMax of scores to which a mask is added: rows are summed in the cache, so that the sums of all
// heads of attention are never in memory. The bytes are those of the two steps.
#include "cpu/lowering/make_masked_softmax.hpp"

#include <algorithm>

#include "cpu/kernels/reduce/rows.hpp"
#include "cpu/lowering/linear_epilogue.hpp"
#include "cpu/lowering/make_softmax.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/call_step.hpp"
#include "cpu/steps/kernel_step.hpp"
#include "cpu/threading/parallel.hpp"
#include "ops/axes.hpp"
#include "ops/binary_arithmetic.hpp"
#include "ops/softmax.hpp"

namespace fuseq::cpu {
namespace {

// Sums of a part of the rows, on the stack of a thread.
constexpr std::size_t kSums = 4096;

// Rows of the scores are numbered along `dims`, which leaves the last dimension out.
struct MaskRows {
    Shape dims;
    std::vector<std::size_t> strides;  // of the mask; 0 where it is broadcast

    std::size_t offset(std::size_t row) const {
        std::size_t offset = 0;
        for (std::size_t d = dims.size(); d-- > 0; row /= dims[d]) {
            offset += row % dims[d] * strides[d];
        }
        return offset;
    }
};

struct Operands {
    Output scores;
    Output mask;
};

bool is_plain_float(const StepBuilder& builder, const Output& source) {
    return source.type() == ElementType::f32 &&
           (source.node->is_constant() || builder.available(source, Layout::kPlain));
}

// Scores of the shape of the result, a mask that has whole rows.
std::optional<Operands> operands_of(const StepBuilder& builder, const Node& add) {
    const Shape shape = add.port(0).shape.to_shape();
    for (const std::size_t i : {0, 1}) {
        const Operands found{add.input(i), add.input(1 - i)};
        const Shape mask = found.mask.shape();
        if (found.scores.shape() == shape && !mask.empty() && mask.back() == shape.back() &&
            mask.size() <= shape.size() && is_plain_float(builder, found.scores) &&
            is_plain_float(builder, found.mask)) {
            return found;
        }
    }
    return std::nullopt;
}

bool takes(const Node& add, const Node* reader) {
    if (reader == nullptr || !reader->is("SoftMax") || !add.is("Add") ||
        add.port(0).type != ElementType::f32 ||
        add.attrs<BinaryAttrs>().auto_broadcast == AutoBroadcast::kPdpd) {
        return false;
    }
    const Shape shape = add.port(0).shape.to_shape();
    return shape.size() >= 2 && shape_size(shape) != 0 && shape.back() <= kSums &&
           wrapped_axis(reader->attrs<SoftmaxAttrs>().axis, shape.size()) == shape.size() - 1;
}

MaskRows rows_of(const Shape& mask, const Shape& scores) {
    MaskRows rows{scores, broadcast_strides(mask, scores)};
    rows.dims.pop_back();
    rows.strides.pop_back();
    return rows;
}

void run_rows(const kernels::SoftmaxParams& params,
              const MaskRows& mask_rows,
              const CallMemory& memory,
              std::size_t begin,
              std::size_t end) {
    const std::size_t length = params.length;
    const auto* scores = memory.input<float>(0);
    const auto* mask = memory.input<float>(1);
    auto* dst = memory.output<std::byte>(0);
    alignas(64) float sums[kSums];
    const std::size_t at_once = kSums / length;
    for (std::size_t row = begin; row < end; row += at_once) {
        const std::size_t count = std::min(at_once, end - row);
        for (std::size_t r = 0; r < count; ++r) {
            const float* x = scores + (row + r) * length;
            const float* m = mask + mask_rows.offset(row + r);
            float* sum = sums + r * length;
            for (std::size_t i = 0; i < length; ++i) {
                sum[i] = x[i] + m[i];
            }
        }
        kernels::softmax(params, sums, dst + row * length * size_of(params.dst_type), {0, count});
    }
}

}  // namespace

bool make_masked_softmax(StepBuilder& builder, Node& add) {
    Node* reader = builder.only_reader(add.output(0));
    if (!takes(add, reader)) {
        return false;
    }
    const auto operands = operands_of(builder, add);
    if (!operands) {
        return false;
    }
    const Shape shape = add.port(0).shape.to_shape();
    kernels::SoftmaxParams params;
    params.length = shape.back();
    const Group* epilogue = take_epilogue(builder, *reader, params);
    kernels::check_softmax(params);
    const TensorId scores = builder.tensor_of(operands->scores, Layout::kPlain);
    const TensorId mask = builder.tensor_of(operands->mask, Layout::kPlain);
    const TensorId dst = builder.new_tensor(params.dst_type, shape, Layout::kPlain);
    constexpr std::size_t kElementsAtOnce = 4096;
    auto call = [params, rows = rows_of(operands->mask.shape(), shape),
                 count = shape_size(shape) / shape.back()](const CallMemory& memory) {
        parallel_for(count, 1 + kElementsAtOnce / params.length,
                     [&](std::size_t begin, std::size_t end) {
                         run_rows(params, rows, memory, begin, end);
                     });
    };
    StepInfo info =
        kernel_info("softmax", "masked_softmax", builder.tensor(scores), builder.tensor(dst));
    info.layers = {add.name()};
    auto step = std::make_unique<CallStep>(
        std::move(call), CallStep::Tensors{{scores, mask}, {dst}, {}}, std::move(info));
    add_step_with_epilogue(builder, *reader, std::move(step), epilogue, dst);
    builder.finish_node(*reader, dst);
    return true;
}

}  // namespace fuseq::cpu
