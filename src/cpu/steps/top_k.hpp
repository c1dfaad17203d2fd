// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// TopK of f32 or i32 along one axis: the best k of a line are selected and only they are sorted; of
// k = 1 many lines are worked on at a time (kernels/best_of_lines). Equal values keep their order
// and NaN stands after all numbers, as in the reference kernel.
#pragma once

#include "cpu/steps/step.hpp"
#include "ops/top_k.hpp"

namespace fuseq::cpu {

struct TopKGeometry {
    std::size_t outer = 1;
    std::size_t size = 1;   // of the axis
    std::size_t inner = 1;  // elements from one of a line to the next
    std::size_t k = 0;
    // `inner` lines of `size` elements stand one after the other: the channels of a channels-last
    // tensor, or the last dimension. For k = 1, whose result has the same order in either layout.
    bool lines_are_dense = false;
};

class TopKStep final : public Step {
public:
    // Both results are plain, and src but for dense lines; indices i32 or i64.
    TopKStep(const TopKGeometry& geometry,
             const TopKAttrs& attrs,
             const PlanTensor& src,
             TensorId src_id,
             TensorId values,
             TensorId indices);
    std::unique_ptr<Runner> bind(RequestMemory& memory) const override;

private:
    TopKGeometry geometry_;
    bool largest_;
    bool by_index_;
    ElementType type_;
    ElementType index_type_;
};

}  // namespace fuseq::cpu
