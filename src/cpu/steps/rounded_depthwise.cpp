// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/rounded_depthwise.hpp"

#include <algorithm>

#include "cpu/steps/depthwise.hpp"
#include "cpu/threading/parallel.hpp"

namespace fuseq::cpu {
namespace {

constexpr std::size_t kBufferElements = 6 * 1024;      // half of a first cache
constexpr std::size_t kElementsForAThread = 8 * 1024;  // of dst: about two microseconds
constexpr std::size_t kMaxRows = 8;                    // that the kernel works on together

class RoundedDepthwiseRunner final : public Runner {
public:
    RoundedDepthwiseRunner(const RoundedDepthwise& rounded, RequestMemory& memory)
        : rounded_(rounded),
          memory_(memory),
          row_(rounded.row_pixels * rounded.rounding.channels()) {
        const std::size_t fast = rounded.kernel.fast_rows();
        rows_at_once_ = std::max(kBufferElements / row_ / fast * fast, fast);
        rows_at_once_ = std::min({rows_at_once_, kMaxRows, DepthwiseStep::kMaxRowElements / row_});
    }

    void run() override {
        const std::size_t rows = rounded_.kernel.rows();
        const std::size_t fast = std::min(rounded_.kernel.fast_rows(), rows_at_once_);
        const std::size_t grain = (kElementsForAThread + row_ - 1) / row_;
        const void* src = memory_.data(rounded_.src);
        void* dst = memory_.data(rounded_.dst);
        parallel_for(rows, (grain + fast - 1) / fast * fast,
                     [&](std::size_t begin, std::size_t end) {
                         compute(src, dst, {begin, end});
                     });
    }

    void run_rows(const RowPart& part) override {
        const RowPart source{part.source_begin, part.source_end, part.thread};
        compute(memory_.rows(rounded_.src, source), memory_.rows(rounded_.dst, part),
                {part.begin / rounded_.row_pixels, part.end / rounded_.row_pixels});
        memory_.keep_rows(rounded_.src, source);
    }

private:
    // dst: where row 0 is, or would be.
    void compute(const void* src, void* dst, kernels::Range rows) const {
        alignas(64) float buffer[DepthwiseStep::kMaxRowElements];
        for (std::size_t first = rows.begin; first < rows.end; first += rows_at_once_) {
            const kernels::Range some{first, std::min(first + rows_at_once_, rows.end)};
            rounded_.kernel.run_to_buffer(src, buffer, some);
            rounded_.rounding.run(buffer, static_cast<std::uint8_t*>(dst) + first * row_,
                                  {0, (some.end - first) * row_});
        }
    }

    RoundedDepthwise rounded_;
    RequestMemory& memory_;
    std::size_t row_;  // elements
    std::size_t rows_at_once_ = 1;
};

}  // namespace

std::unique_ptr<Runner> make_rounded_depthwise(const RoundedDepthwise& rounded,
                                               RequestMemory& memory) {
    return std::make_unique<RoundedDepthwiseRunner>(rounded, memory);
}

}  // namespace fuseq::cpu
