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

bool is_static(const Node& node) {
    const auto fixed = [](const Output& in) { return !in || in.partial_shape().is_static(); };
    return std::all_of(node.inputs().begin(), node.inputs().end(), fixed) &&
           node.port(0).shape.is_static() && shape_size(node.port(0).shape.to_shape()) != 0;
}

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

bool make_pooling(StepBuilder& builder, Node& node) {
    const bool max = node.is("MaxPool");
    if ((!max && !node.is("AvgPool")) || !has_step_type(node.input(0).type())) {
        return false;
    }
    // Indices are a second result that oneDNN does not give.
    if (max && !gives_maxima_only(node)) {
        return false;
    }
    if (!max &&
        (node.input(0).type() != ElementType::f32 || node.port(0).type != ElementType::f32)) {
        return false;
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
        return false;
    }
    for (std::size_t d = 0; d < geometry.windows.size(); ++d) {
        Window& w = geometry.windows[d];
        const std::int64_t in = static_cast<std::int64_t>(src_dims[d + 2]);
        const std::int64_t needed =
            (geometry.positions[d] - 1) * w.stride + w.extent() - in - w.pad_begin;
        // What ceil rounding adds counts as padding for oneDNN but not for an average that
        // includes pads.
        if (kind == PoolingKind::kAverageIncludePad && needed > w.pad_end) {
            return false;
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
    return true;
}

bool make_concat(StepBuilder& builder, Node& node) {
    if (!node.is("Concat")) {
        return false;
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
    return true;
}

// Reshape, Squeeze, Unsqueeze: the elements stay where they are when the tensor is plain, or when
// the channels do; so the tokens of a transformer become the image of a convolution. A pattern or
// axes that are computed may be wrong at run time, even where only one shape is possible; the
// reference kernel looks at them.
bool make_view(StepBuilder& builder, Node& node) {
    if (!node.is("Reshape") && !node.is("Squeeze") && !node.is("Unsqueeze")) {
        return false;
    }
    if (node.input_count() > 1 && node.has_input(1) && !node.input_node(1)->is_constant()) {
        return false;
    }
    const bool channels_last =
        !builder.available(node.input(0), Layout::kPlain) && keeps_channels(node);
    const Layout layout = channels_last ? Layout::kChannelsLast : Layout::kPlain;
    set_view(builder, node, builder.tensor_of(node.input(0), layout), layout);
    return true;
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

bool make_transpose(StepBuilder& builder, Node& node) {
    const auto order = transpose_order(node);
    if (!order) {
        return false;
    }
    if (make_transposed_view(builder, node, *order)) {
        return true;
    }
    if (order->size() > kMaxReorderedDims) {
        return false;
    }
    const TensorId src = builder.tensor_of(node.input(0));
    if (!transpose_is_fast(builder.tensor(src), *order) && make_movement(builder, node)) {
        return true;
    }
    const TensorId dst = builder.new_tensor(node.port(0).type, node.port(0).shape, Layout::kPlain);
    add_node_step(
        builder, node,
        std::make_unique<TransposeStep>(builder.tensor(src), src, builder.tensor(dst), dst, *order),
        dst);
    return true;
}

bool make_node_step(StepBuilder& builder, Node& node) {
    if (!is_static(node)) {
        return false;
    }
    // A result out of nothing: of padding alone, the sum of no elements.
    if (!node.is("Concat") && node.input_count() != 0 && node.has_input(0) &&
        shape_size(node.input(0).shape()) == 0) {
        return false;
    }
    constexpr bool (*kMakers[])(StepBuilder&, Node&) = {
        make_view,        make_transpose,         make_concat,
        make_max_pool,    make_pooling,           make_softmax,
        make_interpolate, make_average,           make_reduce,
        make_mvn,         make_movement,          make_broadcast_binary,
        make_top_k,       make_detection_output,  make_lrn,
        make_region_yolo, make_recurrent,         make_gather,
        make_convert,     make_compressed_matmul,
    };
    return std::any_of(std::begin(kMakers), std::end(kMakers),
                       [&](const auto make) { return make(builder, node); });
}

}  // namespace fuseq::cpu
