// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A linear Interpolate and the run of element-wise nodes after it as one step: values per channel,
// activations, additions of other tensors, resized ones among them, a quantization. The floats
// between the two are not stored. An Interpolate before several runs is computed by each.
#include <algorithm>

#include <fmt/core.h>

#include "cpu/lowering/anchor.hpp"
#include "cpu/lowering/deferral.hpp"
#include "cpu/lowering/linear_epilogue.hpp"
#include "cpu/lowering/resize_before.hpp"
#include "cpu/lowering/resize_request.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/resized_chain.hpp"
#include "fuseq/error.hpp"

namespace fuseq::cpu {
namespace {

Verdict takes(const Node& node, const Group& group, const post_ops::Chain& chain) {
    const auto& sources = group.binary_sources;
    const auto resized = static_cast<std::size_t>(std::count_if(
        sources.begin(), sources.end(),
        [](const Output& source) { return static_cast<bool>(resize_before(source).resize); }));
    const std::size_t channels = node.port(0).shape.to_shape()[1];
    if (channels * (1 + resized) > ResizedChainStep::kMaxFloats) {
        return Verdict::no(fmt::format("{} channels of {} tensors: pixels do not fit the cache",
                                       channels, 1 + resized));
    }
    if (group.axis_fixed && group.channel_axis != 1) {
        return Verdict::no(
            fmt::format("values of dimension {}, for dimension 1", group.channel_axis));
    }
    if (sources.size() > kMaxBinarySources) {
        return Verdict::no(fmt::format("{} binary sources", sources.size()));
    }
    const auto forms = source_forms(chain, sources.size());
    for (std::size_t e = 0; e < forms.size(); ++e) {
        if (forms[e] != SourceForm::kFull && resize_before(sources[e]).resize) {
            return Verdict::no("a resized tensor of one element a channel or a pixel");
        }
    }
    return Verdict::yes();
}

// Whether the chain that reads a resized tensor may be computed with it. One that begins with
// another tensor may when that is resized too.
bool takes_resized(const Group& group) {
    const Node& node = *group.source.node;
    return resize_before(group.source).resize == group.source &&
           takes(node, group, composer_of(group).chain());
}

// The parameters of a deferred Interpolate, and the tensor that it reads.
ResizedTensor resized_tensor(StepBuilder& builder, Node& node, StepInfo& info) {
    ResizedTensor resized;
    if (!resize_request(node, resized.params)) {
        throw Error("compile", fmt::format("the deferred '{}' is not taken", node.name()));
    }
    const Output integers = builder.integers_before_convert(node.input(0));
    const Output& source = integers ? integers : node.input(0);
    resized.params.src_type = source.type();
    kernels::check_resize(resized.params);
    resized.source = builder.tensor_of(source, Layout::kChannelsLast);
    if (integers) {
        info.layers.push_back(node.input_node(0)->name());
    }
    return resized;
}

}  // namespace

bool may_be_resized_with_chain(const StepBuilder& builder, Node& node) {
    if (!is_linear_resize(node) || !resize_before(node.output(0)).resize ||
        match_tensor_epilogue(builder.eltwise_after(node.output(0)))) {
        return false;
    }
    const std::vector<const Group*> chains = builder.chains_reading(node.output(0));
    return !chains.empty() && std::all_of(chains.begin(), chains.end(),
                                          [](const Group* group) { return takes_resized(*group); });
}

Verdict make_resized_chain(StepBuilder& builder,
                           const Group& group,
                           const post_ops::Chain& chain,
                           TensorId& result) {
    Node* node = builder.deferred_resize(group.source);
    if (node == nullptr) {
        return Verdict::other_kind();
    }
    if (const Verdict verdict = takes(*node, group, chain); !verdict) {
        return verdict;
    }
    StepInfo layers;
    std::vector<ResizedTensor> resized{resized_tensor(builder, *node, layers)};
    std::vector<TensorId> inputs{resized[0].source};
    for (std::size_t e = 0; e < group.binary_sources.size(); ++e) {
        const Output& binary = group.binary_sources[e];
        Node* other = builder.deferred_resize(binary);
        if (other == nullptr) {
            inputs.push_back(builder.tensor_of(binary, Layout::kChannelsLast));
            continue;
        }
        resized.push_back(resized_tensor(builder, *other, layers));
        resized.back().binary_source = e;
        inputs.push_back(resized.back().source);
        layers.layers.push_back(other->name());
    }
    result = builder.new_tensor(chain.dst_type, node->port(0).shape, Layout::kChannelsLast);
    auto step =
        std::make_unique<ResizedChainStep>(std::move(resized), chain, builder.tensor(inputs[0]),
                                           inputs, builder.tensor(result), result);
    StepInfo& info = step->info();
    info.layers = std::move(layers.layers);
    name_after(info, *node);
    if (builder.chains_reading(group.source).size() > 1) {  // others have a step for it too
        info.name = group.result.node->name();
    }
    add_layers(info, group);
    builder.add_step(std::move(step));
    return Verdict::yes();
}

}  // namespace fuseq::cpu
