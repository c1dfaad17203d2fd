// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/half_matrix.hpp"

#include "cpu/threading/parallel.hpp"

namespace fuseq::cpu {
namespace {

class HalfMatrixRunner final : public Runner {
public:
    HalfMatrixRunner(const HalfMatrixStep& step, RequestMemory& memory)
        : step_(step), memory_(memory) {}
    void run() override {
        step_.run(static_cast<const float*>(memory_.data(step_.inputs()[0])),
                  static_cast<float*>(memory_.data(step_.outputs()[0])));
    }

private:
    const HalfMatrixStep& step_;
    RequestMemory& memory_;
};

}  // namespace

HalfMatrixStep::HalfMatrixStep(
    kernels::HalfMatrix matrix, std::vector<float> bias, TensorId src, TensorId dst, StepInfo info)
    : matrix_(std::move(matrix)), bias_(std::move(bias)) {
    inputs_ = {src};
    outputs_ = {dst};
    info_ = std::move(info);
}

std::unique_ptr<Runner> HalfMatrixStep::bind(RequestMemory& memory) const {
    return std::make_unique<HalfMatrixRunner>(*this, memory);
}

void HalfMatrixStep::run(const float* src, float* dst) const {
    constexpr std::size_t kBytesForAThread = 32 << 10;  // about a microsecond
    const std::size_t each = matrix_.bytes() / matrix_.blocks();
    const std::size_t grain = 1 + kBytesForAThread / each;
    parallel_for(matrix_.blocks(), grain, [&](std::size_t begin, std::size_t end) {
        matrix_.run(src, bias_.empty() ? nullptr : bias_.data(), dst, {begin, end});
    });
}

}  // namespace fuseq::cpu
