// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Tiles for results of 8 bits after nothing but scale and bias, or these, a clip and a factor (a
// relu6 whose result is quantized by channel), as in the wide layers of blocks whose depth is
// small, or with a residual input after a quantization (Join): there the way from accumulators to
// bytes costs as much as the products.
//
// A panel has up to 64 channels, in the order in which two packs within lanes of 128 bits leave
// them in the order of memory: a pixel leaves as one cache line, without a shuffle. Where
// float_sum.hpp knows the shorter way to a byte, accumulators are not converted either.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "cpu/kernels/common/aligned_vector.hpp"
#include "cpu/kernels/gemm/gemm_vnni.hpp"

namespace fuseq::kernels::gemm {

inline constexpr std::size_t kMaxWideVectors = 4;

// Constants of 16 channels, by lane.
struct alignas(64) WideVector {
    std::int32_t init[16];
    float scale[16];
    float shift[16];   // a bias that is added first, in the long way
    float of_sum[16];  // minus the zero points of the weights
    // Of the ways with a clip or a factor.
    float low[16];
    float high[16];
    float factor[16];
    // Of the ways with an elu, whose `scale` and `shift` give the exponent of 2.
    float above_scale[16];
    float above_shift[16];
    float below_scale[16];  // with a leaky relu its slope below zero
    float below_shift[16];
};

enum class WideWay : std::uint8_t {
    kShort,    // FloatSum
    kLong,     // (float(acc) + bias) * scale
    kFactor,   // the same * factor; bytes are clipped instead of values
    kClipped,  // min(max((float(acc) + bias) * scale, low), high) * factor
    // The same three of fma(sum of the window, of_sum, float(acc)) instead of float(acc).
    kSummed,
    kSummedFactor,
    kSummedClipped,
    // The larger of fma(float(acc), above_scale, above_shift) and fma(2^e, below_scale,
    // below_shift), e = min(fma(float(acc), scale, shift), 0).
    kElu,
    kEluLimited,  // values may leave the range of 32-bit integers
    // fma(max(x, x * below_scale), factor, above_shift), x = (float(acc) + bias) * scale.
    kLeaky,
    kLeakyLimited
};

struct WidePanel {
    WideVector vectors[kMaxWideVectors];
    WideWay ways[kMaxWideVectors] = {};
    bool limited = false;                      // not all limits are 255
    alignas(64) std::uint8_t limits[64] = {};  // of bytes in the order of the stores
};

struct RequantizingAdd;

// `pixels` consecutive pixels of a panel.
struct WideCall {
    const std::uint8_t* src;  // first pixel, first tap
    std::ptrdiff_t src_step;  // bytes from one pixel to the next
    std::size_t pixels;
    const std::int8_t* wei;                // [tap][depth / 4][16 * vectors][4]
    std::size_t depth4;                    // bytes of a tap, by fours
    std::span<const std::ptrdiff_t> taps;  // where each begins, from src
    const WidePanel* panel;
    std::uint8_t* dst;  // first channel of the first pixel
    std::ptrdiff_t dst_step;
    std::size_t channels;  // that exist
    bool is_signed;        // dst
    // Fetched into L2: a cache line for each four bytes of depth, the next one so many bytes on.
    const std::int8_t* ahead;
    std::size_t ahead_step;
    // What is done to the bytes, with those of a tensor of the size of dst.
    const RequantizingAdd* add = nullptr;
    bool q_signed = false;                   // the bytes that go into it
    const float* sums = nullptr;             // of the windows of the pixels, for ways that add them
    const std::uint8_t* residual = nullptr;  // first channel of the first pixel
    std::size_t skip = 0;                    // bytes of weights between two taps
};
using WideFunction = void (*)(const WideCall& call);
// add: null for none.
WideFunction wide_function(std::size_t vectors, const RequantizingAdd* add);
WideFunction wide_elu_function(std::size_t vectors);  // of leaky relus too

// What a kernel can do beside scale, bias, clip and factor.
enum class WideEpilogue : std::uint8_t {
    kNone,
    kAdd,     // a requantizing add
    kAddElu,  // one with an elu after it
    kElu      // an elu or a leaky relu
};
// Instantiated in files that CMake generates: see the list in src/cpu/kernels/CMakeLists.txt.
template <std::size_t Vectors, WideEpilogue How>
void run_wide(const WideCall& call);

// Where channel `channel` of a panel is: vector * 16 + lane.
std::size_t wide_place(std::size_t channel, std::size_t vectors);
// Tiles that so many pixels are worked on in.
std::size_t wide_tiles(std::size_t pixels, std::size_t vectors);

// fma(elu(x), factor, shift), where the elu is no steeper below zero than above. Of it 8 bits
// remain: not quite the last bit of an exact one.
struct WideElu {
    float alpha = 1.0f;
    float factor = 1.0f;
    float shift = 0.0f;
};

// fma(max(x, x * slope), factor, shift), the slope of 0 to 1.
struct WideLeaky {
    float slope = 1.0f;
    float factor = 1.0f;
    float shift = 0.0f;
};

// Source, or cache lines of dst that panels share, that one panel after the other works on.
std::size_t wide_part_bytes();

// Of one channel: its sums begin at `init` and stay in [least, most].
struct WideChannel {
    std::int32_t init = 0;
    float scale = 1.0f;
    float bias = 0.0f;
    bool summed = false;
    float of_sum = 0.0f;
    std::int64_t min = 0;
    std::int64_t max = 0;
    bool clips = false;
    float low = 0.0f;
    float high = 0.0f;
    float factor = 1.0f;
    std::optional<WideElu> elu{};
    std::optional<WideLeaky> leaky{};
};
// limited: values may leave the range of 32-bit integers. channels: in their order, up to 16 *
// vectors.
WidePanel make_wide_panel(std::span<const WideChannel> channels,
                          std::size_t vectors,
                          bool is_signed,
                          bool limited);

}  // namespace fuseq::kernels::gemm
