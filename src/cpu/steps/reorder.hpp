// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Reorder: the same values in another layout.
#pragma once

#include "cpu/steps/dnnl_support.hpp"

namespace fuseq::cpu {

class ReorderStep final : public DnnlStep {
public:
    ReorderStep(const PlanTensor& src, TensorId src_id, const PlanTensor& dst, TensorId dst_id);
};

// A plain constant in another layout; the shape stays that of the IR.
Tensor reordered(const Tensor& constant, Layout layout);

}  // namespace fuseq::cpu
