// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Integer convolution of few channels by the plugin's own kernel, with the whole chain after it on
// tiles that lie in the L1 cache, written in either layout.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "cpu/kernels/eltwise/eltwise_kernel.hpp"
#include "cpu/kernels/eltwise/io_reorder.hpp"
#include "cpu/kernels/small_conv/small_conv.hpp"
#include "cpu/steps/capabilities.hpp"
#include "cpu/steps/depthwise.hpp"
#include "cpu/steps/step.hpp"

namespace fuseq::cpu {

class SmallConvolutionStep final : public Step, public RequantizedResults, public RoundedSums {
public:
    // `remainder`: what is left of the chain after scale and bias; its dst_type is that of `dst`.
    // The tensors that it reads are of the size of dst and channels-last, as dst is then; kNoTensor
    // where it is a constant with few rows.
    SmallConvolutionStep(kernels::SmallConv kernel,
                         const post_ops::Chain& remainder,
                         TensorId src,
                         const std::vector<TensorId>& binary_sources,
                         std::vector<DedupRows> dedup_rows,
                         const PlanTensor& dst,
                         TensorId dst_id);
    std::unique_ptr<Runner> bind(RequestMemory& memory) const override;
    std::optional<RowTiling> row_tiling() const override;
    std::size_t packed_bytes() const override { return kernel_.packed_bytes(); }

    // Channel-vectorized convolutions that store one result so far.
    RequantizedResults* requantized_results() override {
        return results_.size() == 1 && !rounded_ ? this : nullptr;
    }
    // Where it stores floats channels-last.
    RoundedSums* rounded_sums() override;
    // `remake`: the kernel with a scale, a shift and bounds after the sums; null: it has none.
    using Remake = std::function<std::optional<kernels::SmallConv>(const kernels::OwnRounding&)>;
    void set_remake(Remake remake) { remake_ = std::move(remake); }
    bool rounds_by_its_epilogue() const override { return rounded_ && !rounding_; }
    bool takes_rounding(const kernels::SumRounding& rounding) const override;
    void set_rounding(std::shared_ptr<const kernels::SumRounding> rounding, TensorId dst) override;
    const std::vector<post_ops::Chain>& results() const override { return results_; }
    bool takes_result(const post_ops::Chain& chain) const override {
        return kernels::SmallConv::takes_result(chain);
    }
    std::size_t channels() const override { return tile_reorder_.channels; }
    std::size_t width() const override { return width_; }
    bool can_write_rows() const override {
        return tile_reorder_.channels == kRowChannels && !kernel_.pools();
    }
    // `rows`: as SmallConvParams::rows says.
    void set_results(std::vector<post_ops::Chain> results,
                     std::vector<TensorId> ids,
                     bool rows) override;
    bool writes_rows() const { return rows_; }

private:
    class Run;

    static constexpr std::size_t kRowChannels = 32;  // two rows of 16

    std::vector<post_ops::Chain> results_;  // none where not channel-vectorized
    bool rows_ = false;
    kernels::SmallConv kernel_;
    std::optional<kernels::EltwiseKernel> chain_;
    std::vector<TensorId> binary_sources_;
    std::vector<DedupRows> dedup_rows_;      // one a binary source
    kernels::IoReorderParams tile_reorder_;  // of a tile, for channels-last results
    std::size_t height_ = 0;
    std::size_t width_ = 0;
    bool channels_last_ = true;
    bool by_rows_ = true;     // pixels of dst lie one after the other
    bool by_pixels_ = false;  // the chain runs on pixels, not on planes
    bool direct_ = false;     // the kernel stores the result
    bool in_planes_ = false;  // the same of a plain result
    bool stores_floats_ = false;
    Remake remake_;         // null: not plain sums
    bool rounded_ = false;  // by a rule
    std::shared_ptr<const kernels::SumRounding> rounding_;
};

}  // namespace fuseq::cpu
