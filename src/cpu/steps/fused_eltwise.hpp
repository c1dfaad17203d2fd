// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Chain: a list of basic operations applied to a tensor in one read and one write of memory.
#pragma once

#include "cpu/kernels/eltwise/eltwise_kernel.hpp"
#include "cpu/post_ops/basic_ops.hpp"
#include "cpu/steps/step.hpp"

namespace fuseq::cpu {

// Of a step with a chain, beside its source.
inline constexpr std::size_t kMaxBinarySources = 16;

// What a binary source of a chain holds: an element for each of the result, for each channel of an
// image, for each position of an image.
enum class SourceForm { kFull, kPlane, kPixel };
std::vector<SourceForm> source_forms(const post_ops::Chain& chain, std::size_t binary_sources);

// How the kernel goes over the tensor.
struct EltwiseExtent {
    kernels::EltwiseLayout layout = kernels::EltwiseLayout::kRows;
    std::size_t channels = 1;
    std::size_t rows = 0;    // or planes
    std::size_t length = 0;  // elements of a row or plane
    std::size_t rows_per_image = 1;
    std::vector<SourceForm> forms;  // by number of the binary source
};

class FusedEltwiseStep final : public Step {
public:
    // src, dst and binary_sources have the same shape and layout, but for binary_sources of one
    // element a plane, [images or 1, channels, 1, ...], or a pixel, [images, 1, ...], with axis 1.
    // `axis` (IR order) is that of per-channel values.
    FusedEltwiseStep(const post_ops::Chain& chain,
                     const PlanTensor& src,
                     TensorId src_id,
                     std::vector<TensorId> binary_sources,
                     const PlanTensor& dst,
                     TensorId dst_id,
                     std::size_t axis);
    std::unique_ptr<Runner> bind(RequestMemory& memory) const override;
    std::optional<RowTiling> row_tiling() const override;
    RowChain row_chain() const override;
    const post_ops::Chain& chain() const { return chain_; }
    const EltwiseExtent& extent() const { return extent_; }

private:
    post_ops::Chain chain_;
    EltwiseExtent extent_;
    kernels::EltwiseKernel kernel_;
};

}  // namespace fuseq::cpu
