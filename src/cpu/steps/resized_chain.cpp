// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/resized_chain.hpp"

#include <algorithm>
#include <cstddef>

#include "cpu/steps/kernel_step.hpp"
#include "cpu/threading/parallel.hpp"

namespace fuseq::cpu {

class ResizedChainStep::Run final : public Runner {
public:
    Run(const ResizedChainStep& step, RequestMemory& memory) : step_(step), memory_(memory) {}

    void run() override {
        const kernels::ResizeParams& p = step_.params_;
        parallel_for(p.batch * p.rows.low.size(), 1, [&](std::size_t begin, std::size_t end) {
            alignas(64) float tile[kMaxChannels];
            for (std::size_t row = begin; row < end; ++row) {
                run_row(row, tile);
            }
        });
    }

private:
    static constexpr std::size_t kGoodTile = 1 << 12;  // elements that stay in the first cache

    void run_row(std::size_t row, float* tile) const {
        const kernels::ResizeParams& p = step_.params_;
        const std::size_t width = p.columns.low.size();
        const std::size_t pixels = std::max<std::size_t>(1, kGoodTile / p.channels);
        const void* src = memory_.data(step_.inputs()[0]);
        for (std::size_t x = 0; x < width; x += pixels) {
            const std::size_t count = std::min(pixels, width - x);
            kernels::resize_pixels(p, src, tile, row, {x, x + count});
            run_chain(tile, row * width + x, count);
        }
    }

    // Of `count` pixels, of which the first is pixel `first` of the result.
    void run_chain(const float* tile, std::size_t first, std::size_t count) const {
        const std::vector<TensorId>& inputs = step_.inputs();
        const std::size_t channels = step_.params_.channels;
        const auto place = [&](TensorId id) {
            const std::size_t bytes = size_of(memory_.tensor(id).type);
            return static_cast<std::byte*>(memory_.data(id)) + first * channels * bytes;
        };
        kernels::EltwiseTensor binary_sources[kMaxBinarySources];
        for (std::size_t e = 0; e + 1 < inputs.size(); ++e) {
            binary_sources[e] = {place(inputs[e + 1]), channels};
        }
        step_.kernel_.run({.src = {tile, channels},
                           .dst = place(step_.outputs()[0]),
                           .dst_stride = channels,
                           .binary_sources = {binary_sources, inputs.size() - 1}},
                          0, count);
    }

    const ResizedChainStep& step_;
    RequestMemory& memory_;
};

ResizedChainStep::ResizedChainStep(kernels::ResizeParams params,
                                   const post_ops::Chain& chain,
                                   const PlanTensor& src,
                                   std::vector<TensorId> inputs,
                                   const PlanTensor& dst,
                                   TensorId dst_id)
    : params_(std::move(params)),
      kernel_(chain, ElementType::f32, params_.channels, kernels::EltwiseLayout::kRows) {
    inputs_ = std::move(inputs);
    outputs_ = {dst_id};
    info_ = kernel_info("interpolate", "resize_linear", src, dst);
    info_.post_ops = post_ops::to_text(chain);
}

std::unique_ptr<Runner> ResizedChainStep::bind(RequestMemory& memory) const {
    return std::make_unique<Run>(*this, memory);
}

}  // namespace fuseq::cpu
