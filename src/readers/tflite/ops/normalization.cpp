// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Normalization along channels.
#include "readers/tflite/operator_table.hpp"
#include "readers/tflite/ops/grids.hpp"

namespace fuseq::tflite_reader::normalization_operators {
namespace {

// x / max(|x|, 1e-6) over the last dimension.
Values l2_normalization(Operator& op) {
    constexpr double kSmallest = 1e-6;
    const auto function = op.options<::tflite::L2NormOptions>().fused_activation_function();
    op.require(function == ::tflite::ActivationFunctionType::NONE,
               "a fused activation is not supported");
    const Aligned x = op.either(0);
    const std::int64_t axis = x.images ? 1 : static_cast<std::int64_t>(op.rank(x.values[0])) - 1;
    const auto operation = [&](const std::vector<Output>& values) {
        const Output length =
            op.add("ReduceL2", {values[0], op.int_list({axis})}, {{"keep_dims", true}});
        const Output bounded = op.add("Maximum", {length, op.scalar(kSmallest, values[0])});
        return op.add("Divide", {values[0], bounded});
    };
    if (!is_quantized(op)) {
        return x.result(operation(x.values));
    }
    if (op.tensor(0).type != ElementType::u8) {
        return through_reals(op, x, operation);  // whose results TFLite's kernel of i8 has
    }
    ModelAttributes attributes = grids(op, {0});
    attributes.push_back({"axis", axis});
    return x.result(op.add("QuantizedL2Normalization", x.values, attributes));
}

// x * (bias + alpha * sum of 2 * radius + 1 squares)^-beta; the Model divides alpha by the size.
Values local_response(Operator& op) {
    const auto& options = op.options<::tflite::LocalResponseNormalizationOptions>();
    constexpr std::int32_t kLargest = 1 << 20;
    op.require(options.radius() >= 0 && options.radius() <= kLargest, "radius is ",
               options.radius());
    const std::int64_t size = 2 * static_cast<std::int64_t>(options.radius()) + 1;
    const Output x = op.image(0);
    return image(op.add("LRN", {x, op.int_list({1})},
                        {{"alpha", options.alpha() * static_cast<float>(size)},
                         {"beta", options.beta()},
                         {"bias", options.bias()},
                         {"size", size}}));
}

const OperatorRow kRows[] = {
    {.type = "L2_NORMALIZATION",
     .newest = 2,
     .translate = l2_normalization,
     .note = "8 bits with sign: in f32; fused activation refused"},
    {.type = "LOCAL_RESPONSE_NORMALIZATION", .newest = 1, .translate = local_response},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::tflite_reader::normalization_operators
