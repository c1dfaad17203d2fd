// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/steps/dnnl_support.hpp"

namespace fuseq::cpu {

// Softmax of f32 along one axis (IR order); src and dst have the same layout.
class SoftmaxStep final : public DnnlStep {
public:
    SoftmaxStep(const PlanTensor& src, TensorId src_id, TensorId dst_id, std::size_t axis);
};

}  // namespace fuseq::cpu
