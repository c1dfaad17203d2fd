// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A product of rows of floats and constant weights of 8 or 4 bits.
#pragma once

#include "cpu/kernels/gemm/compressed_matrix.hpp"
#include "cpu/steps/step.hpp"

namespace fuseq::cpu {

class CompressedMatMulStep final : public Step {
public:
    struct Tensors {
        TensorId src = kNoTensor;
        TensorId dst = kNoTensor;
        TensorId work = kNoTensor;  // scratch of work_size() floats; none: of many rows
    };

    // The matrix is packed before the step runs.
    CompressedMatMulStep(kernels::CompressedMatrix matrix,
                         std::size_t rows,
                         const Tensors& tensors,
                         StepInfo info);
    std::unique_ptr<Runner> bind(RequestMemory& memory) const override;
    std::size_t packed_bytes() const override { return matrix_.bytes(); }
    std::span<const std::int8_t> packed_weights() const override { return matrix_.codes(); }

    kernels::CompressedMatrix& matrix() { return matrix_; }
    void run(const float* src, float* work, float* dst) const;

private:
    void run_dedup_rows(const float* src, float* work, float* dst) const;
    void run_many_rows(const float* src, float* dst) const;

    kernels::CompressedMatrix matrix_;
    std::size_t rows_;
};

}  // namespace fuseq::cpu
