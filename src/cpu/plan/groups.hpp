// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Groups the nodes of a transformed Model: an anchor (convolution, deconvolution, matmul) with the
// element-wise nodes after it, or a run of element-wise nodes on a tensor. A group becomes one
// step, or two where the post-ops composer cannot map the whole list. The Model is not changed.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cpu/lowering/group.hpp"
#include "cpu/plan/node_numbers.hpp"
#include "cpu/post_ops/simplify.hpp"
#include "fuseq/model.hpp"

namespace fuseq::cpu {

struct Grouping {
    std::vector<Group> groups;
    NodeNumbers group_of;  // of anchors and absorbed nodes

    void add(Group group);
    // Sets group_of anew.
    void number_nodes();

private:
    void number_nodes_of(std::size_t group);
};

// `fuse` false: every element-wise node and every anchor is a group of its own. `laws`: those by
// which the chains are to be simplified.
Grouping attach_post_ops(const Model& model, bool fuse, const post_ops::SimplifyOptions& laws = {});

// The first `count` absorbed nodes of a group, the last of which is a FakeQuantize, as a group
// whose result nobody else reads: f32, the number of the level (0, 1, ...) that the quantization
// chose. Its chain is the beginning of the whole one to the letter, so that both round alike.
Group head_of(const Group& group, std::size_t count);
// Absorbed nodes that are quantize-only FakeQuantize and whose integers exist only inside the step:
// those in the middle of the chain, and the last one where the result is not `stored` because its
// reader is part of the step. As numbers of nodes up to and with them.
std::vector<std::size_t> intermediate_quantizations(const Group& group, bool stored);

// "conv | scale(0.5) relu round clip(0,255) -> u8": for tests and the debug log.
std::string to_text(const Group& group);

}  // namespace fuseq::cpu
