// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Products that round their sums by a rule: the bytes of the reference device, and no step for
// the rounding.
#include "cpu/plan/passes/rounded_sums.hpp"

#include <gmock/gmock.h>

#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

using ::testing::HasSubstr;

struct Layer {
    const char* name;
    const char* src;
    const char* weights;
    const char* more;
};

std::string model_of(const Layer& layer, const std::string& method) {
    return std::string("model \"m\"\n%x = Parameter : i8") + layer.src +
           "\n%w = Const value=random(1,-127,127) : i8" + layer.weights +
           "\n%y = QuantizedConvolution(%x, %w) input_scales=[0.05] input_zero_points=[-7] "
           "weight_scales=[0.0021] output_scale=0.071 output_zero_point=-100 output_type=i8 "
           "method=" +
           method + " channels_last=true " + layer.more + "\n%r = Result(%y)";
}

constexpr Layer kLayers[] = {
    {"pointwise", "[1,30,30,16]", "[24,16,1,1]", "strides=[1,1]"},
    {"pointwise, deep", "[1,6,6,128]", "[128,128,1,1]", "strides=[1,1]"},
    {"windows", "[2,17,13,8]", "[40,8,3,3]", "strides=[2,2] pads_begin=[1,1] pads_end=[1,1]"},
    {"few channels", "[1,33,41,3]", "[8,3,3,3]", "strides=[2,2] pads_begin=[0,0] pads_end=[1,1]"},
    {"channels in vectors", "[1,66,70,3]", "[32,3,3,3]",
     "strides=[2,2] pads_begin=[0,0] pads_end=[1,1]"},
    {"depthwise", "[1,25,23,32]", "[32,1,3,3]",
     "strides=[1,1] pads_begin=[1,1] pads_end=[1,1] groups=32"},
    {"depthwise, few channels", "[1,48,48,8]", "[8,1,3,3]",
     "strides=[1,1] pads_begin=[1,1] pads_end=[1,1] groups=8"},
    {"depthwise, two images", "[2,6,6,130]", "[130,1,3,3]",
     "strides=[2,2] pads_begin=[0,0] pads_end=[1,1] groups=130"},
};

TEST(RoundedSums, GivesTheBytesOfTheReferenceInOneStep) {
    unsigned seed = 0;
    for (const Layer& layer : kLayers) {
        for (const char* method : {"TFLITE", "TFLITE_XNNPACK", "TFLITE_SINGLE_ROUNDING", "ONNX"}) {
            SCOPED_TRACE(testing::Message() << layer.name << ", " << method);
            const DeviceRun run = check_on_devices(model_of(layer, method), ++seed);
            for (const auto& step : run.report["steps"]) {
                EXPECT_NE(step["kind"], "requantize");
            }
        }
    }
}

TEST(RoundedSums, IsNamedInTheReport) {
    const DeviceRun run = check_on_devices(model_of(kLayers[0], "TFLITE"), 1);
    EXPECT_THAT(run.post_ops_of("y"), HasSubstr("D2-up -> i8"));
}

}  // namespace
}  // namespace fuseq::test
