// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Nodes that are neither anchors nor element-wise: pooling, concat, softmax, views, transposes.
#include <algorithm>
#include <numeric>

#include "cpu/lowering/axes_in_memory.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/concat.hpp"
#include "cpu/steps/pooling.hpp"
#include "cpu/steps/transpose.hpp"
#include "ops/axes.hpp"
#include "ops/concat.hpp"
#include "ops/pooling.hpp"

namespace fuseq::cpu {
namespace {

bool has_step_type(ElementType type) {
    return type == ElementType::f32 || type == ElementType::u8 || type == ElementType::i8;
}

// The same values in the same memory order under another shape.
void set_view(StepBuilder& builder, Node& node, TensorId src, Layout layout) {
    const OutputPort& port = node.port(0);
    builder.set_tensor(node.output(0), builder.new_view(src, port.type, port.shape, layout));
}

}  // namespace

void name_after(StepInfo& info, const Node& node) {
    info.name = node.name();
    info.layers.push_back(node.name());
}

void add_node_step(StepBuilder& builder, Node& node, std::unique_ptr<Step> step, TensorId dst) {
    name_after(step->info(), node);
    builder.add_step(std::move(step));
    builder.set_tensor(node.output(0), dst);
}

Verdict make_pooling(StepBuilder& builder, Node& node) {
    const bool max = node.is("MaxPool");
    if (!max && !node.is("AvgPool")) {
        return Verdict::other_kind();
    }
    if (!has_step_type(node.input(0).type())) {
        return Verdict::no("for f32, u8 and i8");
    }
    // Indices are a second result that oneDNN does not give.
    if (max && !gives_maxima_only(node)) {
        return Verdict::no("its indices are a second result");
    }
    if (!max &&
        (node.input(0).type() != ElementType::f32 || node.port(0).type != ElementType::f32)) {
        return Verdict::no("means of f32 only");
    }
    const PoolAttrs& attrs = pool_attrs(node);
    const Shape src_dims = node.input(0).shape();
    PoolGeometry geometry = pool_geometry(attrs, src_dims);
    PoolingKind kind = PoolingKind::kMax;
    if (!max) {
        kind = average_attrs(node).exclude_pad ? PoolingKind::kAverageExcludePad
                                               : PoolingKind::kAverageIncludePad;
    }
    // A window wholly in the padding has no maximum and no mean.
    if (has_window_in_padding(geometry, src_dims)) {
        return Verdict::no("a window wholly in the padding");
    }
    for (std::size_t d = 0; d < geometry.windows.size(); ++d) {
        Window& w = geometry.windows[d];
        const std::int64_t in = static_cast<std::int64_t>(src_dims[d + 2]);
        const std::int64_t needed =
            (geometry.positions[d] - 1) * w.stride + w.extent() - in - w.pad_begin;
        // What ceil rounding adds counts as padding for oneDNN but not for an average that
        // includes pads.
        if (kind == PoolingKind::kAverageIncludePad && needed > w.pad_end) {
            return Verdict::no("padding that ceil rounding adds, in a mean that includes pads");
        }
        w.pad_end = needed;
    }
    const TensorId src = builder.tensor_of(node.input(0), Layout::kChannelsLast);
    const TensorId dst =
        builder.new_tensor(node.port(0).type, node.port(0).shape, Layout::kChannelsLast);
    add_node_step(builder, node,
                  std::make_unique<PoolingStep>(kind, builder.tensor(src), src, builder.tensor(dst),
                                                dst, geometry.windows),
                  dst);
    return Verdict::yes();
}

Verdict make_concat(StepBuilder& builder, Node& node) {
    if (!node.is("Concat")) {
        return Verdict::other_kind();
    }
    const std::size_t rank = node.port(0).shape.rank();
    const std::size_t axis = wrapped_axis(node.attrs<ConcatAttrs>().axis, rank);
    std::vector<Output> inputs;
    for (const Output& input : node.inputs()) {
        if (shape_size(input.shape()) != 0) {
            inputs.push_back(input);
        }
    }
    const bool channels_last =
        rank >= 3 && std::any_of(inputs.begin(), inputs.end(), [&](const Output& input) {
            return !input.node->is_constant() && !builder.available(input, Layout::kPlain);
        });
    const Layout layout = channels_last ? Layout::kChannelsLast : Layout::kPlain;
    std::vector<TensorId> ids;
    std::vector<PlanTensor> srcs;
    for (const Output& input : inputs) {
        ids.push_back(builder.tensor_of(input, layout));
        srcs.push_back(builder.tensor(ids.back()));
    }
    const TensorId dst = builder.new_tensor(node.port(0).type, node.port(0).shape, layout);
    add_node_step(
        builder, node,
        std::make_unique<ConcatStep>(srcs, std::move(ids), builder.tensor(dst), dst, axis), dst);
    return Verdict::yes();
}

// Reshape, Squeeze, Unsqueeze: the elements stay where they are when the tensor is plain, or when
// the channels do; so the tokens of a transformer become the image of a convolution. A pattern or
// axes that are computed may be wrong at run time, even where only one shape is possible; the
// reference kernel looks at them.
Verdict make_view(StepBuilder& builder, Node& node) {
    if (!node.is("Reshape") && !node.is("Squeeze") && !node.is("Unsqueeze")) {
        return Verdict::other_kind();
    }
    if (node.input_count() > 1 && node.has_input(1) && !node.input_node(1)->is_constant()) {
        return Verdict::no("a computed pattern or axes");
    }
    const bool channels_last =
        !builder.available(node.input(0), Layout::kPlain) && keeps_channels(node);
    const Layout layout = channels_last ? Layout::kChannelsLast : Layout::kPlain;
    set_view(builder, node, builder.tensor_of(node.input(0), layout), layout);
    return Verdict::yes();
}

// oneDNN is slow beyond; make_movement() takes those.
constexpr std::size_t kMaxReorderedDims = 5;

// In the layouts that exist, as one of the two layouts. A view that is channels-last turns into a
// plain tensor by a reorder when somebody wants that; the transposition would have been no faster.
bool make_transposed_view(StepBuilder& builder, Node& node, const std::vector<std::size_t>& order) {
    constexpr Layout kLayouts[] = {Layout::kPlain, Layout::kChannelsLast};
    for (const Layout to : kLayouts) {
        for (const Layout from : kLayouts) {
            if ((to == Layout::kChannelsLast && order.size() < 3) ||
                !builder.available(node.input(0), from)) {
                continue;
            }
            const TensorId src = builder.tensor_of(node.input(0), from);
            if (transpose_is_view(builder.tensor(src), order, to)) {
                set_view(builder, node, src, to);
                return true;
            }
        }
    }
    return false;
}

Verdict make_transpose(StepBuilder& builder, Node& node) {
    const auto order = transpose_order(node);
    if (!order) {
        return node.is("Transpose") ? Verdict::no("a computed order") : Verdict::other_kind();
    }
    if (make_transposed_view(builder, node, *order)) {
        return Verdict::yes();
    }
    if (order->size() > kMaxReorderedDims) {
        return Verdict::no("more than 5 dimensions");
    }
    const TensorId src = builder.tensor_of(node.input(0));
    if (!transpose_is_fast(builder.tensor(src), *order) && make_movement(builder, node)) {
        return Verdict::yes();
    }
    const TensorId dst = builder.new_tensor(node.port(0).type, node.port(0).shape, Layout::kPlain);
    add_node_step(
        builder, node,
        std::make_unique<TransposeStep>(builder.tensor(src), src, builder.tensor(dst), dst, *order),
        dst);
    return Verdict::yes();
}

}  // namespace fuseq::cpu
