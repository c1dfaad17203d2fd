// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Chain: a list of basic operations applied to a tensor in one read and one write of memory.
#pragma once

#include <vector>

#include "cpu/kernels/chain_kernel.hpp"
#include "cpu/post_ops/basic_ops.hpp"
#include "cpu/steps/step.hpp"

namespace fuseq::cpu {

// How the kernel walks over the tensor.
struct ChainExtent {
    kernels::ChainLayout layout = kernels::ChainLayout::kRows;
    std::size_t channels = 1;
    std::size_t rows = 0;    // or planes
    std::size_t length = 0;  // elements of a row or plane
    std::size_t image_rows = 1;
    // By extra input: how it is read, and its stride as the kernel takes it.
    std::vector<post_ops::Spread> spreads;
    std::vector<std::size_t> strides;
};

// How each extra input of a chain is read.
std::vector<post_ops::Spread> spreads_of(const post_ops::Chain& chain, std::size_t extras);

class ChainStep final : public Step {
public:
    // src, dst and extras that are not broadcast have the same shape and layout. `axis` (IR order)
    // is that of per-channel values.
    ChainStep(const post_ops::Chain& chain,
              const PlanTensor& src,
              TensorId src_id,
              std::vector<TensorId> extras,
              const PlanTensor& dst,
              TensorId dst_id,
              std::size_t axis);
    std::unique_ptr<Runner> bind(RequestMemory& memory) const override;

private:
    ChainExtent extent_;
    kernels::ChainKernel kernel_;
};

}  // namespace fuseq::cpu
