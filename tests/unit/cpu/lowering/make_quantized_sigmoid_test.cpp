// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedTable of 16 bits on the CPU device: the integers of the reference kernel, and which step
// computes them.
#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

std::string step_of(const std::string& shape, const std::string& attributes) {
    return check_on_devices("model \"m\"\n%x = Parameter : i16" + shape +
                                "\n%y = QuantizedTable(%x) output_scale=0.000030517578125 "
                                "output_type=i16 " +
                                attributes + "\n%r = Result(%y)",
                            1)
        .step_of("y");
}

TEST(MakeQuantizedSigmoid, GivesTheIntegersOfTheReference) {
    for (const char* method : {"TFLITE", "TFLITE_REFERENCE", "TFLITE_XNNPACK"}) {
        for (const char* function : {"sigmoid", "tanh"}) {
            for (const char* scale : {"0.0007", "0.31", "0.000244140625", "0.00048828125"}) {
                for (const char* shape : {"[3,40,77]", "[1]", "[2,3,5,7]"}) {
                    EXPECT_EQ(step_of(shape, "input_scales=[" + std::string(scale) +
                                                 "] function=" + function + " method=" + method),
                              "eltwise fuseq:quantized_sigmoid")
                        << method << " " << function << " " << scale << " " << shape;
                }
            }
        }
    }
    EXPECT_EQ(step_of("[4,300]",
                      "input_scales=[0.0001] function=tanh method=TFLITE "
                      "clamp_min=-3000 clamp_max=20000"),
              "eltwise fuseq:quantized_sigmoid");
}

TEST(MakeQuantizedSigmoid, LeavesOtherRulesToTables) {
    EXPECT_EQ(step_of("[4,30]", "input_scales=[0.0001] function=tanh method=ONNX"),
              "eltwise fuseq:word_table");
}

}  // namespace
}  // namespace fuseq::test
