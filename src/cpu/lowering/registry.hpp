// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The one table of implementations: for anchors (convolution, deconvolution, matmul), for runs of
// element-wise nodes, and for all other nodes an ordered list of candidates. The first one that
// takes a layer makes its steps.
//
// The last candidate of each kind of anchor is oneDNN. Where one before it can compute a layer too,
// supports() gives its cost, in parts of oneDNN's time (verdict.hpp), and refuses when that is not
// less: the numbers stand with their measurement in the maker or the problem of the kernel
// (gemm_problem.cpp). Two candidates before oneDNN are for different kinds of layers, or `place`
// says why one goes first. Of runs of element-wise nodes the last one is the fused eltwise, of
// nodes it is the reference kernel.
//
// docs/adding_a_kernel.md: how to add one.
#pragma once

#include <span>
#include <vector>

#include "cpu/lowering/step_builder.hpp"
#include "cpu/lowering/verdict.hpp"

namespace fuseq::cpu {

struct AnchorCandidate {
    const char* name;
    const char* place;  // why it stands before those after it
    // Its kernel takes zero points of weights. Others are never asked about such anchors.
    bool weight_zero_points;
    // Whether make() may be called. Adds nothing to the plan.
    Verdict (*supports)(const StepBuilder& builder, const Group& group);
    // The tensor of the group's result; kNoTensor when the only reader was computed with it and has
    // its tensor already. Precondition: supports().
    TensorId (*make)(StepBuilder& builder, const Group& group);
};

// For a node that is in no group: asked and made in one, as half of the work is the same. A refusal
// adds nothing to the plan.
struct NodeCandidate {
    const char* name;
    const char* place;
    Verdict (*make)(StepBuilder& builder, Node& node);
};

// For a group without an anchor: a run of element-wise nodes, whose chain the composer has
// simplified. Asked and made in one; the last one takes every chain.
struct ChainCandidate {
    const char* name;
    const char* place;
    // Sets `result`, the tensor of the group's result, when it says yes; kNoTensor as above.
    Verdict (*make)(StepBuilder& builder,
                    const Group& group,
                    const post_ops::Chain& chain,
                    TensorId& result);
};

std::span<const AnchorCandidate> anchor_candidates();
std::span<const NodeCandidate> node_candidates();
std::span<const ChainCandidate> chain_candidates();

// What every candidate for this kind of anchor says, those after the first that takes it too.
std::vector<CandidateVerdict> anchor_verdicts(const StepBuilder& builder, const Group& group);

// Makes the steps of an anchor with its chain; what the candidate does not map becomes a step after
// it. Returns the tensor of the group's result, or kNoTensor as above. `verdicts`: of those
// that were asked. Throws Error with all reasons when none takes it.
TensorId make_anchor_step(StepBuilder& builder,
                          const Group& group,
                          std::vector<CandidateVerdict>& verdicts);

// Makes the step of a group without an anchor. Returns the tensor of its result.
TensorId make_fused_eltwise(StepBuilder& builder,
                            const Group& group,
                            std::vector<CandidateVerdict>& verdicts);

// Makes the step of any other node. False: there is none for it, the reference kernel runs then.
bool make_node_step(StepBuilder& builder, Node& node, std::vector<CandidateVerdict>& verdicts);

}  // namespace fuseq::cpu
