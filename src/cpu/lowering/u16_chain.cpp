// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/lowering/u16_chain.hpp"

#include <algorithm>
#include <variant>

namespace fuseq::cpu {

std::optional<std::size_t> before_u16_rounding(const post_ops::Chain& chain) {
    if (chain.ops.size() < 2) {
        return std::nullopt;
    }
    const auto* clip = std::get_if<post_ops::Clip>(&chain.ops.back());
    const std::size_t before = chain.ops.size() - 2;
    return clip != nullptr && clip->low.all_equal_to(0) && clip->high.all_equal_to(kLargestU16) &&
                   std::holds_alternative<post_ops::Round>(chain.ops[before])
               ? std::optional(before)
               : std::nullopt;
}

Node* u16_convert_after(const StepBuilder& builder, const Group& group, const Shape& computed) {
    Node* node = group.for_dump ? nullptr : builder.only_reader(group.result);
    return node != nullptr && node->is("Convert") && node->port(0).type == ElementType::u16 &&
                   group.result.type() == ElementType::f32 && group.result.shape() == computed
               ? node
               : nullptr;
}

Layout u16_layout(const Node& convert) {
    const auto& users = convert.users();
    const bool convolutions = std::any_of(users.begin(), users.end(), [](const Use& use) {
        return use.node->is("Convolution") || use.node->is("GroupConvolution");
    });
    return convolutions ? Layout::kChannelsLast : Layout::kPlain;
}

}  // namespace fuseq::cpu
