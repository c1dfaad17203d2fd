// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Element-wise operations of two f32 tensors whose shapes are broadcast, each in a layout of its
// own: gates [N,C,1,1] of images, masks, scalars that are no constants.
#pragma once

#include <array>

#include "cpu/steps/step.hpp"

namespace fuseq::cpu {

enum class BinaryFunction {
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kMaximum,
    kMinimum,
    kSquaredDifference
};

// A loop over both operands, outermost first. Strides in elements, 0 along what is broadcast.
struct BinaryLoop {
    std::size_t size = 1;
    std::array<std::ptrdiff_t, 2> strides{};
};

// The loops in the memory order of dst, as few as possible; never empty. Shapes are aligned at the
// last dimension.
std::vector<BinaryLoop> binary_loops(const PlanTensor& a,
                                     const PlanTensor& b,
                                     const PlanTensor& dst);

class BroadcastBinaryStep final : public Step {
public:
    // `ids`: of a, b and dst.
    BroadcastBinaryStep(BinaryFunction function,
                        const PlanTensor& a,
                        const PlanTensor& b,
                        const PlanTensor& dst,
                        const std::array<TensorId, 3>& ids);
    std::unique_ptr<Runner> bind(RequestMemory& memory) const override;

private:
    BinaryFunction function_;
    std::vector<BinaryLoop> loops_;
};

}  // namespace fuseq::cpu
