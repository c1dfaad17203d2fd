// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// 16-bit fixed point: values saturate, products keep their high half.
#include "readers/tflite/ops/hard_swish_table.hpp"

#include <algorithm>
#include <limits>

#include "ops/quantized/rules/fixed_point.hpp"

namespace fuseq::tflite_reader {
namespace {

constexpr int kFractionBits = 15;
constexpr std::int32_t kOne = 1 << kFractionBits;
constexpr std::int32_t kLowest = std::numeric_limits<std::int16_t>::min();
constexpr std::int32_t kHighest = std::numeric_limits<std::int16_t>::max();

std::int32_t saturate(std::int64_t value) {
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(value, kLowest, kHighest));
}

std::int32_t shift_left_16(std::int32_t value, int amount) {
    return saturate(static_cast<std::int64_t>(value) << std::min(amount, 30));
}

// a * b * 2 / 2^16, half away from zero.
std::int32_t high_product(std::int32_t a, std::int32_t b) {
    if (a == kLowest && b == kLowest) {
        return kHighest;
    }
    const std::int32_t product = a * b;
    const std::int32_t nudge = product >= 0 ? kOne / 2 : 1 - kOne / 2;
    return (product + nudge) / kOne;
}

std::int32_t divide_by_power(std::int32_t value, int exponent) {
    return exponent > 15 ? 0 : rules::rounding_divide_by_pot(value, exponent);
}

}  // namespace

HardSwishTable::Multiplier HardSwishTable::multiplier(double real) {
    const rules::QuantizedMultiplier wide = rules::quantize_multiplier(real);
    constexpr std::int32_t kHalf = 1 << 15;
    const bool full = wide.mantissa >= std::numeric_limits<std::int32_t>::max() - kHalf;
    return {static_cast<std::int16_t>(full ? kHighest : (wide.mantissa + kHalf) >> 16),
            wide.exponent};
}

HardSwishTable::HardSwishTable(const TensorInfo& input, const TensorInfo& output)
    : input_zero_(input.quantization.zero_point()),
      output_zero_(output.quantization.zero_point()),
      lowest_(output.type == ElementType::i8 ? -128 : 0),
      highest_(output.type == ElementType::i8 ? 127 : 255) {
    constexpr float kFiner = 1.0F / 128.0F;
    constexpr float kReluish = 3.0F / 32768.0F;
    const float scale = kFiner * input.quantization.scale();
    output_ = multiplier(scale / output.quantization.scale());
    reluish_ = multiplier(scale / kReluish);
}

std::int64_t HardSwishTable::operator()(std::int64_t x) const {
    const auto finer = static_cast<std::int32_t>((x - input_zero_) * 128);
    const std::int32_t scaled = high_product(finer, output_.mantissa);
    // x / 3 in [-1, 1]. The last bit of a left shift comes after the product, where alone it may
    // saturate.
    std::int32_t reluish = finer;
    if (reluish_.exponent > 0) {
        reluish = shift_left_16(reluish, reluish_.exponent - 1);
    }
    reluish = high_product(reluish, reluish_.mantissa);
    if (reluish_.exponent > 0) {
        reluish = shift_left_16(reluish, 1);
    } else {
        reluish = divide_by_power(reluish, -reluish_.exponent);
    }
    // To [0, 1]; the product is cut towards zero.
    const std::int32_t share = (reluish + kOne) >> 1;
    const std::int32_t product = share * scaled / kOne;
    const std::int32_t value = divide_by_power(product, std::max(-output_.exponent, 0));
    return std::clamp<std::int64_t>(value + output_zero_, lowest_, highest_);
}

}  // namespace fuseq::tflite_reader
