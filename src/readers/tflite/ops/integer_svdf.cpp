// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/tflite/ops/integer_svdf.hpp"

namespace fuseq::tflite_reader {
namespace {

enum Input : std::size_t { kX, kFeatures, kTime, kBias, kState };

float scale_of(const Operator& op, const TensorInfo& info, ElementType type) {
    op.require(info.type == type, info.title(), " is ", to_string(info.type), ", expected ",
               to_string(type), " as the input is i8");
    op.require(info.quantization.known() && !info.quantization.per_channel(), info.title(),
               " has no scale, or several");
    return info.quantization.scale();
}

float symmetric_scale(const Operator& op, std::size_t input, ElementType type) {
    const TensorInfo& info = op.tensor(input);
    const float scale = scale_of(op, info, type);
    op.require(info.quantization.zero_point() == 0, info.title(), " has zero point ",
               info.quantization.zero_point(), ", expected 0");
    return scale;
}

}  // namespace

Values integer_svdf(Operator& op) {
    const auto& options = op.options<::tflite::SVDFOptions>();
    // As TFLite's kernel, which leaves the activation to the saturation of the output.
    op.require(options.fused_activation_function() == ::tflite::ActivationFunctionType::RELU,
               "fused activation ", static_cast<int>(options.fused_activation_function()),
               " of integers is not supported, only RELU");
    const TensorInfo& x = op.tensor(kX);
    const TensorInfo& y = op.output_tensor();
    const float input_scale = scale_of(op, x, ElementType::i8);
    const float output_scale = scale_of(op, y, ElementType::i8);
    const float state_scale = symmetric_scale(op, kState, ElementType::i16);
    const float features = symmetric_scale(op, kFeatures, ElementType::i8);
    const float time = symmetric_scale(op, kTime, ElementType::i16);
    std::vector<Output> inputs{op.input(kX), op.input(kState), op.input(kFeatures),
                               op.input(kTime)};
    if (op.has_input(kBias)) {
        inputs.push_back(op.input(kBias));
    }
    fuseq::Node* node = op.node("QuantizedSvdf", std::move(inputs),
                                {{"rank", std::int64_t{options.rank()}},
                                 {"input_zero_point", x.quantization.zero_point()},
                                 {"output_zero_point", y.quantization.zero_point()},
                                 {"feature_scale", input_scale * features / state_scale},
                                 {"time_scale", state_scale * time / output_scale}});
    op.assign(kState, node->output(1));
    return plain(node->output(0));
}

}  // namespace fuseq::tflite_reader
