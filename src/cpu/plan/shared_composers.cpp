// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/shared_composers.hpp"

namespace fuseq::cpu {
namespace {

// Of two groups that end at one node the anchor's is the one that takes long.
const std::string& name_of(const Group& group) {
    return group.anchor != nullptr ? group.anchor->name() : group.result.node->name();
}

}  // namespace

void SharedComposers::give(const Grouping& grouping) const {
    for (const Group& group : grouping.groups) {
        if (const auto known = composers_.find(name_of(group)); known != composers_.end()) {
            group.composer = known->second;
        }
    }
}

void SharedComposers::take(const Grouping& grouping) {
    for (const Group& group : grouping.groups) {
        if (group.composer != nullptr) {
            composers_[name_of(group)] = group.composer;
        }
    }
}

}  // namespace fuseq::cpu
