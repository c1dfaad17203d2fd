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
constexpr std::size_t kMaxOverread = 16;               // a vector after the last sum
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
        alignas(64) float buffer[DepthwiseStep::kMaxRowElements + kMaxOverread];
        if (!rounded_.rest.empty()) {
            rounded_.kernel.run(src, dst, rows, {0, rounded_.kernel.blocks()});
            for (const DepthwisePart& part : rounded_.rest) {
                compute_part(part, src, dst, rows, buffer);
            }
            return;
        }
        for (std::size_t first = rows.begin; first < rows.end; first += rows_at_once_) {
            const kernels::Range some{first, std::min(first + rows_at_once_, rows.end)};
            rounded_.kernel.run_to_buffer(src, buffer, some);
            rounded_.rounding.run(buffer, static_cast<std::uint8_t*>(dst) + first * row_,
                                  {0, (some.end - first) * row_});
        }
    }

    // Over the bytes that the kernel has stored for the channels of the part.
    void compute_part(const DepthwisePart& part,
                      const void* src,
                      void* dst,
                      kernels::Range rows,
                      float* buffer) const {
        const std::size_t channels = rounded_.rounding.channels();
        const std::size_t first_channel = part.channels.begin;
        const std::size_t count = part.channels.end - first_channel;
        const auto* from = static_cast<const std::uint8_t*>(src) + first_channel;
        auto* to = static_cast<std::uint8_t*>(dst) + first_channel;
        const std::size_t fast = part.kernel.fast_rows();
        const std::size_t row = rounded_.row_pixels * count;
        const std::size_t at_once =
            std::min(std::max(kBufferElements / row / fast * fast, fast),
                     std::max<std::size_t>(DepthwiseStep::kMaxRowElements / row, 1));
        for (std::size_t first = rows.begin; first < rows.end; first += at_once) {
            const kernels::Range some{first, std::min(first + at_once, rows.end)};
            part.kernel.run_to_buffer(from, buffer, some);
            rounded_.rounding.run(
                kernels::SumTile<float>{.sums = buffer,
                                        .step = count,
                                        .pixels = (some.end - first) * rounded_.row_pixels,
                                        .channel = first_channel,
                                        .channels = count,
                                        .dst = to + first * row_,
                                        .dst_step = channels});
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
