// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A linear resize and a chain after it, some pixels at a time: the floats between the two stay in
// the first cache.
#pragma once

#include <vector>

#include "cpu/kernels/resize/resize.hpp"
#include "cpu/steps/fused_eltwise.hpp"

namespace fuseq::cpu {

class ResizedChainStep final : public Step {
public:
    // Of a pixel: they lie on the stack.
    static constexpr std::size_t kMaxChannels = 1 << 14;

    // Channels-last tensors. `inputs`: the source, then binary sources of the size of the result.
    // Values per channel belong to dimension 1.
    ResizedChainStep(kernels::ResizeParams params,
                     const post_ops::Chain& chain,
                     const PlanTensor& src,
                     std::vector<TensorId> inputs,
                     const PlanTensor& dst,
                     TensorId dst_id);
    std::unique_ptr<Runner> bind(RequestMemory& memory) const override;

private:
    class Run;

    kernels::ResizeParams params_;
    kernels::EltwiseKernel kernel_;
};

}  // namespace fuseq::cpu
