// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Wide panels: tiles of up to 64 channels whose epilogue is short and stores bytes: scale and bias,
// perhaps a clip and a factor (relu6 that is quantized per channel), an elu, also of a sum with a
// tensor of bytes, a leaky relu, or a requantizing add. In layers of little depth the epilogue costs as much as the products.
//
// The channels of a panel are ordered so that two packs within lanes of 128 bits bring them into
// memory order: a pixel is stored as one cache line, without a shuffle. Where float_sum.hpp finds
// the short conversion to a byte, accumulators are not converted to float either.
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
    float shift[16];   // kShort: after the scale; kLong: the bias, before it
    float of_sum[16];  // minus the zero points of the weights
    // For a clip or a factor.
    float low[16];
    float high[16];
    float factor[16];
    // For an elu: `scale` and `shift` give the exponent of 2.
    float above_scale[16];
    float above_shift[16];
    float below_scale[16];  // leaky relu: the slope below zero
    float below_shift[16];  // two floors: the shift below zero
    float of_tensor[16];    // an elu of a sum: the factor of an element of the tensor
    float rest[16];         // of the scale, for rules
};

enum class WideWay : std::uint8_t {
    kShort,    // FloatSum
    kLong,     // (float(acc) + bias) * scale
    kFactor,   // the same * factor; bytes are clipped instead of values
    kClipped,  // min(max((float(acc) + bias) * scale, low), high) * factor
    // The same three, with fma(sum of the window, of_sum, float(acc)) for float(acc).
    kSummed,
    kSummedFactor,
    kSummedClipped,
    // max(fma(float(acc), above_scale, above_shift), fma(2^e, below_scale, below_shift)),
    // e = min(fma(float(acc), scale, shift), 0).
    kElu,
    kEluLimited,  // values may leave the range of 32-bit integers
    // fma(max(x, x * below_scale), factor, above_shift), x = (float(acc) + bias) * scale.
    kLeaky,
    kLeakyLimited,
    // WideEpilogue::kSum: max(fma(y, above_scale, above_shift), fma(2^e, below_scale, below_shift)),
    // y = fma(element, of_tensor, fma(float(acc), scale, shift)), e = min(y, 0).
    kSumElu,
    // WideEpilogue::kSumSteps: y = fma(element, of_tensor, fma(float(acc), scale, shift)), then EluSteps.
    kSumSteps,
    // Of rule_form.hpp, with `rest`, `shift` and `below_shift`; then integers from `low` to `high`
    // (WidePanel::clips).
    kFloor,
    kTwoFloors,
    kReal,
    kRealZeroFirst
};

// An elu of which bytes remain, of a float y that is the result where it is above zero: below, it
// takes few values, and an addend for each unit of y moves the place where one ends and the next
// begins. The byte is round(b + add[floor(b * -kUnits)]), b = max(y, lowest); above zero it is
// round(b + add[kCount - 1]). Units are a little shorter than bytes, whose ends round() has.
struct EluSteps {
    static constexpr std::size_t kCount = 32;
    static constexpr float kUnits = 1.0009765625f;  // of 1
    float lowest = 0.0f;
    alignas(64) float add[kCount] = {};
};

struct WidePanel {
    WideVector vectors[kMaxWideVectors];
    EluSteps elu_steps;
    WideWay ways[kMaxWideVectors] = {};
    bool clips = false;                        // of rules: not all bytes may be stored
    bool limited = false;                      // not all limits are 255
    alignas(64) std::uint8_t limits[64] = {};  // maximum of each stored byte, in store order
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
    // Prefetched into L2: for each four bytes of depth one cache line, ahead_step after the last.
    const std::int8_t* ahead;
    std::size_t ahead_step;
    // The residual input and what is done with it; null: none.
    const RequantizingAdd* add = nullptr;
    bool q_signed = false;                   // the bytes before the addition
    const float* sums = nullptr;             // of the windows of the pixels, for ways that add them
    const std::uint8_t* residual = nullptr;  // first channel of the first pixel
    bool residual_signed = false;            // its bytes, for a sum
    std::size_t skip = 0;                    // bytes of weights between two taps
};
using WideFunction = void (*)(const WideCall& call);
// The epilogue alone: the sums of the pixels, [pixel][16 * vectors], are on a cache line.
using WideFinishFunction = void (*)(const WideCall& call, const std::int32_t* sums);

// What a kernel can do beside scale, bias, clip and factor.
enum class WideEpilogue : std::uint8_t {
    kNone,
    kAdd,       // a requantizing add
    kAddElu,    // one with an elu after it
    kAddLeaky,  // one with a leaky relu after it
    kMore,      // an elu, a leaky relu, or a rule
    kSum,       // an elu of a sum with a tensor
    kSumSteps   // the same by EluSteps
};
// Instantiated in files that CMake generates: see the list in src/cpu/kernels/CMakeLists.txt.
template <std::size_t Vectors, WideEpilogue How>
void run_wide(const WideCall& call);
template <std::size_t Vectors, WideEpilogue How>
void finish_wide(const WideCall& call, const std::int32_t* sums);

struct WideFunctions {
    WideFunction all = nullptr;
    WideFinishFunction finish = nullptr;
};
WideFunctions wide_functions(std::size_t vectors, WideEpilogue how);

// The place of a channel in a panel: vector * 16 + lane.
std::size_t wide_place(std::size_t channel, std::size_t vectors);
// The number of tiles of so many pixels.
std::size_t wide_tiles(std::size_t pixels, std::size_t vectors);

// fma(elu(x), factor, shift), where the elu is no steeper below zero than above. The result is
// rounded to 8 bits, so that the exponential is not exact to the last bit.
struct WideElu {
    float alpha = 1.0f;
    float factor = 1.0f;
    float shift = 0.0f;
    bool operator==(const WideElu&) const = default;
};

// Nothing where there are more units between zero and the lowest byte, or no floats for an addend.
std::optional<EluSteps> elu_steps(const WideElu& elu);

// fma(max(x, x * slope), factor, shift) with a slope in [0, 1].
struct WideLeaky {
    float slope = 1.0f;
    float factor = 1.0f;
    float shift = 0.0f;
};

// Bytes of source (or of dst, where panels share cache lines) for which all panels take turns.
std::size_t wide_part_bytes();

// Before an elu: fma(fma(element, of_tensor, x), scale, shift).
struct WideSum {
    float of_tensor = 1.0f;
    float scale = 1.0f;
    float shift = 0.0f;
};

struct WideRule {
    RuleForm form = RuleForm::kFloor;
    float rest = 0.0f;   // of the scale
    float below = 0.0f;  // of two floors
    std::int32_t offset = 0;
};

// A channel whose sums begin at `init` and stay in [min, max].
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
    std::optional<WideSum> sum{};
    std::optional<WideRule> rule{};  // all channels of a panel have one, or none
};
// limited: values may leave the range of 32-bit integers. channels: at most 16 * vectors.
WidePanel make_wide_panel(std::span<const WideChannel> channels,
                          std::size_t vectors,
                          bool is_signed,
                          bool limited);

}  // namespace fuseq::kernels::gemm
