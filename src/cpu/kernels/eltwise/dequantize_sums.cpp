// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/eltwise/dequantize_sums.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/eltwise/dequantize_sums.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// A row of src, and what belongs to it.
struct Row {
    std::span<const float* const> sums;  // of the rows 0
    std::size_t at = 0;                  // of this row from there
    const std::int32_t* weight_sums = nullptr;
    const std::int32_t* shifts = nullptr;
    std::int32_t total = 0;  // of the source itself, with shifts
    std::int32_t zero_point = 0;
    const float* scale = nullptr;
};

HWY_INLINE std::int32_t sum_at(const Row& row, std::size_t c) {
    std::int32_t sum = 0;
    for (const float* part : row.sums) {
        sum += static_cast<std::int32_t>(part[row.at + c]);
    }
    return sum;
}

template <bool kShifts, bool kScales>
HWY_INLINE float value_at(const Row& row, std::size_t c) {
    std::int32_t sum = sum_at(row, c) - row.zero_point * row.weight_sums[c];
    if constexpr (kShifts) {
        sum += row.total * row.shifts[c];
    }
    return static_cast<float>(sum) * row.scale[kScales ? c : 0];
}

template <bool kShifts, bool kScales>
void run_row(const Row& row, float* dst, std::size_t channels) {
    const hn::ScalableTag<float> d;
    const hn::ScalableTag<std::int32_t> di;
    const std::size_t lanes = hn::Lanes(d);
    const auto zero = hn::Set(di, row.zero_point);
    const auto total = hn::Set(di, row.total);
    const auto one_scale = hn::Set(d, row.scale[0]);
    std::size_t c = 0;
    for (; c + lanes <= channels; c += lanes) {
        auto sum = hn::ConvertTo(di, hn::LoadU(d, row.sums[0] + row.at + c));
        for (std::size_t p = 1; p < row.sums.size(); ++p) {
            sum = hn::Add(sum, hn::ConvertTo(di, hn::LoadU(d, row.sums[p] + row.at + c)));
        }
        sum = hn::Sub(sum, hn::Mul(zero, hn::LoadU(di, row.weight_sums + c)));
        if constexpr (kShifts) {
            sum = hn::Add(sum, hn::Mul(total, hn::LoadU(di, row.shifts + c)));
        }
        const auto scale = kScales ? hn::LoadU(d, row.scale + c) : one_scale;
        hn::StoreU(hn::Mul(hn::ConvertTo(d, sum), scale), d, dst + c);
    }
    for (; c < channels; ++c) {
        dst[c] = value_at<kShifts, kScales>(row, c);
    }
}

std::size_t class_of(const DequantizeSumsParams& params, std::size_t pixel) {
    if (params.row_classes == nullptr) {
        return 0;
    }
    return params.row_classes[pixel / params.width % params.height] +
           params.column_classes[pixel % params.width];
}

template <bool kShifts, bool kScales>
void run_rows(const DequantizeSumsParams& params,
              const DequantizeSumsGrid& grid,
              std::span<const float* const> src,
              float* dst,
              Range rows) {
    const std::size_t columns = params.channels + (kShifts ? 1 : 0);
    Row row{.sums = src,
            .shifts = params.weight_shifts,
            .zero_point = grid.zero_point,
            .scale = grid.scale};
    for (std::size_t r = rows.begin; r < rows.end; ++r) {
        const std::size_t window = class_of(params, r);
        row.at = r * columns;
        row.weight_sums = params.weight_sums + window * params.channels;
        row.total = kShifts ? sum_at(row, params.channels) : 0;
        run_row<kShifts, kScales>(row, dst + r * params.channels, params.channels);
    }
}

void dequantize_sums_impl(const DequantizeSumsParams& params,
                          const DequantizeSumsGrid& grid,
                          std::span<const float* const> src,
                          float* dst,
                          Range rows) {
    const bool shifts = params.weight_shifts != nullptr;
    if (params.scale_a_channel) {
        shifts ? run_rows<true, true>(params, grid, src, dst, rows)
               : run_rows<false, true>(params, grid, src, dst, rows);
    } else {
        shifts ? run_rows<true, false>(params, grid, src, dst, rows)
               : run_rows<false, false>(params, grid, src, dst, rows);
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(dequantize_sums_impl);

void dequantize_sums(const DequantizeSumsParams& params,
                     const DequantizeSumsGrid& grid,
                     std::span<const float* const> src,
                     float* dst,
                     Range rows) {
    HWY_DYNAMIC_DISPATCH(dequantize_sums_impl)(params, grid, src, dst, rows);
}

}  // namespace fuseq::kernels
#endif  // HWY_ONCE
