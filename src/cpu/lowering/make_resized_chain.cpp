// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A linear Interpolate and the run of element-wise nodes after it as one step: values per channel,
// activations, additions of other tensors, a quantization. The floats between the two are not
// stored.
#include <algorithm>

#include <fmt/core.h>

#include "cpu/lowering/anchor.hpp"
#include "cpu/lowering/deferral.hpp"
#include "cpu/lowering/linear_epilogue.hpp"
#include "cpu/lowering/resize_request.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/resized_chain.hpp"

namespace fuseq::cpu {
namespace {

Verdict takes(const Node& node, const Group& group, const post_ops::Chain& chain) {
    const std::size_t channels = node.port(0).shape.to_shape()[1];
    if (channels > ResizedChainStep::kMaxChannels) {
        return Verdict::no(
            fmt::format("{} channels: a pixel does not fit the first cache", channels));
    }
    if (group.axis_fixed && group.channel_axis != 1) {
        return Verdict::no(
            fmt::format("values of dimension {}, for dimension 1", group.channel_axis));
    }
    const auto forms = source_forms(chain, group.binary_sources.size());
    const bool full = std::all_of(forms.begin(), forms.end(),
                                  [](SourceForm form) { return form == SourceForm::kFull; });
    if (!full || forms.size() > kMaxBinarySources) {
        return Verdict::no("a binary source with one element a channel or a pixel");
    }
    return Verdict::yes();
}

}  // namespace

bool may_be_resized_with_chain(const StepBuilder& builder, Node& node) {
    if (!is_linear_resize(node) || !has_static_shapes(node) ||
        shape_size(node.port(0).shape.to_shape()) == 0) {
        return false;
    }
    const Group* group = builder.chain_after(node.output(0));
    kernels::ResizeParams params;
    if (group == nullptr || match_tensor_epilogue(builder.eltwise_after(node.output(0))) ||
        !resize_request(node, params)) {
        return false;
    }
    return static_cast<bool>(takes(node, *group, composer_of(*group).chain()));
}

Verdict make_resized_chain(StepBuilder& builder,
                           const Group& group,
                           const post_ops::Chain& chain,
                           TensorId& result) {
    Node* node = builder.deferred_resize(group.source);
    if (node == nullptr) {
        return Verdict::other_kind();
    }
    kernels::ResizeParams params;
    if (const Verdict verdict = resize_request(*node, params); !verdict) {
        return verdict;
    }
    if (const Verdict verdict = takes(*node, group, chain); !verdict) {
        return verdict;
    }
    const Output integers = builder.integers_before_convert(node->input(0));
    const Output& source = integers ? integers : node->input(0);
    params.src_type = source.type();
    kernels::check_resize(params);
    std::vector<TensorId> inputs{builder.tensor_of(source, Layout::kChannelsLast)};
    for (const Output& extra : group.binary_sources) {
        inputs.push_back(builder.tensor_of(extra, Layout::kChannelsLast));
    }
    result = builder.new_tensor(chain.dst_type, node->port(0).shape, Layout::kChannelsLast);
    auto step =
        std::make_unique<ResizedChainStep>(std::move(params), chain, builder.tensor(inputs[0]),
                                           inputs, builder.tensor(result), result);
    StepInfo& info = step->info();
    if (integers) {
        info.layers = {node->input_node(0)->name()};
    }
    name_after(info, *node);
    add_layers(info, group);
    builder.add_step(std::move(step));
    return Verdict::yes();
}

}  // namespace fuseq::cpu
