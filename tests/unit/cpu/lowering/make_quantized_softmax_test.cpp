// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedSoftmax on the CPU device: the integers of the reference kernel, and which step computes
// them.
#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

std::string step_of(const std::string& type,
                    const std::string& shape,
                    const std::string& attributes) {
    const std::string grid =
        type == "u8" ? "output_scale=0.00390625" : "output_scale=0.00390625 output_zero_point=-128";
    return check_on_devices("model \"m\"\n%x = Parameter : " + type + shape +
                                "\n%y = QuantizedSoftmax(%x) input_scales=[0.05] output_type=" +
                                type + " " + grid + " " + attributes + "\n%r = Result(%y)",
                            1)
        .step_of("y");
}

TEST(MakeQuantizedSoftmax, ByEveryRule) {
    for (const char* method : {"NATIVE", "ONNX", "TFLITE"}) {
        for (const char* type : {"u8", "i8"}) {
            for (const char* rest : {"", "beta=0.7", "axis=1"}) {
                EXPECT_EQ(step_of(type, "[7,33]", std::string(rest) + " method=" + method),
                          "softmax fuseq:quantized_softmax")
                    << method << " " << type << " " << rest;
            }
        }
    }
    EXPECT_EQ(step_of("u8", "[2,3,4,1001]", "method=TFLITE"), "softmax fuseq:quantized_softmax");
    EXPECT_EQ(step_of("i8", "[2,5]", "method=TFLITE logarithm=true"),
              "softmax fuseq:quantized_softmax");
}

TEST(MakeQuantizedSoftmax, Of16Bits) {
    const auto step = [](const std::string& shape, const std::string& attributes) {
        return check_on_devices("model \"m\"\n%x = Parameter : i16" + shape +
                                    "\n%y = QuantizedSoftmax(%x) output_scale=0.000030517578125 "
                                    "output_type=i16 " +
                                    attributes + "\n%r = Result(%y)",
                                2)
            .step_of("y");
    };
    for (const char* method : {"NATIVE", "ONNX", "TFLITE", "TFLITE_SINGLE_ROUNDING"}) {
        for (const char* scale : {"0.0003", "0.000007"}) {
            EXPECT_EQ(step("[7,33]",
                           "input_scales=[" + std::string(scale) + "] beta=0.7 method=" + method),
                      "softmax fuseq:quantized_softmax")
                << method << " " << scale;
        }
    }
    EXPECT_EQ(step("[2,3,4,1001]", "input_scales=[0.001] method=TFLITE"),
              "softmax fuseq:quantized_softmax");
}

TEST(MakeQuantizedSoftmax, LeavesAxesWithStepsToTheReference) {
    EXPECT_EQ(step_of("u8", "[2,5,3]", "axis=1 method=TFLITE"), "QuantizedSoftmax reference");
}

}  // namespace
}  // namespace fuseq::test
