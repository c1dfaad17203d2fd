// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/steps/dnnl_support.hpp"
#include "ops/spatial.hpp"

namespace fuseq::cpu {

enum class PoolingKind { kMax, kAverageIncludePad, kAverageExcludePad };

// Channels-last pooling over 1 to 3 spatial dimensions; src and dst have the same element type.
class PoolingStep final : public DnnlStep {
public:
    // `windows`: one a spatial dimension, padding resolved; pad_end is as large as the number of
    // positions needs (ceil rounding).
    PoolingStep(PoolingKind kind,
                const PlanTensor& src,
                TensorId src_id,
                const PlanTensor& dst,
                TensorId dst_id,
                const std::vector<Window>& windows);
};

}  // namespace fuseq::cpu
