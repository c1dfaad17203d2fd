// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Whose roundings an operation on quantized tensors has (docs/prequantized.md). Which rule a method
// means for an operation: rules/methods.hpp.
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

enum class QuantizeMethod {
    kNative,  // as FakeQuantize: in f32, the zero point added, half to even
    kOnnx,    // ONNX Runtime, each node as written
    kOnnxFused,
    kTflite,  // 2.9, built-in kernels
    kTfliteReference,
    kTfliteXnnpack,
    kTfliteSingleRounding,
    kTfliteLegacy,
    kCaffe2,
};
template <>
struct EnumNames<QuantizeMethod> {
    static constexpr const char* kNames[] = {"NATIVE",
                                             "ONNX",
                                             "ONNX_FUSED",
                                             "TFLITE",
                                             "TFLITE_REFERENCE",
                                             "TFLITE_XNNPACK",
                                             "TFLITE_SINGLE_ROUNDING",
                                             "TFLITE_LEGACY",
                                             "CAFFE2"};
};

}  // namespace fuseq
