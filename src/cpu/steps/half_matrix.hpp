// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A product of one row of floats and constant weights that are all numbers of half precision, as in
// models that were stored so.
#pragma once

#include <vector>

#include "cpu/kernels/gemm/half_matrix.hpp"
#include "cpu/steps/step.hpp"

namespace fuseq::cpu {

class HalfMatrixStep final : public Step {
public:
    // bias: one a channel, or none. The matrix is packed before the step runs.
    HalfMatrixStep(kernels::HalfMatrix matrix,
                   std::vector<float> bias,
                   TensorId src,
                   TensorId dst,
                   StepInfo info);
    std::unique_ptr<Runner> bind(RequestMemory& memory) const override;
    std::size_t packed_bytes() const override { return matrix_.bytes(); }
    std::span<const std::int8_t> packed_weights() const override { return matrix_.weights(); }

    kernels::HalfMatrix& matrix() { return matrix_; }
    void run(const float* src, float* dst) const;

private:
    kernels::HalfMatrix matrix_;
    std::vector<float> bias_;
};

}  // namespace fuseq::cpu
