// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Depthwise int8 convolution by the plugin's own kernel: four times as fast as oneDNN's, exact on
// every instruction set, with a zero point at no cost.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cpu/kernels/depthwise/depthwise_conv.hpp"
#include "cpu/kernels/eltwise/eltwise_kernel.hpp"
#include "cpu/steps/capabilities.hpp"
#include "cpu/steps/rounded_depthwise.hpp"
#include "cpu/steps/step.hpp"

namespace fuseq::cpu {

// Rows of a constant of which few differ, as where only the border of an image does: each once,
// and where each row of the image is. They stay in the cache, where the constant would have to be
// fetched again for each inference.
struct DedupRows {
    std::vector<std::byte> bytes;
    std::vector<std::size_t> offsets;  // empty: the rows are too many

    // Of a constant of `rows` rows.
    static DedupRows of(std::span<const std::byte> constant, std::size_t rows);
    // Of a tensor of the size of an image, if it is a constant of floats.
    static DedupRows of_image(const PlanTensor& tensor, const Shape& dims);
};

// Operations that the kernel does not have, on rows of its f32 result that are still in the cache.
struct DepthwiseRemainder {
    kernels::EltwiseKernel kernel;
    // Channels-last, of the size of dst; kNoTensor where its rows are deduplicated.
    std::vector<TensorId> binary_sources;
    std::vector<DedupRows> dedup_rows;  // one a binary source
    std::size_t channels = 0;
    std::size_t row_pixels = 0;
};

class DepthwiseStep final : public Step, public RoundedSums {
public:
    // With a remainder, `kernel` gives f32.
    DepthwiseStep(kernels::DepthwiseConv kernel,
                  const kernels::ConvGeometry& geometry,
                  std::optional<DepthwiseRemainder> remainder,
                  TensorId src,
                  TensorId dst,
                  StepInfo info);
    std::unique_ptr<Runner> bind(RequestMemory& memory) const override;
    std::optional<RowTiling> row_tiling() const override;
    std::size_t packed_bytes() const override { return kernel_.packed_bytes(); }

    // Where it stores the sums and nothing else.
    RoundedSums* rounded_sums() override;
    // `remake`: the kernel with a scale, a shift and bounds after the sums; sums_of: that of some
    // channels alone, without them.
    using Remake = std::function<kernels::DepthwiseConv(const kernels::OwnRounding&)>;
    using SumsOf = std::function<kernels::DepthwiseConv(kernels::Range channels)>;
    void set_plain_sums(Remake remake, SumsOf sums_of) {
        remake_ = std::move(remake);
        sums_of_ = std::move(sums_of);
    }
    bool rounds_by_its_epilogue() const override { return rounded_ && !rounding_; }
    bool takes_rounding(const kernels::SumRounding& rounding) const override;
    void set_rounding(std::shared_ptr<const kernels::SumRounding> rounding, TensorId dst) override;

    // The longest row of dst that a remainder, or a rounding, can work on, in elements.
    static constexpr std::size_t kMaxRowElements = 32 * 1024;
    // Of a remainder.
    static constexpr std::size_t kMaxBinarySources = 16;

private:
    kernels::DepthwiseConv kernel_;
    kernels::ConvGeometry geometry_;
    std::optional<DepthwiseRemainder> remainder_;
    Remake remake_;  // null: not plain sums
    SumsOf sums_of_;
    std::vector<DepthwisePart> rest_;  // rounded apart
    bool rounded_ = false;             // by a rule
    std::shared_ptr<const kernels::SumRounding> rounding_;
};

}  // namespace fuseq::cpu
