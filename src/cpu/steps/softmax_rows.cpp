// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/softmax_rows.hpp"

#include <algorithm>
#include <cstddef>

namespace fuseq::cpu {

std::size_t SoftmaxRows::mask_offset(std::size_t row) const {
    std::size_t offset = 0;
    for (std::size_t d = dims.size(); d-- > 0; row /= dims[d]) {
        offset += row % dims[d] * mask_strides[d];
    }
    return offset;
}

void SoftmaxRows::run(
    const float* src, const float* masks, void* to, std::size_t first, std::size_t number) const {
    if (mask == kNoTensor) {
        kernels::softmax(params, src, to, {0, number});
        return;
    }
    const std::size_t length = params.length;
    alignas(64) float sums[kMaxMasked];
    const std::size_t at_once = kMaxMasked / length;
    auto* dst_bytes = static_cast<std::byte*>(to);
    for (std::size_t row = 0; row < number; row += at_once) {
        const std::size_t rows = std::min(at_once, number - row);
        for (std::size_t r = 0; r < rows; ++r) {
            const float* x = src + (row + r) * length;
            const float* m = masks + mask_offset(first + row + r);
            float* sum = sums + r * length;
            for (std::size_t i = 0; i < length; ++i) {
                sum[i] = x[i] + m[i];
            }
        }
        kernels::softmax(params, sums, dst_bytes + row * length * size_of(params.dst_type),
                         {0, rows});
    }
}

}  // namespace fuseq::cpu
