// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What the files of the product of 16 by 8 bits share. Private to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cpu/kernels/common/aligned_vector.hpp"
#include "cpu/kernels/gemm/u16_product.hpp"

namespace fuseq::kernels::u16 {

inline constexpr std::size_t kGroup = 16;      // channels that share vectors
inline constexpr std::size_t kPairGroups = 2;  // groups of a call, at most
inline constexpr std::int32_t kMiddle = 32768;

// Where the kernel stores results, not sums as floats; only with AVX-512 VNNI.
struct Results {
    const U16Finish* finish = nullptr;  // null: sums
    void* dst = nullptr;                // channel 0 of the first pixel: u16, or float
    std::size_t channel = 0;            // the first
};

// Some pixels by one or two groups of 16 channels, on q - 32768.
struct PairCall {
    const std::int16_t* src = nullptr;
    std::ptrdiff_t src_step = 0;  // values from one pixel to the next
    std::size_t pixels = 0;
    std::span<const std::ptrdiff_t> taps{};  // where each begins, from src
    std::size_t pairs = 0;                   // of values of a tap
    const std::int16_t* wei = nullptr;       // [tap][pair][16][2] of each group
    std::size_t wei_step = 0;                // values from one group to the next
    std::size_t groups = 1;
    const std::int32_t* init = nullptr;  // one a channel
    float* sums = nullptr;
    std::size_t pitch = 0;  // floats from one pixel to the next
    Results results{};
};

// The same of 16 channels of a depthwise convolution.
struct DepthwiseCall {
    const std::int16_t* src = nullptr;
    std::ptrdiff_t src_step = 0;  // from one pixel of dst to the next
    std::size_t pixels = 0;
    std::span<const std::ptrdiff_t> taps{};  // an even number; the last one may be there twice
    const std::int16_t* wei = nullptr;       // [pair of taps][16][2]
    const std::int32_t* init = nullptr;
    float* sums = nullptr;
    std::size_t pitch = 0;
    Results results{};
};

// Rows of a depthwise convolution of 3x3, 32 channels at a time, on q.
struct ColumnsCall {
    // Pixel 0 and channel 0 of the rows of the image that the first row of dst reads, and those
    // after it. One that lies outside of the image is a row of zero points.
    const std::uint16_t* const* rows = nullptr;
    std::size_t row_step = 1;  // from one row of dst to the next
    std::size_t dst_rows = 1;
    std::ptrdiff_t first = 0;  // column of the first window; -1: outside of the image
    std::size_t width = 0;     // of the image; a window reaches at most one column over it
    std::size_t stride = 1;    // columns
    std::size_t channels = 0;  // of a pixel
    std::size_t channel = 0;   // the first
    std::size_t pixels = 0;    // of a row of dst; of several rows all
    const std::int16_t* padding = nullptr;  // a pixel of zero points less 32768
    const std::int16_t* wei = nullptr;      // [pair of taps][16][2]
    std::size_t wei_step = 0;               // values from 16 channels to the next
    const std::int32_t* init = nullptr;
    float* sums = nullptr;
    std::size_t pitch = 0;
    Results results{};
};

void sum_pairs(const PairCall& call);
// Requires AVX-512 VNNI.
void sum_pairs_vnni512(const PairCall& call);
void sum_depthwise(const DepthwiseCall& call);
// Requires AVX-512 VNNI. Weights: of each column, those of rows 0 and 1, then row 2 and zeros.
void sum_columns_vnni512(const ColumnsCall& call);

// Low and high bytes of values; values less 32768.
void split_bytes(const std::uint16_t* from,
                 std::size_t count,
                 std::uint8_t* low,
                 std::uint8_t* high);
void move_to_middle(const std::uint16_t* from, std::size_t count, std::int16_t* to);
// `tile`: sums of low bytes, [pixels][16 * groups], then as many of high ones. To rows of `pitch`
// floats: low + 256 * high + init.
void join_sums(const std::int32_t* tile,
               std::size_t pixels,
               std::size_t groups,
               const std::int32_t* init,
               float* to,
               std::size_t pitch);
// The same to results. Requires AVX-512 VNNI.
void join_results_vnni512(const std::int32_t* tile,
                          std::size_t pixels,
                          std::size_t groups,
                          const std::int32_t* init,
                          const Results& results);

// Where the source is read from: windows of pixels that lie one after the other, or rows with
// padding.
enum class Source : std::uint8_t { kWindows, kRows };

struct Packed {
    ConvGeometry shape;
    bool depthwise = false;
    U16Form form = U16Form::kPairs;
    Source source = Source::kWindows;
    std::vector<std::int32_t> zero_point;  // one, or one a channel
    std::vector<std::int16_t> padding;     // a pixel of zero points less 32768
    std::size_t chunk = 1;                 // pixels that are summed before they are finished
    std::size_t step = 0;                  // values of a window in scratch (kWindows)
    std::size_t row = 0;                   // values of a row in scratch (kRows)
    std::size_t block = 1;                 // rows of dst computed together (kRows)
    std::size_t depth = 0;                 // values of a tap, with those that meet no weight
    std::vector<std::ptrdiff_t> taps;      // from the first one, in values
    std::size_t values = 0;                // of the source in scratch, with what is read after it
    std::size_t pitch = 0;
    AlignedVector<std::int8_t> bytes;   // kAmx: [panel][tap][depth / 4][16 * vectors][4]
    AlignedVector<std::int16_t> pairs;  // others
    AlignedVector<std::int32_t> init;   // what is added to sums, one a channel
    std::string implementation;

    // Of 16 channels; an even number where they are taken by twos.
    std::size_t groups() const {
        const std::size_t count = (shape.dst_channels + kGroup - 1) / kGroup;
        return by_columns() ? (count + 1) / 2 * 2 : count;
    }
    // Whether depthwise columns of three rows are shared by the windows that meet them. The image is
    // read where it is then; scratch has a row of zero points.
    bool by_columns() const {
        const ConvGeometry& s = shape;
        const auto last = static_cast<std::ptrdiff_t>((s.dst_width - 1) * s.stride_width) -
                          s.pad_left + 2;  // column that is read
        return depthwise && form != U16Form::kPairs && s.kernel_height == 3 &&
               s.kernel_width == 3 && s.dilation_height == 1 && s.dilation_width == 1 &&
               s.pad_left <= 1 && last <= static_cast<std::ptrdiff_t>(s.src_width);
    }
    bool is_amx() const { return form == U16Form::kAmx && !depthwise; }
    std::size_t rows_read(std::size_t count) const {
        return (count - 1) * shape.stride_height +
               (shape.kernel_height - 1) * shape.dilation_height + 1;
    }
};

}  // namespace fuseq::kernels::u16
