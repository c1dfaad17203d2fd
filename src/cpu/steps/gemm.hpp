// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Convolution and deconvolution (groups 1) and matrix product of integers by the plugin's own
// AVX-512 VNNI kernel, with the whole chain behind it: residual inputs in any scale and any
// activation in the same pass.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cpu/kernels/gemm/gemm_vnni.hpp"
#include "cpu/plan/builder.hpp"
#include "cpu/post_ops/emit.hpp"
#include "cpu/steps/depthwise.hpp"
#include "cpu/steps/step.hpp"

namespace fuseq::cpu {

class GemmStep final : public Step {
public:
    // extras: the tensors of the chain's extra inputs, kNoTensor for those that it does not read.
    GemmStep(kernels::GemmVnni kernel,
             TensorId src,
             std::vector<TensorId> extras,
             TensorId dst,
             TensorId scratch,
             std::size_t pixels,
             StepInfo info);
    std::unique_ptr<Runner> bind(RequestMemory& memory) const override;
    std::size_t packed_bytes() const override { return kernel_.packed_bytes(); }
    std::span<const std::int8_t> packed_weights() const override {
        return kernel_.weights(0, {.rows = 1, .columns = 1});
    }
    std::optional<RowWalk> row_walk() const override;

    const kernels::GemmVnni& kernel() const { return kernel_; }
    kernels::GemmVnni& kernel() { return kernel_; }
    const std::vector<TensorId>& extras() const { return extras_; }
    std::size_t threads() const { return threads_; }
    // Of the step behind this one; null: none.
    const kernels::GemmVnni* next() const { return next_; }
    void set_next(const kernels::GemmVnni& next) { next_ = &next; }
    // What a run in one part fetches instead; none: nothing else (GemmArgs::next, next_has_own).
    const std::vector<kernels::WeightSpan>& ahead() const { return ahead_; }
    bool ahead_has_own() const { return ahead_has_own_; }
    void set_ahead(std::vector<kernels::WeightSpan> ahead, bool has_own) {
        ahead_ = std::move(ahead);
        ahead_has_own_ = has_own;
    }
    // Of the extras, those that differ only where windows reach over the edge of the picture, as
    // the correction of a fractional zero point does; empty: there are none.
    const std::vector<FewRows>& few_rows() const { return few_rows_; }
    void set_few_rows(std::vector<FewRows> few_rows) { few_rows_ = std::move(few_rows); }

    // Instead of a tensor of its own, `offset` bytes into each pixel of dst, which has pixel_bytes.
    bool can_write_slices() const;
    void write_slice(TensorId dst, std::size_t offset, std::size_t pixel_bytes);
    std::size_t element_bytes() const { return kernel_.element_bytes(); }
    std::size_t pixel_bytes() const { return kernel_.dst_channels() * element_bytes(); }
    std::size_t dst_offset() const { return dst_offset_; }
    std::size_t dst_pitch() const { return dst_pitch_; }  // elements; 0: pixels are dense

private:
    kernels::GemmVnni kernel_;
    std::vector<TensorId> extras_;
    std::vector<FewRows> few_rows_;  // one an extra
    std::size_t pixels_;             // of dst, of all images; 0: not to be walked over
    std::size_t threads_;            // that the scratch memory is for
    const kernels::GemmVnni* next_ = nullptr;
    std::vector<kernels::WeightSpan> ahead_;
    bool ahead_has_own_ = false;
    std::size_t dst_offset_ = 0;
    std::size_t dst_pitch_ = 0;
};

// Each matrix product among the steps learns of the one behind it, whose weights it fetches into
// L2. The steps must stay where they are.
void expect_weights(const std::vector<std::unique_ptr<Step>>& steps);

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

// Nothing when the kernel does not take the node: another type, groups, three spatial dimensions.
// The weights are those of the node's constant.
std::optional<GemmProblem> gemm_problem(const Node& node);

// Whether it takes the node, whose weights have zero points, on this machine, whatever stands
// behind it.
bool gemm_takes_weight_zero_points(const Node& node);

// What of a chain decides which implementation is faster.
struct GemmChainTraits {
    bool reads_tensors = false;  // it has extra inputs
    bool pools = false;          // 2 x 2 results become one
    bool activates = false;      // an activation that is more than a comparison, and integers out
    bool stores_bytes = false;   // integers out, and neither of the two others but pools
};
GemmChainTraits traits_of(const post_ops::Chain& chain, std::size_t extras);

// Whether the kernel is expected to be faster than oneDNN's, by measurements
// (docs/performance/matmul.md).
bool gemm_is_faster(const GemmProblem& problem, const GemmChainTraits& chain);

}  // namespace fuseq::cpu
