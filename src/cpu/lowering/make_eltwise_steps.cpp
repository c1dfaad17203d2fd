// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Candidates for a run of element-wise nodes that no anchor takes (registry.hpp), and the fused
// eltwise for what an anchor leaves.
#include <algorithm>

#include <fmt/core.h>

#include "cpu/lowering/anchor.hpp"
#include "cpu/lowering/axes_in_memory.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/eltwise_io_reorder.hpp"
#include "cpu/steps/fused_eltwise.hpp"
#include "cpu/steps/io_reorder.hpp"
#include "fuseq/error.hpp"

namespace fuseq::cpu {
namespace {

void name_after_group(StepInfo& info, const Group& group) {
    info.name = group.result.node->name();
    add_layers(info, group);
}

}  // namespace

TensorId make_eltwise_on(StepBuilder& builder,
                         const Group& group,
                         TensorId src,
                         const post_ops::Chain& chain) {
    const PlanTensor from = builder.tensor(src);
    std::vector<TensorId> binary_sources;
    for (const Output& source : group.binary_sources) {
        binary_sources.push_back(builder.tensor_of(source, from.layout));
    }
    const TensorId dst = builder.new_tensor(chain.dst_type, from.shape, from.layout);
    auto step = std::make_unique<FusedEltwiseStep>(chain, from, src, std::move(binary_sources),
                                                   builder.tensor(dst), dst, group.channel_axis);
    name_after_group(step->info(), group);
    builder.add_step(std::move(step));
    return dst;
}

TensorId make_widened(StepBuilder& builder,
                      TensorId src,
                      const std::vector<float>& zero_point,
                      std::size_t axis) {
    const PlanTensor from = builder.tensor(src);
    post_ops::Chain chain;
    std::vector<float> shift;
    shift.reserve(zero_point.size());
    for (const float z : zero_point) {
        shift.push_back(-z);
    }
    const post_ops::Values by(std::move(shift));
    if (!by.all_equal_to(0.0f)) {
        chain.ops.push_back(post_ops::Shift{by});
    }
    const TensorId dst = builder.new_tensor(ElementType::f32, from.shape, from.layout);
    auto step = std::make_unique<FusedEltwiseStep>(chain, from, src, std::vector<TensorId>{},
                                                   builder.tensor(dst), dst, axis);
    step->info().name = "widen";
    builder.add_step(std::move(step));
    return dst;
}

namespace {

bool takes_channels_last(const Node& node) {
    for (const char* type : {"Convolution", "GroupConvolution", "ConvolutionBackpropData",
                             "GroupConvolutionBackpropData", "MaxPool", "AvgPool"}) {
        if (node.is(type)) {
            return true;
        }
    }
    return false;
}

bool reads_plain(const Node& node) {
    if (node.is("Reshape") || node.is("Squeeze") || node.is("Unsqueeze")) {
        const auto& uses = node.port().uses;
        return !keeps_channels(node) || std::all_of(uses.begin(), uses.end(), [](const Use& use) {
            return use.node->is("Result");
        });
    }
    return node.is("Result");
}

// The layout that a chain should write when it is not that of its source, in which it exists only.
std::optional<Layout> layout_wanted(const StepBuilder& builder, const Group& group) {
    const auto& uses = group.result.node->port(group.result.index).uses;
    const bool to_last = std::any_of(uses.begin(), uses.end(), [](const Use& use) {
        return use.index == 0 && takes_channels_last(*use.node);
    });
    if (to_last && !builder.available(group.source, Layout::kChannelsLast)) {
        return Layout::kChannelsLast;
    }
    const bool to_plain = std::all_of(uses.begin(), uses.end(),
                                      [](const Use& use) { return reads_plain(*use.node); });
    if (to_plain && !builder.available(group.source, Layout::kPlain)) {
        return Layout::kPlain;
    }
    return std::nullopt;
}

// From one layout to the other, in the pass that computes the chain.
struct LayoutChange {
    Layout from = Layout::kPlain;
    Layout to = Layout::kPlain;
};

std::optional<LayoutChange> layout_change(const StepBuilder& builder,
                                          const Group& group,
                                          const post_ops::Chain& chain,
                                          std::string& why) {
    if (layouts_agree(group.source.shape())) {
        why = "both layouts are one";
        return std::nullopt;
    }
    const auto to = layout_wanted(builder, group);
    if (!to) {
        why = "what reads the result takes the layout of the source";
        return std::nullopt;
    }
    if (group.axis_fixed && group.channel_axis != 1) {
        why = fmt::format("values of dimension {}, for dimension 1", group.channel_axis);
        return std::nullopt;
    }
    for (const ElementType type : {group.source.type(), chain.dst_type}) {
        if (!io_reorder_takes(type)) {
            why = fmt::format("for bytes and f32, not {}", to_string(type));
            return std::nullopt;
        }
    }
    return LayoutChange{*to == Layout::kPlain ? Layout::kChannelsLast : Layout::kPlain, *to};
}

void add_fused_eltwise(StepBuilder& builder,
                       const Group& group,
                       const post_ops::Chain& chain,
                       std::unique_ptr<Step> step) {
    step->info().post_ops = post_ops::to_text(chain);
    name_after_group(step->info(), group);
    builder.add_step(std::move(step));
}

}  // namespace

Verdict make_io_reorder(StepBuilder& builder,
                        const Group& group,
                        const post_ops::Chain& chain,
                        TensorId& result) {
    std::string why;
    const auto change = layout_change(builder, group, chain, why);
    if (!change) {
        return Verdict::no(why);
    }
    const Shape dims = group.source.shape();
    auto function = group.binary_sources.empty() ? match_io_reorder(chain, dims[1]) : std::nullopt;
    if (!function) {
        return Verdict::no("more than scales, shifts and one quantization");
    }
    const TensorId src = builder.tensor_of(group.source, change->from);
    result = builder.new_tensor(chain.dst_type, dims, change->to);
    add_fused_eltwise(
        builder, group, chain,
        std::make_unique<IoReorderStep>(builder.tensor(src), src, builder.tensor(result), result,
                                        std::move(*function)));
    return Verdict::yes();
}

Verdict make_eltwise_io_reorder(StepBuilder& builder,
                                const Group& group,
                                const post_ops::Chain& chain,
                                TensorId& result) {
    std::string why;
    const auto change = layout_change(builder, group, chain, why);
    if (!change) {
        return Verdict::other_kind();  // io_reorder has said so
    }
    const Shape dims = group.source.shape();
    if (shape_size(dims) == 0) {
        return Verdict::no("the tensor is empty");
    }
    for (const Output& source : group.binary_sources) {
        if (!builder.available(source, change->from) || !io_reorder_takes(source.type())) {
            return Verdict::no("a binary source of another layout or type than the source");
        }
    }
    if (!EltwiseIoReorderStep::takes(dims)) {
        return Verdict::no(fmt::format("{} channels: tiles do not fit the first cache", dims[1]));
    }
    const TensorId src = builder.tensor_of(group.source, change->from);
    std::vector<TensorId> binary_sources;
    std::vector<PlanTensor> source_tensors;
    for (const Output& source : group.binary_sources) {
        binary_sources.push_back(builder.tensor_of(source, change->from));
        source_tensors.push_back(builder.tensor(binary_sources.back()));
    }
    result = builder.new_tensor(chain.dst_type, dims, change->to);
    add_fused_eltwise(builder, group, chain,
                      std::make_unique<EltwiseIoReorderStep>(
                          chain, builder.tensor(src), builder.tensor(result), source_tensors,
                          EltwiseIoReorderIds{src, std::move(binary_sources), result}));
    return Verdict::yes();
}

Verdict make_alias(StepBuilder& builder,
                   const Group& group,
                   const post_ops::Chain& chain,
                   TensorId& result) {
    if (!chain.ops.empty()) {
        return Verdict::other_kind();
    }
    const TensorId src = builder.tensor_of(group.source);
    const PlanTensor from = builder.tensor(src);
    if (from.type != chain.dst_type) {
        return Verdict::no(
            fmt::format("{} becomes {}", to_string(from.type), to_string(chain.dst_type)));
    }
    result = builder.new_view(src, chain.dst_type, from.shape, from.layout);
    return Verdict::yes();
}

Verdict make_eltwise(StepBuilder& builder,
                     const Group& group,
                     const post_ops::Chain& chain,
                     TensorId& result) {
    // Follow the source, unless it exists in one order only and all binary sources in the other.
    result = make_eltwise_on(builder, group, builder.tensor_of(group.source), chain);
    return Verdict::yes();
}

}  // namespace fuseq::cpu
