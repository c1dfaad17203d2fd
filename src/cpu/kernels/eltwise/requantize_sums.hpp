// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of a product of integers, f32 that hold them exactly (|sum| <= 2^24), to u8 or i8: the bias of the channel is
// added, and the product with the multiplier of the channel is rounded (rounded_product.hpp). The
// same bytes on every instruction set and for every split of the work. No allocation.
#pragma once

#include <cstddef>
#include <span>
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

private:
    ProductRounding rounding_;
    std::size_t period_;
    std::vector<std::int32_t> bias_;
    std::vector<float> real_;
    std::vector<std::int32_t> mantissa_;
    std::vector<std::int32_t> left_;
    std::vector<std::int32_t> away_;
    std::vector<std::int32_t> right_;
    std::vector<std::int32_t> last_;
};

// `elements` of the dense tensors [..., channels]. dst: u8 or i8.
void requantize_sums(const SumColumns& columns,
                     const ByteGrid& grid,
                     const float* src,
                     ElementType dst_type,
                     void* dst,
                     Range elements);

}  // namespace fuseq::kernels
