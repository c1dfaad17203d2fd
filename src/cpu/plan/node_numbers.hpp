// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "fuseq/model.hpp"

namespace fuseq::cpu {

// A number for some nodes of one model, found by their ids.
class NodeNumbers {
public:
    void set(const Node* node, std::size_t number) {
        if (node->id() >= by_id_.size()) {
            by_id_.resize(node->id() + 1, kNone);
        }
        by_id_[node->id()] = number;
    }
    // Null: the node has none.
    const std::size_t* find(const Node* node) const {
        return contains(node) ? &by_id_[node->id()] : nullptr;
    }
    bool contains(const Node* node) const {
        return node->id() < by_id_.size() && by_id_[node->id()] != kNone;
    }
    std::size_t at(const Node* node) const { return by_id_.at(node->id()); }

private:
    static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> by_id_;
};

}  // namespace fuseq::cpu
