// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/lowering/linear_epilogue.hpp"

#include "cpu/lowering/anchor.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/post_ops/chain_head.hpp"

namespace fuseq::cpu {

std::optional<LinearEpilogue> match_linear_epilogue(const Group& group) {
    const post_ops::DnnlPostOpsComposer& composer = composer_of(group);
    if (!post_ops::is_affine(composer.chain())) {
        return std::nullopt;
    }
    const post_ops::AffineHead head = post_ops::affine_head(composer.chain());
    return LinearEpilogue{.scale = head.scale.value_or(post_ops::Values(1.0f)),
                          .shift = head.shift.value_or(post_ops::Values(0.0f)),
                          .dst_type = composer.chain().dst_type};
}

std::optional<LinearEpilogue> match_tensor_epilogue(const Group* group) {
    auto epilogue = group == nullptr ? std::nullopt : match_linear_epilogue(*group);
    const bool fits = epilogue && epilogue->scale.per_tensor() && epilogue->shift.per_tensor();
    return fits ? epilogue : std::nullopt;
}

void add_step_with_epilogue(StepBuilder& builder,
                            Node& node,
                            std::unique_ptr<Step> step,
                            const Group* group,
                            TensorId dst) {
    if (group == nullptr) {
        add_node_step(builder, node, std::move(step), dst);
        return;
    }
    StepInfo& info = step->info();
    name_after(info, node);
    add_layers(info, *group);
    info.post_ops = post_ops::to_text(composer_of(*group).chain());
    builder.add_step(std::move(step));
    builder.finish_group(*group, dst);
}

}  // namespace fuseq::cpu
