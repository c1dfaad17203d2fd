// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/compressed_matmul.hpp"

#include <utility>

#include "cpu/steps/dnnl_support.hpp"
#include "cpu/steps/packed_step.hpp"
#include "cpu/threading/parallel.hpp"
#include "model/mapped_memory.hpp"
#include "ops/compressed_matmul.hpp"

namespace fuseq::cpu {
namespace {

class CompressedMatMulRunner final : public Runner {
public:
    CompressedMatMulRunner(const CompressedMatMulStep& step, RequestMemory& memory)
        : step_(step), memory_(memory) {}
    void run() override {
        float* work = step_.scratch().empty()
                          ? nullptr
                          : static_cast<float*>(memory_.data(step_.scratch()[0]));
        step_.run(static_cast<const float*>(memory_.data(step_.inputs()[0])), work,
                  static_cast<float*>(memory_.data(step_.outputs()[0])));
    }

private:
    const CompressedMatMulStep& step_;
    RequestMemory& memory_;
};

}  // namespace

CompressedMatMulStep::CompressedMatMulStep(kernels::CompressedMatrix matrix,
                                           std::size_t rows,
                                           const Tensors& tensors,
                                           StepInfo info)
    : matrix_(std::move(matrix)), rows_(rows) {
    inputs_ = {tensors.src};
    outputs_ = {tensors.dst};
    if (tensors.work != kNoTensor) {
        scratch_ = {tensors.work};
    }
    info_ = std::move(info);
}

std::unique_ptr<Runner> CompressedMatMulStep::bind(RequestMemory& memory) const {
    return std::make_unique<CompressedMatMulRunner>(*this, memory);
}

void CompressedMatMulStep::run(const float* src, float* work, float* dst) const {
    if (rows_ <= kernels::CompressedMatrix::kMaxStreamedRows) {
        run_dedup_rows(src, work, dst);
    } else {
        run_many_rows(src, dst);
    }
}

void CompressedMatMulStep::run_dedup_rows(const float* src, float* work, float* dst) const {
    constexpr std::size_t kBytesForAThread = 32 << 10;  // some microseconds
    const std::size_t grain = 1 + kBytesForAThread / (1 + matrix_.bytes() / matrix_.panels());
    matrix_.prepare(src, rows_, work);
    parallel_for(matrix_.panels(), grain, [&](std::size_t begin, std::size_t end) {
        matrix_.stream(src, rows_, work, dst, {begin, end});
    });
}

// Pieces are a panel and so many rows that turning the panel to floats does not count.
void CompressedMatMulStep::run_many_rows(const float* src, float* dst) const {
    constexpr std::size_t kRows = 192;
    const kernels::CompressedMatrixParams& params = matrix_.params();
    const std::size_t panels = matrix_.panels();
    const std::size_t pieces = (rows_ + kRows - 1) / kRows * panels;
    const auto macs = static_cast<std::int64_t>(rows_ * params.channels * params.depth);
    parallel_for(pieces, threads_for(macs) == 1 ? pieces : 1,
                 [&](std::size_t begin, std::size_t end) {
                     while (begin < end) {
                         const std::size_t panel = begin % panels;
                         const std::size_t last = std::min(panels, panel + end - begin);
                         const std::size_t row = begin / panels * kRows;
                         matrix_.multiply(src + row * params.depth, std::min(kRows, rows_ - row),
                                          dst + row * params.channels, {panel, last});
                         begin += last - panel;
                     }
                 });
}

}  // namespace fuseq::cpu
