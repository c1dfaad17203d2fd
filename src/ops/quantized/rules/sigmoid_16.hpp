// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Logistic and tanh of TFLite's kernels of 16 bits, in steps of 2^-15. The source is brought to
// steps of 1 / 12288 = 1 / (3 * 2^12) and looked up in a table of sigmoids in steps of 1 / 24, with
// a straight line between two of them: 9 bits of the source for the logistic, 8 for
// tanh(x) = 2 * sigmoid(2 x) - 1. A source scale of 2^-12 (tanh: or 2^-11) is the fixed point of
// fixed_point_16.hpp, but not in the reference kernels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace fuseq::rules {

// 2^16 / (1 + e^-x) for x = i / 24, each moved by half of what the line to the next one misses in
// the middle.
using SigmoidTable = std::array<std::uint16_t, 256>;
const SigmoidTable& sigmoid_table();

class Sigmoid16 {
public:
    struct Form {
        bool tanh = false;
        bool fixed_point = false;  // where the scale is a power of two
    };
    Sigmoid16(float input_scale, Form form);

    // Of i16.
    std::int32_t operator()(std::int32_t q) const {
        return left_shift_ ? by_fixed_point(q) : by_table(q);
    }

    bool is_tanh() const { return form_.tanh; }
    // By which integers of fixed point are shifted to have 12 fractional bits; none: the table.
    std::optional<int> left_shift() const { return left_shift_; }
    // To steps of 1 / 12288: a product, then a shift that rounds half up.
    std::int32_t multiplier() const { return multiplier_; }
    int right_shift() const { return right_shift_; }

private:
    std::int32_t by_fixed_point(std::int32_t q) const;
    std::int32_t by_table(std::int32_t q) const;

    Form form_;
    std::optional<int> left_shift_;
    std::int32_t multiplier_ = 0;
    int right_shift_ = 0;
    const SigmoidTable& table_;
};

}  // namespace fuseq::rules
