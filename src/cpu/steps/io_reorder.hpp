// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Input or output reorder: between plain and channels-last, with a linear function a channel and
// the conversion of the elements in the same pass. A step of its own kind where values change
// ("io_reorder"), a reorder where they do not.
#pragma once

#include <optional>
#include <vector>

#include "cpu/kernels/eltwise/io_reorder.hpp"
#include "cpu/post_ops/basic_ops.hpp"
#include "cpu/steps/step.hpp"

namespace fuseq::cpu {

// Scale and shift of each channel; then, where the tensor is quantized on the way, round, clip and
// once more scale and shift.
struct IoReorderFunction {
    std::vector<float> scale;
    std::vector<float> shift;
    struct Levels {
        float low = 0.0f;
        float high = 0.0f;
        std::vector<float> scale;
        std::vector<float> shift;
    };
    std::optional<Levels> levels;
};
// The chain as such a function followed by its store; nothing when it holds anything else.
std::optional<IoReorderFunction> match_io_reorder(const post_ops::Chain& chain,
                                                  std::size_t channels);

// Types that the kernel takes.
bool io_reorder_takes(ElementType type);

class IoReorderStep final : public Step {
public:
    // One tensor is plain, the other channels-last; same shape, rank 3 or more.
    IoReorderStep(const PlanTensor& src,
                  TensorId src_id,
                  const PlanTensor& dst,
                  TensorId dst_id,
                  IoReorderFunction function);
    std::unique_ptr<Runner> bind(RequestMemory& memory) const override;

private:
    IoReorderFunction function_;
    kernels::IoReorderParams params_;
    bool to_channels_last_;
};

}  // namespace fuseq::cpu
