// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/volume_depthwise.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "cpu/post_ops/simplify.hpp"
#include "cpu/threading/parallel.hpp"
#include "ops/convolution.hpp"

namespace fuseq::cpu {

using kernels::Range;

class VolumeDepthwiseStep::Run final : public Runner {
public:
    Run(const VolumeDepthwiseStep& step, RequestMemory& memory)
        : step_(step), g_(step.geometry_), memory_(memory) {
        dst_size_ = size_of(memory.tensor(step.outputs()[0]).type);
        for (std::size_t e = 1; e < step.inputs().size(); ++e) {
            source_sizes_.push_back(size_of(memory.tensor(step.inputs()[e]).type));
        }
        rows_ = rows_at_once(g_);
        row_ = g_.dst_width * g_.channels;
    }

    void run() override {
        const std::size_t groups = (g_.dst_height + rows_ - 1) / rows_;
        auto* scratch = static_cast<float*>(memory_.data(step_.scratch()[0]));
        const std::size_t own = (step_.taps_.size() + 1) * rows_ * row_;
        parallel_for(g_.images * g_.dst_depth * groups, 1, [&](std::size_t begin, std::size_t end) {
            float* sums = scratch + static_cast<std::size_t>(omp_get_thread_num()) * own;
            float* zeros = sums + step_.taps_.size() * rows_ * row_;
            std::fill_n(zeros, rows_ * row_, 0.0f);
            for (std::size_t i = begin; i < end; ++i) {
                const std::size_t first = i % groups * rows_;
                compute_rows(i / groups, {first, std::min(first + rows_, g_.dst_height)}, sums,
                             zeros);
            }
        });
    }

private:
    // Rows of one plane of dst; positions of the kernel outside of src add nothing.
    void compute_rows(std::size_t plane, Range rows, float* sums, const float* zeros) const {
        const std::size_t image = plane / g_.dst_depth;
        const auto start = static_cast<std::ptrdiff_t>(plane % g_.dst_depth * g_.stride) - g_.pad;
        std::array<kernels::EltwiseTensor, kMaxBinarySources> parts;
        for (std::size_t t = 0; t < step_.taps_.size(); ++t) {
            const std::ptrdiff_t z = start + static_cast<std::ptrdiff_t>(t * g_.dilation);
            parts[t] = {zeros, g_.channels};
            if (z >= 0 && z < static_cast<std::ptrdiff_t>(g_.src_depth)) {
                float* to = sums + t * rows_ * row_;
                const std::size_t from =
                    (image * g_.src_depth + static_cast<std::size_t>(z)) * g_.dst_height;
                step_.taps_[t].run_to_buffer(memory_.data(step_.inputs()[0]), to,
                                             {from + rows.begin, from + rows.end});
                parts[t] = {to, g_.channels};
            }
        }
        store(plane * g_.dst_height + rows.begin, rows.end - rows.begin, parts);
    }

    void store(std::size_t row,
               std::size_t rows,
               const std::array<kernels::EltwiseTensor, kMaxBinarySources>& parts) const {
        const auto at = [&](TensorId id, std::size_t size) {
            return static_cast<std::byte*>(memory_.data(id)) + row * row_ * size;
        };
        std::array<kernels::EltwiseTensor, kMaxBinarySources> binary_sources;
        std::size_t count = 0;
        for (; count < source_sizes_.size(); ++count) {
            binary_sources[count] = {at(step_.inputs()[1 + count], source_sizes_[count]),
                                     g_.channels};
        }
        for (std::size_t t = 1; t < step_.taps_.size(); ++t) {
            binary_sources[count++] = parts[t];
        }
        const kernels::EltwiseKernelArgs args{.src = parts[0],
                                              .dst = at(step_.outputs()[0], dst_size_),
                                              .dst_stride = g_.channels,
                                              .binary_sources = {binary_sources.data(), count}};
        step_.chain_.run(args, 0, rows * g_.dst_width);
    }

    const VolumeDepthwiseStep& step_;
    const VolumeGeometry& g_;
    RequestMemory& memory_;
    std::size_t dst_size_ = 1;
    std::vector<std::size_t> source_sizes_;
    std::size_t rows_ = 1;
    std::size_t row_ = 1;
};

VolumeDepthwiseStep::VolumeDepthwiseStep(std::vector<kernels::DepthwiseConv> taps,
                                         kernels::EltwiseKernel chain,
                                         const VolumeGeometry& geometry)
    : taps_(std::move(taps)), chain_(std::move(chain)), geometry_(geometry) {}

void VolumeDepthwiseStep::set_tensors(TensorId src,
                                      std::vector<TensorId> binary_sources,
                                      TensorId dst,
                                      TensorId scratch) {
    inputs_ = {src};
    inputs_.insert(inputs_.end(), binary_sources.begin(), binary_sources.end());
    outputs_ = {dst};
    scratch_ = {scratch};
}

std::unique_ptr<Runner> VolumeDepthwiseStep::bind(RequestMemory& memory) const {
    return std::make_unique<Run>(*this, memory);
}

std::size_t VolumeDepthwiseStep::packed_bytes() const {
    std::size_t bytes = 0;
    for (const kernels::DepthwiseConv& tap : taps_) {
        bytes += tap.packed_bytes();
    }
    return bytes;
}

std::size_t VolumeDepthwiseStep::rows_at_once(const VolumeGeometry& g) {
    constexpr std::size_t kElements = 8 * 1024;  // of one sum: all of them stay in the second cache
    const std::size_t rows = kElements / (g.dst_width * g.channels);
    return std::clamp<std::size_t>(rows, 1, std::min<std::size_t>(8, g.dst_height));
}

std::size_t VolumeDepthwiseStep::scratch_size(const VolumeGeometry& g,
                                              std::size_t taps,
                                              std::size_t threads) {
    return threads * (taps + 1) * rows_at_once(g) * g.dst_width * g.channels;
}

}  // namespace fuseq::cpu
