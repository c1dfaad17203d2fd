// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Averages of quantized tensors on the CPU device: the bytes of the reference kernels, and which
// step computes them.
#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

constexpr const char* kPool = "average_pool fuseq:quantized_average";
constexpr const char* kMean = "average_pool fuseq:quantized_mean";
constexpr const char* kMethods[] = {"NATIVE", "ONNX", "TFLITE", "TFLITE_XNNPACK",
                                    "TFLITE_REFERENCE"};

std::string model(const std::string& op,
                  const std::string& type,
                  const std::string& shape,
                  const std::string& attributes,
                  const std::string& method) {
    const std::string zero = type == "u8" ? "[131]" : "[-7]";
    return "model \"m\"\n%x = Parameter : " + type + shape + "\n%y = " + op +
           "(%x) input_scales=[0.05] input_zero_points=" + zero +
           " output_scale=0.041 output_zero_point=3 output_type=" + type + " method=" + method +
           " " + attributes + "\n%r = Result(%y)";
}

struct PoolCase {
    const char* shape;
    const char* attributes;
};

TEST(MakeQuantizedAveragePool, GivesTheBytesOfTheReference) {
    constexpr PoolCase kCases[] = {
        {"[2,37,9,11]", "kernel=[3,2] strides=[2,1]"},
        {"[1,64,8,8]", "kernel=[8,8] strides=[1,1] channels_last=false"},
        {"[1,5,7,6]", "kernel=[3,3] strides=[2,2] pads_begin=[1,1] pads_end=[1,1]"},
        {"[1,5,7,6]",
         "kernel=[3,3] strides=[2,2] pads_begin=[1,1] pads_end=[1,1] exclude_pad=false "
         "rounding_type=ceil"},
        {"[2,9,10,19]", "kernel=[2,3] strides=[2,3] channels_last=true clamp_max=90"},
        {"[1,16,31]", "kernel=[4] strides=[3] pads_begin=[2] pads_end=[1]"},
        {"[1,3,4,5,6]", "kernel=[2,2,3] strides=[1,2,1]"},
        {"[1,17,9,9]", "kernel=[2,2] strides=[1,1] dilations=[3,2]"}};
    unsigned seed = 0;
    for (const char* method : kMethods) {
        for (const char* type : {"u8", "i8"}) {
            for (const PoolCase& c : kCases) {
                const DeviceRun run = check_on_devices(
                    model("QuantizedAveragePool", type, c.shape, c.attributes, method), ++seed);
                EXPECT_EQ(run.step_of("y"), kPool)
                    << method << " " << type << c.shape << " " << c.attributes;
            }
        }
    }
}

TEST(MakeQuantizedMean, GivesTheBytesOfTheReference) {
    constexpr PoolCase kCases[] = {{"[2,37,9,11]", "axes=[2,3]"},
                                   {"[2,37,9,11]", "axes=[2,3] keep_dims=true image=true"},
                                   {"[1,8,8,50]", "axes=[1,2] keep_dims=true image=true"},
                                   {"[3,70]", "axes=[-1]"},
                                   {"[5,6,7]", "axes=[0,1,2] clamp_min=4"}};
    unsigned seed = 0;
    for (const char* method : kMethods) {
        for (const char* type : {"u8", "i8"}) {
            for (const PoolCase& c : kCases) {
                const DeviceRun run = check_on_devices(
                    model("QuantizedMean", type, c.shape, c.attributes, method), ++seed);
                EXPECT_EQ(run.step_of("y"), kMean)
                    << method << " " << type << c.shape << " " << c.attributes;
            }
        }
    }
}

// A source in channels-last memory is read there, and so is what multiplies by its mean.
TEST(MakeQuantizedMean, TakesTheLayoutOfItsSource) {
    const std::string text =
        "model \"m\"\n%x = Parameter : u8[1,16,9,9]\n"
        "%p = QuantizedAveragePool(%x) input_scales=[0.05] output_scale=0.05 output_type=u8 "
        "method=ONNX kernel=[2,2] strides=[1,1]\n"
        "%m = QuantizedMean(%p) input_scales=[0.05] output_scale=0.04 output_type=u8 method=ONNX "
        "axes=[2,3] keep_dims=true\n"
        "%y = QuantizedMultiply(%p, %m) input_scales=[0.05,0.04] output_scale=0.3 output_type=u8 "
        "method=ONNX\n%r = Result(%y)";
    const DeviceRun run = check_on_devices(text, 3);
    EXPECT_EQ(run.step_of("m"), kMean);
    EXPECT_EQ(run.step_of("y"), "eltwise fuseq:quantized_pair");
    std::size_t reorders = 0;
    for (const auto& step : run.report["steps"]) {
        reorders += step["kind"] == "reorder" ? 1 : 0;
    }
    EXPECT_EQ(reorders, 2u) << "of the input and of the result";
}

TEST(MakeQuantizedAverage, LeavesTheRestToTheReference) {
    EXPECT_EQ(check_on_devices(model("QuantizedMean", "u8", "[2,3,4,5]", "axes=[1,3]", "NATIVE"), 4)
                  .step_of("y"),
              "QuantizedMean reference")
        << "axes that are apart in memory";
    const std::string wide =
        "model \"m\"\n%x = Parameter : i16[1,3,8,8]\n%y = QuantizedAveragePool(%x) "
        "input_scales=[0.05] output_scale=0.05 output_type=i16 method=NATIVE kernel=[2,2] "
        "strides=[2,2]\n%r = Result(%y)";
    EXPECT_EQ(check_on_devices(wide, 5).step_of("y"), "QuantizedAveragePool reference");
}

}  // namespace
}  // namespace fuseq::test
