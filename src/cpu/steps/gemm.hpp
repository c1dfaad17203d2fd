// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Convolution and deconvolution (groups 1) and matrix product of integers by the plugin's own
// AVX-512 VNNI kernel, with the whole chain after it: residual inputs in any scale and any
// activation in the same pass.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cpu/kernels/gemm/gemm_vnni.hpp"
#include "cpu/steps/capabilities.hpp"
#include "cpu/steps/depthwise.hpp"
#include "cpu/steps/step.hpp"

namespace fuseq::cpu {

class GemmStep final : public Step,
                       public WeightPrefetch,
                       public SliceWriter,
                       public RequantizedResults,
                       public RoundedSums {
public:
    // Bytes that every part of a tile group may read again, in every thread.
    static constexpr std::size_t kMaxTiledWeights = 256 << 10;

    // binary_sources: the tensors of the chain's binary sources, kNoTensor for those that it does
    // not read.
    GemmStep(kernels::GemmVnni kernel,
             TensorId src,
             std::vector<TensorId> binary_sources,
             TensorId dst,
             TensorId scratch,
             std::size_t pixels,
             StepInfo info);
    std::unique_ptr<Runner> bind(RequestMemory& memory) const override;
    std::size_t packed_bytes() const override { return kernel_.packed_bytes(); }
    std::span<const std::int8_t> packed_weights() const override {
        return kernel_.weights(0, {.rows = 1, .columns = 1});
    }
    std::optional<RowTiling> row_tiling() const override;

    const kernels::GemmVnni& kernel() const { return kernel_; }
    kernels::GemmVnni& kernel() { return kernel_; }
    const std::vector<TensorId>& binary_sources() const { return binary_sources_; }
    std::size_t shares() const { return shares_; }

    WeightPrefetch* weight_prefetch() override { return this; }
    std::size_t fetchable() const override { return kernel_.fetchable(); }
    WeightSpan first_weights(std::size_t part, std::size_t parts) const override;
    const WeightPrefetch* next() const override { return next_; }
    void set_next(const WeightPrefetch& next) override { next_ = &next; }
    void set_ahead(std::vector<WeightSpan> ahead, bool has_own) override {
        ahead_ = std::move(ahead);
        ahead_has_own_ = has_own;
    }
    // GemmArgs::next, next_has_own.
    const std::vector<WeightSpan>& ahead() const { return ahead_; }
    bool ahead_has_own() const { return ahead_has_own_; }

    // Of the binary_sources, those that differ only where windows reach over the edge of the image,
    // as the correction of a fractional zero point does; empty: there are none.
    const std::vector<DedupRows>& dedup_rows() const { return dedup_rows_; }
    void set_dedup_rows(std::vector<DedupRows> dedup_rows) { dedup_rows_ = std::move(dedup_rows); }

    // Where no other tensor is read.
    SliceWriter* slice_writer() override;
    void write_slice(TensorId dst, std::size_t offset, std::size_t dst_pixel_bytes) override;
    std::size_t element_bytes() const override { return rounding_ ? 1 : kernel_.element_bytes(); }
    std::size_t pixel_bytes() const override { return kernel_.dst_channels() * element_bytes(); }
    std::size_t dst_offset() const { return dst_offset_; }
    std::size_t dst_pitch() const { return dst_pitch_; }  // elements; 0: pixels are dense

    // Where the result is the sums of the product and nothing else. `remake`: the kernel with a
    // scale, a shift and bounds after them. in_tiles: they are those of the tiles, without zero
    // points of weights.
    using Remake = std::function<std::optional<kernels::GemmVnni>(const kernels::OwnRounding&)>;
    void set_plain_sums(Remake remake, bool in_tiles) {
        remake_ = std::move(remake);
        in_tiles_ = in_tiles;
    }
    RoundedSums* rounded_sums() override;
    bool takes_rounding(const kernels::SumRounding& rounding) const override;
    void set_rounding(std::shared_ptr<const kernels::SumRounding> rounding, TensorId dst) override;
    const kernels::SumRounding* rounding() const { return rounding_.get(); }
    bool rounds_by_its_epilogue() const override { return rounded_ && !rounding_; }

    // Where one result has been stored so far, densely.
    RequantizedResults* requantized_results() override;
    const std::vector<post_ops::Chain>& results() const override { return results_; }
    bool takes_result(const post_ops::Chain& chain) const override;
    std::size_t channels() const override { return kernel_.dst_channels(); }
    std::size_t width() const override { return kernel_.dst_width(); }
    bool can_write_rows() const override;
    void set_results(std::vector<post_ops::Chain> results,
                     std::vector<TensorId> ids,
                     bool rows) override;

private:
    std::optional<kernels::GemmVnni> remade(const kernels::SumRounding& rounding) const;

    kernels::GemmVnni kernel_;
    std::vector<post_ops::Chain> results_;
    bool rows_ = false;  // of set_results()
    Remake remake_;      // null: not plain sums
    bool in_tiles_ = false;
    bool rounded_ = false;  // by a rule
    std::shared_ptr<const kernels::SumRounding> rounding_;
    std::vector<TensorId> binary_sources_;
    std::vector<DedupRows> dedup_rows_;  // one a binary source
    std::size_t pixels_;                 // of dst, of all images; 0: not for a tile group
    std::size_t shares_;                 // that the scratch memory is for
    const WeightPrefetch* next_ = nullptr;
    std::vector<WeightSpan> ahead_;
    bool ahead_has_own_ = false;
    std::size_t dst_offset_ = 0;
    std::size_t dst_pitch_ = 0;
};

}  // namespace fuseq::cpu
