// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Chain: a list of basic operations applied to a tensor in one read and one write of memory.
#pragma once

#include "cpu/post_ops/basic_ops.hpp"
#include "cpu/steps/step.hpp"

namespace fuseq::cpu {

class ChainStep final : public Step {
public:
    // src, dst and extras have the same shape and layout. `axis` (IR order) is that of per-channel
    // values.
    ChainStep(post_ops::Chain chain,
              const PlanTensor& src,
              TensorId src_id,
              std::vector<TensorId> extras,
              const PlanTensor& dst,
              TensorId dst_id,
              std::size_t axis);
    std::unique_ptr<Runner> bind(RequestMemory& memory) const override;

private:
    post_ops::Chain chain_;
    ElementType src_type_;
    std::size_t size_;
    std::size_t inner_;  // elements of memory with the same channel in a row
    std::size_t channels_;
};

}  // namespace fuseq::cpu
