// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cpu/lowering/anchor.hpp"
#include "cpu/lowering/axes_in_memory.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/post_ops/chain_head.hpp"
#include "cpu/steps/eltwise_io_reorder.hpp"
#include "cpu/steps/fused_eltwise.hpp"
#include "cpu/steps/io_reorder.hpp"
#include "fuseq/error.hpp"

namespace fuseq::cpu {

std::vector<std::string> origins_of(const Node& node) {
    std::vector<std::string> layers = node.origins;
    if (std::find(layers.begin(), layers.end(), node.name()) == layers.end()) {
        layers.push_back(node.name());
    }
    return layers;
}

void add_layers(StepInfo& info, const Group& group) {
    for (const Node* node : group.absorbed) {
        const auto names = origins_of(*node);
        info.layers.insert(info.layers.end(), names.begin(), names.end());
    }
}

namespace {

void name_after_group(StepInfo& info, const Group& group) {
    info.name = group.result.node->name();
    add_layers(info, group);
}

// The first `count` operations as one composition; the others are the remainder.
ComposedAnchor compose(const post_ops::DnnlPostOpsComposer& composer,
                       std::size_t count,
                       const post_ops::Anchor& anchor,
                       const AnchorResult& result) {
    post_ops::Mapped mapped = composer.map(anchor, count);
    ComposedAnchor composed;
    composed.dst_type = mapped.emission.dst_type;
    composed.attributes = post_ops::compose_attributes(mapped.emission, result.dst,
                                                       result.channel_axis, cpu_engine());
    composed.emission = std::move(mapped.emission);
    composed.remainder = std::move(mapped.remainder);
    composed.complete = mapped.complete;
    return composed;
}

}  // namespace

ComposedAnchor ComposedAnchor::of_own_kernel(const post_ops::Chain& chain, std::size_t count) {
    ComposedAnchor composed;
    composed.complete = count == chain.ops.size();
    composed.dst_type = composed.complete ? chain.dst_type : ElementType::f32;
    composed.remainder = post_ops::chain_from(chain, count);
    return composed;
}

ComposedAnchor choose_composition(const Group& group,
                                  const post_ops::Anchor& anchor,
                                  const AnchorResult& result,
                                  const TryPrimitive& make,
                                  std::vector<std::string>& notes) {
    const post_ops::DnnlPostOpsComposer composer = composer_of(group);
    std::size_t count = composer.chain().ops.size();
    while (true) {
        ComposedAnchor composed = compose(composer, count, anchor, result);
        const auto implementation = make(composed);
        const std::string fault =
            implementation ? post_ops::fault_of(*implementation, anchor, composed.emission)
                           : "oneDNN refuses it";
        if (fault.empty()) {
            for (const auto& reason : composed.emission.refused) {
                notes.push_back(reason);
            }
            return composed;
        }
        const std::size_t mapped = std::min(count, composed.emission.consumed);
        if (mapped == 0) {
            if (!implementation) {
                throw Error(Error::Info{.stage = "compile",
                                        .file = {},
                                        .layer_id = {},
                                        .layer = group.anchor->name(),
                                        .op = group.anchor->type(),
                                        .rule = "oneDNN has no implementation for it"});
            }
            notes.push_back("only a reference implementation exists: " + *implementation);
            return composed;
        }
        notes.push_back(
            detail::cat("not all of the first ", mapped, " operations are fused: ", fault));
        count = mapped - 1;
    }
}

std::vector<std::size_t> overwritable_sources(const StepBuilder& builder,
                                              const Group& group,
                                              Layout layout) {
    std::vector<std::size_t> inputs;
    for (std::size_t i = 0; group.may_overwrite && i < group.binary_sources.size(); ++i) {
        const Output& extra = group.binary_sources[i];
        const auto twice =
            std::count(group.binary_sources.begin(), group.binary_sources.end(), extra);
        const bool is_source =
            group.anchor != nullptr &&
            std::count(group.anchor->inputs().begin(), group.anchor->inputs().end(), extra) != 0;
        if (twice == 1 && !is_source && extra.shape() == group.result.shape() &&
            builder.may_overwrite(extra, layout) &&
            size_of(extra.type()) == size_of(group.chain.dst_type)) {
            inputs.push_back(i);
        }
    }
    return inputs;
}

TensorId result_tensor(StepBuilder& builder,
                       const Group& group,
                       const ComposedAnchor& composed,
                       const Shape& dims,
                       Layout layout) {
    if (composed.attributes.in_dst.empty()) {
        return builder.new_tensor(composed.dst_type, dims, layout);
    }
    const TensorId extra =
        builder.tensor_of(group.binary_sources.at(composed.attributes.in_dst[0]), layout);
    return builder.new_view(extra, composed.dst_type, dims, layout);
}

void add_post_op_arguments(StepBuilder& builder,
                           const Group& group,
                           const ComposedAnchor& composed,
                           Layout layout,
                           DnnlCall& call,
                           std::vector<TensorId>& inputs) {
    for (const auto& constant : composed.attributes.constants) {
        call.shared[constant.argument] = constant.memory;
    }
    for (const auto& extra : composed.attributes.tensors) {
        const TensorId id = builder.tensor_of(group.binary_sources.at(extra.input), layout);
        call.tensors.push_back({extra.argument, id, extra.desc});
        inputs.push_back(id);
    }
    for (const std::size_t extra : composed.attributes.in_dst) {
        inputs.push_back(builder.tensor_of(group.binary_sources.at(extra), layout));
    }
}

TensorId finish_anchor(StepBuilder& builder,
                       const Group& group,
                       const ComposedAnchor& composed,
                       TensorId dst) {
    if (composed.complete) {
        return dst;
    }
    return make_eltwise_on(builder, group, dst, composed.remainder);
}

void describe_anchor(StepInfo& info, const Group& group, const ComposedAnchor& composed) {
    info.name = group.anchor->name();
    info.layers = origins_of(*group.anchor);
    info.post_ops = post_ops::to_text(composed.emission);
    // With a remainder the layers of the group belong to the fused eltwise.
    if (composed.complete) {
        add_layers(info, group);
    }
}

TensorId make_eltwise_on(StepBuilder& builder,
                         const Group& group,
                         TensorId src,
                         const post_ops::Chain& chain) {
    const PlanTensor from = builder.tensor(src);
    std::vector<TensorId> binary_sources;
    for (const Output& extra : group.binary_sources) {
        binary_sources.push_back(builder.tensor_of(extra, from.layout));
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

// Converted, transposed and quantized in one pass where the layout changes: one for a plain tensor
// that is quantized for a convolution, one for a result of the model.
std::optional<TensorId> make_io_reorder_step(StepBuilder& builder,
                                             const Group& group,
                                             const post_ops::Chain& chain) {
    const Shape dims = group.source.shape();
    const auto layout = layouts_agree(dims) ? std::nullopt : layout_wanted(builder, group);
    if (!layout || (group.axis_fixed && group.channel_axis != 1) ||
        !io_reorder_takes(group.source.type()) || !io_reorder_takes(chain.dst_type)) {
        return std::nullopt;
    }
    const Layout from = *layout == Layout::kPlain ? Layout::kChannelsLast : Layout::kPlain;
    const bool sources_fit = std::all_of(
        group.binary_sources.begin(), group.binary_sources.end(), [&](const Output& extra) {
            return builder.available(extra, from) && io_reorder_takes(extra.type());
        });
    auto function = group.binary_sources.empty() ? match_io_reorder(chain, dims[1]) : std::nullopt;
    if (!function && (!sources_fit || !EltwiseIoReorderStep::takes(dims))) {
        return std::nullopt;
    }
    const TensorId src = builder.tensor_of(group.source, from);
    std::vector<TensorId> binary_sources;
    std::vector<PlanTensor> source_tensors;
    for (const Output& extra : group.binary_sources) {
        binary_sources.push_back(builder.tensor_of(extra, from));
        source_tensors.push_back(builder.tensor(binary_sources.back()));
    }
    const TensorId dst = builder.new_tensor(chain.dst_type, dims, *layout);
    std::unique_ptr<Step> step;
    if (function) {
        step = std::make_unique<IoReorderStep>(builder.tensor(src), src, builder.tensor(dst), dst,
                                               std::move(*function));
    } else {
        step = std::make_unique<EltwiseIoReorderStep>(
            chain, builder.tensor(src), builder.tensor(dst), source_tensors,
            EltwiseIoReorderIds{src, std::move(binary_sources), dst});
    }
    step->info().post_ops = post_ops::to_text(chain);
    name_after_group(step->info(), group);
    builder.add_step(std::move(step));
    return dst;
}

}  // namespace

TensorId make_eltwise_step(StepBuilder& builder, const Group& group) {
    // Follow the source, unless it exists in one order only and all binary sources in the other.
    const post_ops::Chain chain = composer_of(group).chain();
    if (const auto result = make_io_reorder_step(builder, group, chain)) {
        return *result;
    }
    const TensorId src = builder.tensor_of(group.source);
    if (chain.ops.empty() && builder.tensor(src).type == chain.dst_type) {
        return builder.new_view(src, chain.dst_type, builder.tensor(src).shape,
                                builder.tensor(src).layout);
    }
    return make_eltwise_on(builder, group, src, chain);
}

Verdict onednn_supports(const StepBuilder&, const Group&) {
    return Verdict::yes();
}

TensorId make_onednn_anchor(StepBuilder& builder, const Group& group) {
    if (group.anchor->is("MatMul")) {
        return make_matmul(builder, group);
    }
    const bool transposed = group.anchor->is("ConvolutionBackpropData") ||
                            group.anchor->is("GroupConvolutionBackpropData");
    return transposed ? make_deconvolution(builder, group) : make_convolution(builder, group);
}

}  // namespace fuseq::cpu
