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
#include "cpu/steps/softmax_rows.hpp"
#include "cpu/threading/parallel.hpp"
#include "ops/axes.hpp"
#include "ops/binary_arithmetic.hpp"
#include "ops/softmax.hpp"

namespace fuseq::cpu {
namespace {

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
    return shape.size() >= 2 && shape_size(shape) != 0 && shape.back() <= SoftmaxRows::kMaxMasked &&
           wrapped_axis(reader->attrs<SoftmaxAttrs>().axis, shape.size()) == shape.size() - 1;
}

void number_rows(SoftmaxRows& rows, const Shape& shape, const Shape& mask) {
    rows.count = shape_size(shape) / shape.back();
    rows.dims = shape;
    rows.dims.pop_back();
    rows.mask_strides = broadcast_strides(mask, shape);
    rows.mask_strides.pop_back();
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
    auto rows = std::make_shared<SoftmaxRows>();
    rows->params.length = shape.back();
    const Group* epilogue = take_epilogue(builder, *reader, rows->params);
    kernels::check_softmax(rows->params);
    const TensorId scores = builder.tensor_of(operands->scores, Layout::kPlain);
    const TensorId mask = builder.tensor_of(operands->mask, Layout::kPlain);
    const TensorId dst = builder.new_tensor(rows->params.dst_type, shape, Layout::kPlain);
    number_rows(*rows, shape, operands->mask.shape());
    rows->scores = scores;
    rows->mask = mask;
    rows->dst = dst;
    constexpr std::size_t kElementsAtOnce = 4096;
    auto call = [rows](const CallMemory& memory) {
        const std::size_t length = rows->params.length;
        const std::size_t row_bytes = length * size_of(rows->params.dst_type);
        parallel_for(
            rows->count, 1 + kElementsAtOnce / length, [&](std::size_t begin, std::size_t end) {
                rows->run(memory.input<float>(0) + begin * length, memory.input<float>(1),
                          memory.output<std::byte>(0) + begin * row_bytes, begin, end - begin);
            });
    };
    StepInfo info =
        kernel_info("softmax", "masked_softmax", builder.tensor(scores), builder.tensor(dst));
    info.layers = {add.name()};
    auto step = std::make_unique<CallStep>(
        std::move(call), CallStep::Tensors{{scores, mask}, {dst}, {}}, std::move(info));
    step->set_softmax_rows(std::move(rows));
    add_step_with_epilogue(builder, *reader, std::move(step), epilogue, dst);
    builder.finish_node(*reader, dst);
    return true;
}

}  // namespace fuseq::cpu
