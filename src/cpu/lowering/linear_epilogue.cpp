// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/lowering/linear_epilogue.hpp"

#include "cpu/lowering/step_makers.hpp"
#include "cpu/post_ops/simplify.hpp"

namespace fuseq::cpu {

std::optional<LinearEpilogue> match_linear_epilogue(const Group& group) {
    const post_ops::Chain chain = post_ops::simplified(group.chain, group.laws);
    LinearEpilogue tail;
    tail.dst_type = chain.dst_type;
    std::size_t at = 0;
    if (at < chain.ops.size() && std::holds_alternative<post_ops::Scale>(chain.ops[at])) {
        tail.scale = std::get<post_ops::Scale>(chain.ops[at++]).by;
    }
    if (at < chain.ops.size() && std::holds_alternative<post_ops::Shift>(chain.ops[at])) {
        tail.shift = std::get<post_ops::Shift>(chain.ops[at++]).by;
    }
    if (at != chain.ops.size()) {
        return std::nullopt;
    }
    return tail;
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
    info.post_ops = post_ops::to_text(post_ops::simplified(group->chain, group->laws));
    builder.add_step(std::move(step));
    builder.finish_group(*group, dst);
}

}  // namespace fuseq::cpu
