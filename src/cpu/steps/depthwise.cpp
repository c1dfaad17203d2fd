// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/depthwise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <iterator>

#include <fmt/core.h>

#include "cpu/machine/instructions.hpp"
#include "cpu/steps/depthwise_fold.hpp"
#include "cpu/steps/rounded_depthwise.hpp"
#include "cpu/threading/parallel.hpp"

namespace fuseq::cpu {
namespace {

// Where the rows of the source are that a part of a tile group has brought.
RowPart source_of(const RowPart& part) {
    return {part.source_begin, part.source_end, part.thread};
}

class DepthwiseRunner final : public Runner {
public:
    DepthwiseRunner(const kernels::DepthwiseConv& kernel,
                    std::size_t row_pixels,
                    TensorId src,
                    TensorId dst,
                    RequestMemory& memory)
        : kernel_(kernel), row_pixels_(row_pixels), src_(src), dst_(dst), memory_(memory) {}

    void run() override {
        const void* src = memory_.data(src_);
        void* dst = memory_.data(dst_);
        const std::size_t rows = kernel_.rows();
        const std::size_t blocks = kernel_.blocks();
        const auto threads = static_cast<std::size_t>(omp_get_max_threads());
        // Small images have fewer groups of rows than there are threads: split the channels then.
        if (rows < min_rows_ * threads && blocks >= threads) {
            parallel_for(blocks, 1, [&](std::size_t begin, std::size_t end) {
                kernel_.run(src, dst, {0, rows}, {begin, end});
            });
        } else {
            parallel_for(rows, grain_, [&](std::size_t begin, std::size_t end) {
                kernel_.run(src, dst, {begin, end}, {0, blocks});
            });
        }
    }

    void run_rows(const RowPart& part) override {
        kernel_.run(memory_.rows(src_, source_of(part)), memory_.rows(dst_, part),
                    {part.begin / row_pixels_, part.end / row_pixels_}, {0, kernel_.blocks()});
        memory_.keep_rows(src_, source_of(part));
    }

private:
    static constexpr std::size_t kRowsAtOnce = 8;  // what the kernel works on together
    const kernels::DepthwiseConv& kernel_;
    std::size_t row_pixels_;
    TensorId src_;
    TensorId dst_;
    RequestMemory& memory_;
    // Where lines of other cores are slow, small groups: a thread then reads mostly rows that it has
    // written itself in the step before.
    std::size_t min_rows_ = kernels::other_cores_lines_are_slow() ? 4 : kRowsAtOnce;
    std::size_t grain_ = kernels::other_cores_lines_are_slow() ? 2 : kRowsAtOnce;
};

// Groups of rows go through a buffer on the stack of the thread.
class DepthwiseChainRunner final : public Runner {
public:
    DepthwiseChainRunner(const kernels::DepthwiseConv& kernel,
                         const DepthwiseRemainder& remainder,
                         const Step& step,
                         RequestMemory& memory)
        : kernel_(kernel), remainder_(remainder), step_(step), memory_(memory) {
        const TensorId dst = step.outputs()[0];
        dst_size_ = size_of(memory.tensor(dst).type);
        for (const TensorId source : remainder.binary_sources) {
            source_sizes_.push_back(source == kNoTensor ? 0 : size_of(memory.tensor(source).type));
        }
        row_by_row_ = std::any_of(remainder.dedup_rows.begin(), remainder.dedup_rows.end(),
                                  [](const DedupRows& rows) { return !rows.offsets.empty(); });
        // Rows that the kernel is fast with; more when the buffer stays in the first cache.
        const std::size_t row = remainder.row_pixels * remainder.channels;
        constexpr std::size_t kFewElements = 8 * 1024;
        rows_at_once_ = std::clamp<std::size_t>(kFewElements / row, kernel.fast_rows(), 8);
        rows_at_once_ = std::min(rows_at_once_, DepthwiseStep::kMaxRowElements / row);
    }

    void run() override {
        const std::size_t rows = kernel_.rows();
        const std::size_t groups = (rows + rows_at_once_ - 1) / rows_at_once_;
        parallel_for(groups, 1, [&](std::size_t begin, std::size_t end) {
            compute({begin * rows_at_once_, std::min(end * rows_at_once_, rows)},
                    [&](TensorId id) { return memory_.data(id); });
        });
    }

    void run_rows(const RowPart& part) override {
        const TensorId src = step_.inputs()[0];
        compute({part.begin / remainder_.row_pixels, part.end / remainder_.row_pixels},
                [&](TensorId id) { return memory_.rows(id, id == src ? source_of(part) : part); });
        memory_.keep_rows(src, source_of(part));
    }

private:
    // `where` is the address that row 0 of a tensor has, or would have.
    template <class Where>
    void compute(kernels::Range rows, const Where& where) const {
        alignas(64) float buffer[DepthwiseStep::kMaxRowElements];
        for (std::size_t first = rows.begin; first < rows.end; first += rows_at_once_) {
            compute_rows({first, std::min(first + rows_at_once_, rows.end)}, buffer, where);
        }
    }

    template <class Where>
    void compute_rows(kernels::Range rows, float* buffer, const Where& where) const {
        kernel_.run_to_buffer(where(step_.inputs()[0]), buffer, rows);
        if (!row_by_row_) {
            finish_rows(rows, buffer, where);
            return;
        }
        for (std::size_t row = rows.begin; row < rows.end; ++row) {
            finish_rows({row, row + 1}, buffer, where);
            buffer += remainder_.row_pixels * remainder_.channels;
        }
    }

    template <class Where>
    void finish_rows(kernels::Range rows, const float* sums, const Where& where) const {
        const std::size_t offset = rows.begin * remainder_.row_pixels * remainder_.channels;
        const auto at = [&](TensorId id, std::size_t size) {
            return static_cast<std::byte*>(where(id)) + offset * size;
        };
        std::array<kernels::EltwiseTensor, DepthwiseStep::kMaxBinarySources> binary_sources;
        for (std::size_t e = 0; e < remainder_.binary_sources.size(); ++e) {
            const DedupRows& few = remainder_.dedup_rows[e];
            const void* from = few.offsets.empty()
                                   ? at(remainder_.binary_sources[e], source_sizes_[e])
                                   : few.bytes.data() + few.offsets[rows.begin];
            binary_sources[e] = {from, remainder_.channels};
        }
        const kernels::EltwiseKernelArgs args{
            .src = {sums, remainder_.channels},
            .dst = at(step_.outputs()[0], dst_size_),
            .dst_stride = remainder_.channels,
            .binary_sources = {binary_sources.data(), remainder_.binary_sources.size()}};
        remainder_.kernel.run(args, 0, (rows.end - rows.begin) * remainder_.row_pixels);
    }

    const kernels::DepthwiseConv& kernel_;
    const DepthwiseRemainder& remainder_;
    const Step& step_;
    RequestMemory& memory_;
    std::size_t dst_size_ = 1;
    std::vector<std::size_t> source_sizes_;
    std::size_t rows_at_once_ = 1;
    bool row_by_row_ = false;
};

}  // namespace

DedupRows DedupRows::of(std::span<const std::byte> constant, std::size_t rows) {
    constexpr std::size_t kMax = 8;  // three for 3x3, five for 5x5
    const std::size_t row = constant.size() / rows;
    DedupRows few;
    for (std::size_t r = 0; r < rows; ++r) {
        const auto mine = constant.subspan(r * row, row);
        std::size_t at = few.bytes.size();
        for (std::size_t other = 0; other < few.bytes.size(); other += row) {
            if (std::memcmp(few.bytes.data() + other, mine.data(), row) == 0) {
                at = other;
                break;
            }
        }
        if (at == few.bytes.size()) {
            few.bytes.insert(few.bytes.end(), mine.begin(), mine.end());
        }
        if (few.bytes.size() > kMax * row || 2 * few.bytes.size() > constant.size()) {
            return {};
        }
        few.offsets.push_back(at);
    }
    return few;
}

DedupRows DedupRows::of_image(const PlanTensor& tensor, const Shape& dims) {
    if (tensor.storage != Storage::kConstant || tensor.type != ElementType::f32 ||
        tensor.dims() != dims) {
        return {};
    }
    const Tensor& value = tensor.constant;
    return of({static_cast<const std::byte*>(value.data()), value.get_byte_size()},
              dims[0] * dims[2]);
}

DepthwiseStep::DepthwiseStep(kernels::DepthwiseConv kernel,
                             const kernels::ConvGeometry& geometry,
                             std::optional<DepthwiseRemainder> remainder,
                             TensorId src,
                             TensorId dst,
                             StepInfo info)
    : kernel_(std::move(kernel)), geometry_(geometry), remainder_(std::move(remainder)) {
    inputs_ = {src};
    if (remainder_) {
        std::copy_if(remainder_->binary_sources.begin(), remainder_->binary_sources.end(),
                     std::back_inserter(inputs_), [](TensorId id) { return id != kNoTensor; });
    }
    outputs_ = {dst};
    info_ = std::move(info);
}

RoundedSums* DepthwiseStep::rounded_sums() {
    return remake_ && !rounded_ ? this : nullptr;
}

bool DepthwiseStep::takes_rounding(const kernels::SumRounding& rounding) const {
    return rounding.channels() == geometry_.dst_channels &&
           geometry_.dst_width * geometry_.dst_channels <= kMaxRowElements;
}

void DepthwiseStep::set_rounding(std::shared_ptr<const kernels::SumRounding> rounding,
                                 TensorId dst) {
    outputs_ = {dst};
    rounded_ = true;
    kernels::PartRounding part = rounding->fused_in_part();
    const bool rules = !part.rest.empty() && kernels::DepthwiseConv::stores_rules();
    if (auto own = rules ? rounding->by_short_rule() : std::nullopt) {
        part = {.own = std::move(*own)};
    }
    std::size_t apart = 0;
    for (const kernels::Range& channels : part.rest) {
        apart += channels.end - channels.begin;
    }
    constexpr std::size_t kCost = 2;  // of sums through a buffer, at least
    if (apart * kCost <= rounding->channels()) {
        kernel_ = remake_(part.own);
        info_.implementation = std::string("fuseq:") + kernel_.implementation();
        for (const kernels::Range& channels : part.rest) {
            rest_.push_back({channels, sums_of_(channels)});
        }
        if (apart != 0) {
            info_.notes.push_back(
                fmt::format("{} of {} channels are rounded apart", apart, rounding->channels()));
        }
    }
    if (apart != 0) {
        rounding_ = std::move(rounding);
    }
    remake_ = nullptr;
    sums_of_ = nullptr;
}

std::unique_ptr<Runner> DepthwiseStep::bind(RequestMemory& memory) const {
    if (rounding_) {
        return make_rounded_depthwise(
            {kernel_, rest_, *rounding_, geometry_.dst_width, inputs_[0], outputs_[0]}, memory);
    }
    if (remainder_) {
        return std::make_unique<DepthwiseChainRunner>(kernel_, *remainder_, *this, memory);
    }
    return std::make_unique<DepthwiseRunner>(kernel_, geometry_.dst_width, inputs_[0], outputs_[0],
                                             memory);
}

std::optional<RowTiling> DepthwiseStep::row_tiling() const {
    const kernels::ConvGeometry& g = geometry_;
    RowTiling tiling{
        .rows = kernel_.rows() * g.dst_width,
        .grain = std::min(kernel_.fast_rows() * g.dilation_height, g.dst_height) * g.dst_width,
        .whole = {inputs_[0]}};
    tiling.fast = kernel_.even_rows() * g.dilation_height * g.dst_width;
    if (g.batch == 1) {
        tiling.window = RowWindow{.src_row = g.src_width,
                                  .dst_row = g.dst_width,
                                  .src_height = g.src_height,
                                  .extent = (g.kernel_height - 1) * g.dilation_height + 1,
                                  .stride = g.stride_height,
                                  .pad_top = g.pad_top};
    }
    return tiling;
}

}  // namespace fuseq::cpu
