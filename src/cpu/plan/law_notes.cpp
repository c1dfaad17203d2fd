// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/law_notes.hpp"

#include "cpu/plan/groups.hpp"
#include "cpu/post_ops/dnnl_post_ops_composer.hpp"

namespace fuseq::cpu {

std::unordered_map<std::string, std::vector<post_ops::LawNote>> law_notes(
    const Model& transformed, bool fuse, const post_ops::SimplifyOptions& laws) {
    std::unordered_map<std::string, std::vector<post_ops::LawNote>> found;
    for (const Group& group : attach_post_ops(transformed, fuse, laws).groups) {
        const Node& named = group.anchor != nullptr ? *group.anchor : *group.result.node;
        const post_ops::DnnlPostOpsComposer composer(group.chain, group.laws);
        found.emplace(named.name(), composer.notes());
    }
    return found;
}

}  // namespace fuseq::cpu
