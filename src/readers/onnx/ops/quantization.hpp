// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizeLinear and DequantizeLinear in the Model's arithmetic.
#pragma once

#include "readers/onnx/operator.hpp"

namespace fuseq::onnx_reader {

// The integers of a type.
struct IntegerRange {
    std::int64_t lowest = 0;
    std::int64_t highest = 0;
    std::int64_t levels() const { return highest - lowest + 1; }
};
// Of u8, i8, u16, i16, u4, i4, i32; throws Error for other types.
IntegerRange integer_range(const Operator& op, ElementType type);

// Scale and zero point of a tensor, one value or one an index of an axis.
struct Scales {
    Output scale;
    Output zero_point;                // null where it is 0
    ElementType type;                 // of the integers
    std::optional<std::size_t> axis;  // none: one value
    std::int64_t block = 0;           // elements of the axis that share a value; 0: not in blocks
};
// Reads and checks inputs `scale` and `scale` + 1 of a node whose data is `x`: lengths against x,
// and where they are constant, scales positive and finite. `fallback`: type of the integers where
// there is no zero point.
Scales read_scales(Operator& op, const Output& x, std::size_t scale, ElementType fallback);

// A scale or zero point in the shape that broadcasts to x of that rank.
Output spread(Operator& op, const Scales& scales, const Output& value, const Output& x);

// saturate(round_half_even(x / scale) + zero_point)
Output quantize(Operator& op, const Output& x, const Scales& scales);
// Clamps whole numbers to the range of the type and converts them.
Output saturate(Operator& op, const Output& value, ElementType type);
// (q - zero_point) * scale. A constant q is spelled Const -> Convert -> Subtract -> Multiply, as
// the low-precision passes take it.
Output dequantize(Operator& op, const Output& q, const Scales& scales);

// DynamicQuantizeLinear: u8 with a scale and a zero point found at run time,
// scale = (max(x, 0) - min(x, 0)) / 255, zero point = saturate(round(-min(x, 0) / scale)).
struct DynamicallyQuantized {
    Output values;
    Output scale;
    Output zero_point;
};
DynamicallyQuantized dynamic_quantize(Operator& op, const Output& x);

}  // namespace fuseq::onnx_reader
