// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The groups of a plan, for the next plan of the same model at other sizes: finding them lowers every
// constant of their chains, and the laws that simplify these take long.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "cpu/plan/groups.hpp"
#include "cpu/plan/model_form.hpp"

namespace fuseq::cpu {

// Not thread-safe. One plan is made at a time: take(), then keep() what was taken, while the model
// lives. `fuse` and `laws` are the same in all calls.
class SharedGroups {
public:
    // attach_post_ops(). Where the form of the model is that of the last one it is not called, and
    // else groups get the composers of those of their name before, where the chains are the same.
    // `copy`: whether the model is a copy of the one before at other sizes (ModelForm).
    Grouping take(const Model& model, bool fuse, const post_ops::SimplifyOptions& laws, bool copy);
    void keep(Grouping grouping);

private:
    using Composer = std::shared_ptr<const post_ops::DnnlPostOpsComposer>;

    void give_composers(Grouping& grouping) const;

    std::unordered_map<std::string, Composer> composers_;  // by name_of()
    std::unique_ptr<ModelForm> form_;  // of the groups taken last, if they have one
    std::optional<Grouping> kept_;     // of that form; its nodes may be gone
    std::vector<std::size_t> places_;  // of the nodes of kept_ in the order of the model
    bool known_ = false;               // what was taken last had been kept before
};

}  // namespace fuseq::cpu
