// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What one step, or a few, are made for: an anchor (convolution, deconvolution, matmul) with the
// element-wise nodes after it, or a run of element-wise nodes on a tensor. plan/groups.hpp finds
// the groups of a model.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cpu/post_ops/basic_ops.hpp"
#include "cpu/post_ops/simplify.hpp"
#include "fuseq/model.hpp"

namespace fuseq::post_ops {
class DnnlPostOpsComposer;
}

namespace fuseq::cpu {

struct Group {
    Node* anchor = nullptr;        // null: the chain reads `source`
    Output source;                 // what the first operation of the chain applies to
    std::size_t channel_axis = 1;  // of the per-channel values, in the IR's order
    bool axis_fixed = false;       // some value is per channel, so the axis is decided
    post_ops::Chain chain;
    std::vector<Output> binary_sources;  // tensors that Binary operations read, raw
    std::vector<Node*> absorbed;         // in order
    std::vector<std::size_t> ends;       // number of basic operations after each absorbed node
    Output result;                       // what the group computes
    bool may_overwrite = true;           // a binary source may be overwritten by the result
    bool for_dump = false;  // a head_of: what reads the result in the model is no part of it
    post_ops::SimplifyOptions laws;
    // Where oneDNN has several implementations: take the one of this name if there is one.
    std::string preferred_implementation;
    // What composer_of() made of the chain and the laws, which stay as they are then: candidates ask
    // for it in turn, and laws take time.
    mutable std::shared_ptr<const post_ops::DnnlPostOpsComposer> composer;
};

// Types that a step of an anchor stores, and of which chains are made.
bool storable(ElementType type);

// Whether every input and the first output have static shapes.
bool has_static_shapes(const Node& node);

// Whether the node can be an anchor: static shapes, constant weights, types that a step takes.
bool is_anchor(const Node& node);

}  // namespace fuseq::cpu
