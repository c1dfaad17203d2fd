// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of a product of integers, i32 or f32 that hold them exactly (|sum| <= 2^24), to u8 or i8: the bias of the channel
// is added, and the product with the multiplier of the channel is rounded (rounded_product.hpp). The
// same bytes on every instruction set and for every split of the work. No allocation.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cpu/kernels/common/range.hpp"
#include "cpu/kernels/eltwise/rounded_product.hpp"
#include "fuseq/element_type.hpp"

namespace fuseq::kernels {

// What the channels of a row need, as often as makes vectors full.
class SumColumns {
public:
    // `bias`: one a channel; with it a sum keeps within 32 bits. `fixed` of the fixed-point roundings, else `real`: one a channel.
    SumColumns(ProductRounding rounding,
               std::span<const std::int32_t> bias,
               std::span<const FixedMultiplier> fixed,
               std::span<const float> real);

    // Elements after which the values are repeated.
    std::size_t period() const { return period_; }
    ProductRounding rounding() const { return rounding_; }
    const std::int32_t* bias() const { return bias_.data(); }
    const float* real() const { return real_.data(); }
    const std::int32_t* mantissa() const { return mantissa_.data(); }
    const std::int32_t* left() const { return left_.data(); }
    const std::int32_t* away() const { return away_.data(); }
    const std::int32_t* right() const { return right_.data(); }
    const std::int32_t* last() const { return last_.data(); }
    const std::int32_t* nudge() const { return nudge_.data(); }
    bool shifts_left() const { return shifts_left_; }

    // Looks for short ways (short_rounding.hpp) onto this grid.
    void find_short_ways(const ByteGrid& grid);
    // Whether `count` columns from c on have one.
    bool is_short(std::size_t c, std::size_t count) const {
        return c < short_run_.size() && short_run_[c] >= count;
    }
    const float* short_scale() const { return short_scale_.data(); }
    const float* short_shift() const { return short_shift_.data(); }

private:
    ProductRounding rounding_;
    std::size_t channels_;
    std::size_t period_;
    std::vector<std::int32_t> bias_;
    std::vector<float> real_;
    std::vector<std::int32_t> mantissa_;
    std::vector<std::int32_t> left_;
    std::vector<std::int32_t> away_;
    std::vector<std::int32_t> right_;
    std::vector<std::int32_t> last_;
    std::vector<std::int32_t> nudge_;
    bool shifts_left_ = false;
    std::vector<FixedMultiplier> fixed_;  // as given
    std::vector<float> short_scale_;
    std::vector<float> short_shift_;
    std::vector<std::size_t> short_run_;  // columns in a row that have a short way
};

// Sums of some pixels in some channels, as a product leaves them.
template <class Sum>
struct SumTile {
    const Sum* sums = nullptr;
    std::size_t step = 0;  // elements from a pixel to the next
    std::size_t pixels = 0;
    std::size_t channel = 0;   // first
    std::size_t channels = 0;  // up to a vector after the last one may be read
    void* dst = nullptr;       // of the first pixel and channel
    std::size_t dst_step = 0;  // bytes
};
void requantize_tile(const SumColumns& columns,
                     const ByteGrid& grid,
                     const SumTile<std::int32_t>& tile);

// `elements` of the dense tensors [..., channels]. dst: u8 or i8, as the grid is.
void requantize_sums(
    const SumColumns& columns, const ByteGrid& grid, const float* src, void* dst, Range elements);

// The rounding of a layer, all of it: what a kernel needs to store bytes instead of sums.
class SumRounding {
public:
    // `rule`: its name for reports. dst: u8 or i8.
    SumRounding(SumColumns columns,
                const ByteGrid& grid,
                ElementType dst,
                std::size_t channels,
                std::string rule)
        : columns_(std::move(columns)),
          grid_(grid),
          dst_(dst),
          channels_(channels),
          rule_(std::move(rule)) {
        columns_.find_short_ways(grid_);
    }

    std::size_t channels() const { return channels_; }
    ElementType dst_type() const { return dst_; }
    const std::string& rule() const { return rule_; }

    void run(const float* sums, void* dst, Range elements) const {
        requantize_sums(columns_, grid_, sums, dst, elements);
    }
    void run(const SumTile<std::int32_t>& tile) const { requantize_tile(columns_, grid_, tile); }

private:
    SumColumns columns_;
    ByteGrid grid_;
    ElementType dst_;
    std::size_t channels_;
    std::string rule_;
};

}  // namespace fuseq::kernels
