// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/linear_tail.hpp"

#include "cpu/plan/step_makers.hpp"
#include "cpu/post_ops/simplify.hpp"

namespace fuseq::cpu {

std::optional<LinearTail> match_linear_tail(const Group& group) {
    const post_ops::Chain chain = post_ops::simplify(group.chain, group.laws).chain;
    LinearTail tail;
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

void describe_tail(StepInfo& info, const Group& group) {
    for (const Node* node : group.absorbed) {
        const auto names = origins_of(*node);
        info.layers.insert(info.layers.end(), names.begin(), names.end());
    }
    info.post_ops = post_ops::to_text(post_ops::simplify(group.chain, group.laws).chain);
}

}  // namespace fuseq::cpu
