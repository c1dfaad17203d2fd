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
        const kernels::ResizeParams& p = step_.resized_[0].params;
        parallel_for(p.batch * p.rows.low.size(), 1, [&](std::size_t begin, std::size_t end) {
            alignas(64) float tiles[kMaxFloats];
            for (std::size_t row = begin; row < end; ++row) {
                run_row(row, tiles);
            }
        });
    }

private:
    static constexpr std::size_t kGoodTile = 1 << 12;  // elements that stay in the first cache

    void run_row(std::size_t row, float* tiles) const {
        const kernels::ResizeParams& p = step_.resized_[0].params;
        const std::size_t width = p.columns.low.size();
        const std::size_t floats = p.channels * step_.resized_.size();
        const std::size_t pixels = std::max<std::size_t>(1, kGoodTile / floats);
        for (std::size_t x = 0; x < width; x += pixels) {
            const std::size_t count = std::min(pixels, width - x);
            float* tile = tiles;
            for (const ResizedTensor& resized : step_.resized_) {
                kernels::resize_pixels(resized.params, memory_.data(resized.source), tile, row,
                                       {x, x + count});
                tile += count * p.channels;
            }
            run_chain(tiles, row * width + x, count);
        }
    }

    // Of `count` pixels of one image, of which the first is pixel `first` of the result.
    void run_chain(const float* tiles, std::size_t first, std::size_t count) const {
        const std::size_t channels = step_.resized_[0].params.channels;
        kernels::EltwiseTensor binary_sources[kMaxBinarySources];
        for (std::size_t e = 0; e < step_.forms_.size(); ++e) {
            binary_sources[e] = binary_source(e, first);
        }
        for (std::size_t r = 1; r < step_.resized_.size(); ++r) {
            binary_sources[step_.resized_[r].binary_source] = {tiles + r * count * channels,
                                                               channels};
        }
        const TensorId dst = step_.outputs()[0];
        step_.kernel_.run({.src = {tiles, channels},
                           .dst = at(dst, first * channels),
                           .dst_stride = channels,
                           .binary_sources = {binary_sources, step_.forms_.size()},
                           .rows_per_image = step_.pixels_per_image_},
                          0, count);
    }

    kernels::EltwiseTensor binary_source(std::size_t e, std::size_t first) const {
        const TensorId id = step_.inputs()[e + 1];
        const std::size_t channels = step_.resized_[0].params.channels;
        switch (step_.forms_[e]) {
            case SourceForm::kPixel: return {at(id, first), channels};
            case SourceForm::kPlane: {
                const bool shared = memory_.tensor(id).shape[0] == Dimension(1);
                const std::size_t image = shared ? 0 : first / step_.pixels_per_image_;
                return {at(id, image * channels), 0};
            }
            default: return {at(id, first * channels), channels};
        }
    }

    std::byte* at(TensorId id, std::size_t element) const {
        return static_cast<std::byte*>(memory_.data(id)) +
               element * size_of(memory_.tensor(id).type);
    }

    const ResizedChainStep& step_;
    RequestMemory& memory_;
};

ResizedChainStep::ResizedChainStep(std::vector<ResizedTensor> resized,
                                   const post_ops::Chain& chain,
                                   const PlanTensor& src,
                                   std::vector<TensorId> inputs,
                                   const PlanTensor& dst,
                                   TensorId dst_id)
    : resized_(std::move(resized)),
      forms_(source_forms(chain, inputs.size() - 1)),
      pixels_per_image_(shape_size(dst.dims()) / dst.dims()[0] / resized_[0].params.channels),
      kernel_(chain, ElementType::f32, resized_[0].params.channels, kernels::EltwiseLayout::kRows) {
    inputs_ = std::move(inputs);
    outputs_ = {dst_id};
    info_ = kernel_info("interpolate", "resize_linear", src, dst);
    info_.post_ops = post_ops::to_text(chain);
}

std::unique_ptr<Runner> ResizedChainStep::bind(RequestMemory& memory) const {
    return std::make_unique<Run>(*this, memory);
}

}  // namespace fuseq::cpu
