// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A step that computes each row (pixel) of its result from the same row of its sources, by kernels
// of the plugin: it takes part in tile groups.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "cpu/steps/step.hpp"

namespace fuseq::cpu {

class RowStep final : public Step {
public:
    static constexpr std::size_t kMaxSources = 8;
    // Computes rows [begin, end). Pointers are to row 0, whether it exists or not. Several
    // threads call it in parallel, each with rows of its own.
    struct Rows {
        std::array<const void*, kMaxSources> sources{};
        void* dst = nullptr;
        std::size_t begin = 0;
        std::size_t end = 0;
    };
    using Kernel = std::function<void(const Rows& rows)>;
    struct Tensors {
        std::vector<TensorId> inputs;
        TensorId output = kNoTensor;
        std::vector<TensorId> whole{};  // inputs of which any row may be read
    };

    // `grain`: min rows of a thread.
    RowStep(Kernel kernel, Tensors tensors, std::size_t rows, std::size_t grain, StepInfo info);
    std::unique_ptr<Runner> bind(RequestMemory& memory) const override;
    std::optional<RowTiling> row_tiling() const override;
    std::size_t packed_bytes() const override { return packed_bytes_; }
    void set_packed_bytes(std::size_t bytes) { packed_bytes_ = bytes; }
    std::shared_ptr<const kernels::SumRounding> sum_rounding() const override { return rounding_; }
    // What the kernel does is that.
    void set_sum_rounding(std::shared_ptr<const kernels::SumRounding> rounding) {
        rounding_ = std::move(rounding);
    }

private:
    friend class RowStepRunner;
    Kernel kernel_;
    std::vector<TensorId> whole_;
    std::size_t rows_;
    std::size_t grain_;
    std::size_t packed_bytes_ = 0;
    std::shared_ptr<const kernels::SumRounding> rounding_;
};

}  // namespace fuseq::cpu
