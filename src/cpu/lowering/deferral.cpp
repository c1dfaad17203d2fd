// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/lowering/deferral.hpp"

#include "cpu/lowering/anchor.hpp"
#include "cpu/steps/transpose.hpp"

namespace fuseq::cpu {

bool may_be_read_as_integers(const Group& group) {
    const std::vector<Use>& uses = group.result.node->port(group.result.index).uses;
    return group.anchor == nullptr && group.binary_sources.empty() && uses.size() == 1 &&
           (uses[0].node->is("MVN") || uses[0].node->is("Interpolate")) &&
           is_integral(group.source.type()) && group.chain.dst_type == ElementType::f32 &&
           composer_of(group).chain().ops.empty();
}

bool may_be_read_with_strides(const StepBuilder& builder, const Node& node) {
    if (!node.is("Transpose") || !transpose_order(node) || node.port(0).uses.size() != 1 ||
        !builder.available(node.input(0), Layout::kPlain)) {
        return false;
    }
    const Use& use = node.port(0).uses[0];
    return use.node->is("MatMul") && use.index < 2 && !use.node->input_node(0)->is_constant() &&
           !use.node->input_node(1)->is_constant();
}

}  // namespace fuseq::cpu
