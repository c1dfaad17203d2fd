// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The composers of groups, for the next plan of the same model: chains do not depend on shapes, and
// the laws that simplify them take long.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "cpu/plan/groups.hpp"

namespace fuseq::cpu {

// Not thread-safe.
class SharedComposers {
public:
    // Gives each group the composer of the group of its name before. composer_of() makes another one
    // where the chain is not the same.
    void give(const Grouping& grouping) const;
    void take(const Grouping& grouping);

private:
    std::unordered_map<std::string, std::shared_ptr<const post_ops::DnnlPostOpsComposer>>
        composers_;
};

}  // namespace fuseq::cpu
