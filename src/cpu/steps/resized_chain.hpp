// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A linear resize and a chain after it, some pixels at a time: the floats between the two stay in
// the first cache, and so do those of other resized tensors that the chain reads.
#pragma once

#include <vector>

#include "cpu/kernels/resize/resize.hpp"
#include "cpu/steps/fused_eltwise.hpp"

namespace fuseq::cpu {

// A tensor that is not stored: what the resize of another one gives.
struct ResizedTensor {
    kernels::ResizeParams params;  // without scale, shift and dst_type
    TensorId source = kNoTensor;
    std::size_t binary_source = 0;  // its number in the chain; of the first tensor of a step none
};

class ResizedChainStep final : public Step {
public:
    // Of a pixel of all resized tensors: they lie on the stack.
    static constexpr std::size_t kMaxFloats = 1 << 14;

    // Channels-last tensors. `resized`: what the chain begins with, then binary sources, all of the
    // size of the result. `inputs`: the source of the first, then the binary sources, of resized
    // ones what they are made of. Values per channel belong to dimension 1.
    ResizedChainStep(std::vector<ResizedTensor> resized,
                     const post_ops::Chain& chain,
                     const PlanTensor& src,
                     std::vector<TensorId> inputs,
                     const PlanTensor& dst,
                     TensorId dst_id);
    std::unique_ptr<Runner> bind(RequestMemory& memory) const override;

private:
    class Run;

    std::vector<ResizedTensor> resized_;
    std::vector<SourceForm> forms_;  // by number of the binary source
    std::size_t pixels_per_image_ = 1;
    kernels::EltwiseKernel kernel_;
};

}  // namespace fuseq::cpu
