// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Which convolutions, deconvolutions and matrix products the plugin's own kernel takes, and where
// it is faster than oneDNN's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cpu/kernels/gemm/gemm_vnni.hpp"
#include "cpu/post_ops/basic_ops.hpp"
#include "cpu/post_ops/capabilities.hpp"
#include "cpu/steps/plan_tensor.hpp"
#include "fuseq/model.hpp"

namespace fuseq::cpu {

// What the kernel computes for a node, without its post-ops.
struct GemmProblem {
    kernels::GemmShape shape;
    kernels::GemmWeights weights;
    std::int32_t src_zero_point = 0;
    bool src_signed = false;            // of convolutions
    std::vector<float> wei_zero_point;  // none, one, or one a channel of dst
    post_ops::AnchorKind kind = post_ops::AnchorKind::kConvolution;
    bool transposed() const { return kind == post_ops::AnchorKind::kDeconvolution; }
    Layout layout = Layout::kChannelsLast;
};

// Nothing when the kernel does not take the node, `why` says in words why not. The weights are
// those of the node's constant.
std::optional<GemmProblem> gemm_problem(const Node& node, std::string& why);

// Whether this machine's product has AVX-512 VNNI.
bool gemm_has_vnni();
// How products are added up on this machine: all forms give the same sums. kBytes stands before
// kPairs on every machine: a step of four bytes takes three or four instructions for 32 products,
// where pairs take four, and reads half as many bytes of source.
kernels::GemmForm gemm_form();

// The time that the product without AVX-512 VNNI is expected to take, in parts of the time of
// oneDNN's product of floats.
double narrow_cost(const GemmProblem& problem);

// Whether it takes the node, whose weights have zero points, on this machine, whatever stands
// after it.
bool gemm_takes_weight_zero_points(const Node& node);

// What of a chain decides which implementation is faster.
struct GemmChainTraits {
    bool reads_tensors = false;  // it has binary sources
    bool pools = false;          // 2 x 2 results become one
    bool activates = false;      // an activation that is more than a comparison, and integers out
    bool stores_bytes = false;   // integers out, and neither of the two others but pools
};
GemmChainTraits traits_of(const post_ops::Chain& chain, std::size_t binary_sources);

// The time that the kernel is expected to take with VNNI, in parts of the time that oneDNN's takes,
// by measurements (docs/performance/log/matmul.md). One number a rule: it says which one is faster,
// and about how much it matters.
double gemm_cost(const GemmProblem& problem, const GemmChainTraits& chain);
inline bool gemm_is_faster(const GemmProblem& problem, const GemmChainTraits& chain) {
    return gemm_cost(problem, chain) < 1.0;
}

}  // namespace fuseq::cpu
