// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// SoftMax with the quantization after it, on the plugin's own kernel.
#include "cpu/lowering/make_softmax.hpp"

#include "cpu/kernels/reduce/rows.hpp"
#include "cpu/lowering/axes_in_memory.hpp"
#include "cpu/lowering/linear_epilogue.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/kernel_step.hpp"
#include "cpu/steps/softmax_rows.hpp"
#include "cpu/threading/parallel.hpp"
#include "ops/axes.hpp"
#include "ops/softmax.hpp"

namespace fuseq::cpu {
namespace {

void make_rows(StepBuilder& builder, Node& node, TensorId src, const AxesInMemory& axes) {
    kernels::SoftmaxParams params;
    params.length = axes.length;
    params.inner = axes.inner;
    const Group* epilogue = take_epilogue(builder, node, params);
    kernels::check_softmax(params);
    const PlanTensor& from = builder.tensor(src);
    const TensorId dst = builder.new_tensor(params.dst_type, from.shape, from.layout);
    constexpr std::size_t kElementsAtOnce = 4096;
    const auto run = [params, rows = axes.outer * axes.inner](const void* x, void* y) {
        parallel_for(rows, 1 + kElementsAtOnce / params.length,
                     [&](std::size_t begin, std::size_t end) {
                         kernels::softmax(params, static_cast<const float*>(x), y, {begin, end});
                     });
    };
    auto step = std::make_unique<KernelStep>(
        run, src, dst, kernel_info("softmax", "softmax", builder.tensor(src), builder.tensor(dst)));
    if (axes.inner == 1 && builder.tensor(src).layout == Layout::kPlain) {
        step->set_softmax_rows(std::make_shared<const SoftmaxRows>(
            SoftmaxRows{.params = params, .scores = src, .dst = dst, .count = axes.outer}));
    }
    add_step_with_epilogue(builder, node, std::move(step), epilogue, dst);
}

}  // namespace

const Group* take_epilogue(const StepBuilder& builder,
                           Node& softmax,
                           kernels::SoftmaxParams& params) {
    const Group* group = builder.eltwise_after(softmax.output(0));
    const auto epilogue = group == nullptr ? std::nullopt : match_linear_epilogue(*group);
    if (!epilogue || !epilogue->scale.per_tensor() || !epilogue->shift.per_tensor()) {
        return nullptr;
    }
    params.scale = epilogue->scale[0];
    params.shift = epilogue->shift[0];
    params.dst_type = epilogue->dst_type;
    return group;
}

Verdict make_softmax(StepBuilder& builder, Node& node) {
    if (!node.is("SoftMax") || node.port(0).type != ElementType::f32 ||
        node.port(0).shape.rank() == 0) {
        return node.is("SoftMax") ? Verdict::no("for f32 only, and no scalar")
                                  : Verdict::other_kind();
    }
    const std::size_t rank = node.port(0).shape.rank();
    const std::size_t axis = wrapped_axis(node.attrs<SoftmaxAttrs>().axis, rank);
    // Over channels that lie side by side in memory, or plain over any axis.
    const Layout layout = rank >= 3 && !builder.available(node.input(0), Layout::kPlain)
                              ? Layout::kChannelsLast
                              : Layout::kPlain;
    std::vector<bool> along(rank);
    along[axis] = true;
    const auto axes = axes_in_memory(node.port(0).shape.to_shape(), layout, along);
    if (!axes) {
        return Verdict::no("the axis lies in several pieces in memory");
    }
    make_rows(builder, node, builder.tensor_of(node.input(0), layout), *axes);
    return Verdict::yes();
}

}  // namespace fuseq::cpu
