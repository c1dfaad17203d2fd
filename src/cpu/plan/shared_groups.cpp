// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/shared_groups.hpp"

#include <utility>

#include "cpu/post_ops/dnnl_post_ops_composer.hpp"

namespace fuseq::cpu {
namespace {

// Of two groups that end at one node the anchor's is the one that takes long.
const std::string& name_of(const Group& group) {
    return group.anchor != nullptr ? group.anchor->name() : group.result.node->name();
}

// Calls visit(Node*&) for all that groups refer to, in an order that the groups alone decide.
template <class Visit>
void for_each_node(Grouping& grouping, const Visit& visit) {
    for (Group& group : grouping.groups) {
        if (group.anchor != nullptr) {
            visit(group.anchor);
        }
        visit(group.source.node);
        for (Output& source : group.binary_sources) {
            visit(source.node);
        }
        for (Node*& node : group.absorbed) {
            visit(node);
        }
        visit(group.result.node);
    }
}

}  // namespace

Grouping SharedGroups::take(const Model& model,
                            bool fuse,
                            const post_ops::SimplifyOptions& laws,
                            bool copy) {
    std::optional<Grouping> kept = std::exchange(kept_, std::nullopt);
    const std::vector<Node*> nodes = copy ? model.ordered_nodes() : std::vector<Node*>{};
    auto form = copy ? std::make_unique<ModelForm>(nodes) : nullptr;
    known_ = kept && copy && form->equals(*form_);
    if (known_) {
        const std::size_t* place = places_.data();
        for_each_node(*kept, [&](Node*& node) { node = nodes[*place++]; });
        kept->number_nodes();
        return std::move(*kept);
    }
    Grouping grouping = attach_post_ops(model, fuse, laws);
    give_composers(grouping);
    form_ = std::move(form);
    if (form_ != nullptr) {
        form_->keep();
        NodeNumbers numbers;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            numbers.set(nodes[i], i);
        }
        places_.clear();
        for_each_node(grouping, [&](Node* node) { places_.push_back(numbers.at(node)); });
    }
    return grouping;
}

void SharedGroups::give_composers(Grouping& grouping) const {
    for (Group& group : grouping.groups) {
        const auto known = composers_.find(name_of(group));
        if (known != composers_.end() && known->second->is_of(group.chain, group.laws)) {
            group.composer = known->second;
        }
    }
}

void SharedGroups::keep(Grouping grouping) {
    for (const Group& group : grouping.groups) {
        if (group.composer != nullptr && !known_) {
            composers_[name_of(group)] = group.composer;
        }
    }
    if (form_ != nullptr) {
        kept_ = std::move(grouping);
    }
}

}  // namespace fuseq::cpu
