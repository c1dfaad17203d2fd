// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// SoftMax with the quantization behind it, on the plugin's own kernel.
#include "cpu/kernels/rows.hpp"
#include "cpu/plan/axes_in_memory.hpp"
#include "cpu/plan/linear_tail.hpp"
#include "cpu/plan/step_makers.hpp"
#include "cpu/runtime/parallel.hpp"
#include "cpu/steps/kernel_step.hpp"
#include "ops/softmax.hpp"

namespace fuseq::cpu {
namespace {

std::size_t axis_of(const Node& node) {
    const std::int64_t axis = node.attrs<SoftmaxAttrs>().axis;
    const auto rank = static_cast<std::int64_t>(node.port(0).shape.rank());
    return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

void make_rows(PlanBuilder& builder, Node& node, TensorId src, const AxesInMemory& axes) {
    kernels::SoftmaxParams params;
    params.length = axes.length;
    params.inner = axes.inner;
    const Group* group = builder.chain_behind(node.output(0));
    const auto tail = group == nullptr ? std::nullopt : match_linear_tail(*group);
    const bool fused = tail && tail->scale.per_tensor() && tail->shift.per_tensor();
    if (fused) {
        params.scale = tail->scale[0];
        params.shift = tail->shift[0];
        params.dst_type = tail->dst_type;
    }
    kernels::check_softmax(params);
    const PlanTensor& from = builder.tensor(src);
    const TensorId dst = builder.new_tensor(params.dst_type, from.shape, from.layout);
    StepInfo info = kernel_info("softmax", "softmax", builder.tensor(src), builder.tensor(dst));
    info.name = node.name();
    info.layers = {node.name()};
    if (fused) {
        describe_tail(info, *group);
    }
    constexpr std::size_t kElementsAtOnce = 4096;
    const auto run = [params, rows = axes.outer * axes.inner](const void* x, void* y) {
        parallel_for(rows, 1 + kElementsAtOnce / params.length,
                     [&](std::size_t begin, std::size_t end) {
                         kernels::softmax(params, static_cast<const float*>(x), y, {begin, end});
                     });
    };
    builder.add_step(std::make_unique<KernelStep>(run, src, dst, std::move(info)));
    if (fused) {
        builder.finish_group(*group, dst);
    } else {
        builder.set_tensor(node.output(0), dst);
    }
}

}  // namespace

bool make_softmax(PlanBuilder& builder, Node& node) {
    if (!node.is("SoftMax") || node.port(0).type != ElementType::f32 ||
        node.port(0).shape.rank() == 0) {
        return false;
    }
    const std::size_t rank = node.port(0).shape.rank();
    const std::size_t axis = axis_of(node);
    // Over channels that lie side by side in memory, or plain over any axis.
    const Layout layout = rank >= 3 && !builder.available(node.input(0), Layout::kPlain)
                              ? Layout::kChannelsLast
                              : Layout::kPlain;
    std::vector<bool> along(rank);
    along[axis] = true;
    const auto axes = axes_in_memory(node.port(0).shape.to_shape(), layout, along);
    if (!axes) {
        return false;
    }
    make_rows(builder, node, builder.tensor_of(node.input(0), layout), *axes);
    return true;
}

}  // namespace fuseq::cpu
