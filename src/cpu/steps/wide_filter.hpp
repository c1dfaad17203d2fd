// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions, deconvolutions and matrix products of integers whose sums neither fit an f32 nor
// 32 bits, in channels-last order: src of 8 or 16 bits, exact sums of 64 bits, the rule of a method
// or real values.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cpu/kernels/gemm/wide_product.hpp"
#include "cpu/kernels/gemm/wide_rounding.hpp"
#include "fuseq/tensor.hpp"
#include "ops/quantized/quantized_run.hpp"

namespace fuseq::cpu {

// Where one place of the kernel meets src, along one dimension.
struct WideTouch {
    std::size_t kernel = 0;
    std::size_t src = 0;
};

// Columns of dst that meet the same places of the kernel: first, first + step, ... . From one to
// the next the columns of src move by src_step.
struct WideColumns {
    std::size_t first = 0, step = 1, count = 0;
    std::size_t src_step = 0;
    std::vector<WideTouch> touches;  // of the first one
};

struct WideFilterParams {
    std::size_t batch = 1, groups = 1;
    std::size_t src_height = 1, src_width = 1, src_channels = 1;  // channels of all groups
    std::size_t dst_width = 1, dst_channels = 1;
    std::size_t kernel_width = 1;
    std::vector<std::vector<WideTouch>> lines;  // of each line of dst
    std::vector<WideColumns> columns;           // all of a line
    ElementType src_type = ElementType::i16;    // 8 or 16 bits
    // Subtracted from src so that it fits 16 bits, and the remainder of its zero point.
    std::int32_t src_shift = 0;
    std::int64_t rest_of_zero_point = 0;
    ElementType dst_type = ElementType::i16;  // 8 or 16 bits, i32 or f32
    IntegerLimits limits;
    std::vector<std::int64_t> bias;                   // none, or one a channel
    std::optional<Requantizer> requantize;            // none: the sums
    std::optional<kernels::WideRounding> rounding{};  // instead, in vectors; of 16 bits
    std::vector<float> scales;                        // of f32: one a channel
    std::vector<kernels::WideWeights> weights{};      // of each group
};

// Immutable; any number of threads may use it at once.
class WideFilter {
public:
    explicit WideFilter(WideFilterParams params) : p_(std::move(params)) {}

    // src and dst are [batch, height, width, channels].
    void run(const void* src, void* dst) const;

private:
    struct Buffers;
    void lines(const void* src, void* dst, std::size_t begin, std::size_t end) const;
    // Lines [begin, end) of one image.
    void image_lines(const void* src,
                     void* dst,
                     std::size_t image,
                     std::size_t begin,
                     std::size_t end,
                     Buffers& buffers) const;
    void copy_rows(const void* src,
                   std::size_t image,
                   std::size_t begin,
                   std::size_t end,
                   Buffers& buffers) const;
    void line(std::size_t y, std::size_t first_row, Buffers& buffers, void* dst_line) const;
    // What the rest of the zero point adds to sums of these taps.
    void find_offsets(std::size_t group, Buffers& buffers) const;
    void finish(const std::int64_t* sums,
                const std::int64_t* offsets,
                std::size_t group,
                void* dst_pixel) const;

    WideFilterParams p_;
};

}  // namespace fuseq::cpu
