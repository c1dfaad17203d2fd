// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A chain that also changes the layout: tiles that lie in the L1 cache are transposed before the
// operations run over them (few channels to planes) or when they are written (everything else).
// Between the user's tensors and channels-last ones.
#pragma once

#include "cpu/kernels/eltwise/io_reorder.hpp"
#include "cpu/steps/fused_eltwise.hpp"

namespace fuseq::cpu {

struct EltwiseIoReorderIds {
    TensorId src;
    std::vector<TensorId> binary_sources;
    TensorId dst;
};

class EltwiseIoReorderStep final : public Step {
public:
    // Whether tiles of that many channels fit.
    static bool takes(const Shape& dims);

    // src and dst have different layouts; binary sources that are not broadcast have that of src.
    // Per-channel values belong to dimension 1.
    EltwiseIoReorderStep(const post_ops::Chain& chain,
                         const PlanTensor& src,
                         const PlanTensor& dst,
                         const std::vector<PlanTensor>& binary_sources,
                         const EltwiseIoReorderIds& ids);
    std::unique_ptr<Runner> bind(RequestMemory& memory) const override;

private:
    class Run;

    void add_planar(ElementType type);

    kernels::EltwiseKernel kernel_;
    std::vector<SourceForm> forms_;         // of the binary sources
    kernels::IoReorderParams tile_params_;  // of a tile
    // Transposed first: src and the binary sources that are not broadcast, in their own types.
    std::vector<kernels::IoReorderParams> planar_;
    std::size_t tile_ = 0;  // pixels
    std::size_t images_ = 0;
    std::size_t pixels_ = 0;  // of an image
    bool to_channels_last_ = false;
    bool stream_ = false;  // dst is written past the caches
};

}  // namespace fuseq::cpu
