// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/core.h>

#include "cpu/lowering/anchor.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/post_ops/chain_head.hpp"
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

const post_ops::DnnlPostOpsComposer& composer_of(const Group& group) {
    if (group.composer == nullptr) {
        group.composer = std::make_shared<post_ops::DnnlPostOpsComposer>(group.chain, group.laws);
    }
    return *group.composer;
}

ComposedAnchor choose_composition(const Group& group,
                                  const post_ops::Anchor& anchor,
                                  const AnchorResult& result,
                                  const TryPrimitive& make,
                                  std::vector<std::string>& notes) {
    const post_ops::DnnlPostOpsComposer& composer = composer_of(group);
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
            fmt::format("not all of the first {} operations are fused: {}", mapped, fault));
        count = mapped - 1;
    }
}

std::vector<std::size_t> overwritable_sources(const StepBuilder& builder,
                                              const Group& group,
                                              Layout layout) {
    std::vector<std::size_t> inputs;
    for (std::size_t i = 0; group.may_overwrite && i < group.binary_sources.size(); ++i) {
        const Output& source = group.binary_sources[i];
        const auto twice =
            std::count(group.binary_sources.begin(), group.binary_sources.end(), source);
        const bool is_source =
            group.anchor != nullptr &&
            std::count(group.anchor->inputs().begin(), group.anchor->inputs().end(), source) != 0;
        if (twice == 1 && !is_source && source.shape() == group.result.shape() &&
            builder.may_overwrite(source, layout) &&
            size_of(source.type()) == size_of(group.chain.dst_type)) {
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
    const TensorId source =
        builder.tensor_of(group.binary_sources.at(composed.attributes.in_dst[0]), layout);
    return builder.new_view(source, composed.dst_type, dims, layout);
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
    for (const auto& source : composed.attributes.tensors) {
        const TensorId id = builder.tensor_of(group.binary_sources.at(source.input), layout);
        call.tensors.push_back({source.argument, id, source.desc});
        inputs.push_back(id);
    }
    for (const std::size_t source : composed.attributes.in_dst) {
        inputs.push_back(builder.tensor_of(group.binary_sources.at(source), layout));
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

Verdict onednn_supports(const StepBuilder&, const Group&) {
    return Verdict::yes(1.0);
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
