// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Between grids, real values and types.
#include <cmath>

#include "readers/tflite/operator_table.hpp"
#include "readers/tflite/ops/grids.hpp"

namespace fuseq::tflite_reader::quantize_operators {
namespace {

Values quantize_values(Operator& op) {
    const Aligned x = op.either(0);
    const TensorInfo& source = op.tensor(0);
    op.require(op.output_tensor().quantized(), "the output, ", op.output_tensor().title(),
               ", has no scale");
    if (source.quantized()) {
        return x.result(op.add("Requantize", x.values, grids(op, {0})));
    }
    op.require(is_real(source.type), "the input, ", source.title(), ", is ", to_string(source.type),
               " without a scale");
    return x.result(quantize(op, op.convert(x.values[0], ElementType::f32)));
}

// Constants of f16, i8 or i4 stay as they are in the file: weights that are kept compressed.
Values dequantize_values(Operator& op) {
    const Aligned x = op.either(0);
    const TensorInfo& source = op.tensor(0);
    op.require(source.quantized() || is_real(source.type), "the input, ", source.title(), ", is ",
               to_string(source.type), " without a scale");
    const bool integer_operation =
        source.quantized() && !source.constant() && !source.quantization.per_channel();
    return x.result(integer_operation ? dequantize(op, 0, x.values[0]) : op.real(0, x.values[0]));
}

// The range is moved so that 0 is one of its steps, as TensorFlow does.
Values fake_quantize(Operator& op) {
    const auto& options = op.options<::tflite::FakeQuantOptions>();
    const int bits = options.num_bits();
    op.require(bits >= 2 && bits <= 16, "num_bits is ", bits, ", expected 2 to 16");
    op.require(std::isfinite(options.min()) && std::isfinite(options.max()) &&
                   options.min() < options.max(),
               "the range is ", options.min(), " to ", options.max());
    const double lowest = options.narrow_range() ? 1 : 0;
    const double highest = std::ldexp(1.0, bits) - 1;
    const double scale = (static_cast<double>(options.max()) - options.min()) / (highest - lowest);
    const double zero = std::clamp(std::round(lowest - options.min() / scale), lowest, highest);
    const Aligned x = op.either(0);
    const Output low = op.scalar((lowest - zero) * scale, x.values[0]);
    const Output high = op.scalar((highest - zero) * scale, x.values[0]);
    return x.result(op.add("FakeQuantize", {x.values[0], low, high, low, high},
                           {{"levels", static_cast<std::int64_t>(highest - lowest) + 1}}));
}

Values cast(Operator& op) {
    const Aligned x = op.either(0);
    const ElementType type = op.output_tensor().type;
    op.require(type != ElementType::undefined, "the output is ", op.output_tensor().type_name,
               ", which is not supported");
    return x.result(op.convert(x.values[0], type));
}

// Sparse constants are dense when they have been read.
Values densify(Operator& op) {
    op.require(op.tensor(0).constant(), "the input, ", op.tensor(0).title(), ", is no constant");
    const Aligned x = op.either(0);
    return x.result(x.values[0]);
}

const OperatorRow kRows[] = {
    {.type = "CAST", .newest = 6, .translate = cast},
    {.type = "DEQUANTIZE", .newest = 6, .translate = dequantize_values},
    {.type = "DENSIFY", .newest = 1, .translate = densify},
    {.type = "FAKE_QUANT", .newest = 2, .translate = fake_quantize},
    {.type = "QUANTIZE", .newest = 3, .translate = quantize_values},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::tflite_reader::quantize_operators
