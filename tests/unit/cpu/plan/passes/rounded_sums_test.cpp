// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Products that round their sums by a rule: the bytes of the reference device, and no step for
// the rounding. Where a scale and a shift have all bytes of the rule, the kernel stores them itself.
#include "cpu/plan/passes/rounded_sums.hpp"

#include <gmock/gmock.h>

#include "cpu/machine/instructions.hpp"
#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Layer {
    const char* name;
    const char* src;
    const char* weights;
    const char* more;
};

// Grids of the result: without a relu, with one at the end of the range, with one inside of it.
struct Grid {
    const char* name;
    const char* text;
};
constexpr Grid kNoRelu = {"no relu", "output_scale=0.071 output_zero_point=-100 output_type=i8"};
constexpr Grid kRelu = {"relu", "output_scale=0.01 output_zero_point=-128 output_type=i8"};
constexpr Grid kRelu6 = {
    "relu6", "output_scale=0.031 output_zero_point=3 output_type=u8 clamp_min=3 clamp_max=196"};

std::string model_of(const Layer& layer, const std::string& method, const Grid& grid = kNoRelu) {
    return std::string("model \"m\"\n%x = Parameter : i8") + layer.src +
           "\n%w = Const value=random(1,-127,127) : i8" + layer.weights +
           "\n%y = QuantizedConvolution(%x, %w) input_scales=[0.05] input_zero_points=[-7] "
           "weight_scales=[0.0021] " +
           grid.text + " method=" + method + " channels_last=true " + layer.more +
           "\n%r = Result(%y)";
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

TEST(RoundedSums, IsTheEpilogueOfTheKernelWhereAScaleAndAShiftHaveAllBytes) {
    unsigned seed = 100;
    for (const Layer& layer : kLayers) {
        for (const Grid& grid : {kRelu, kRelu6}) {
            for (const char* method : {"TFLITE", "TFLITE_REFERENCE", "ONNX"}) {
                SCOPED_TRACE(testing::Message()
                             << layer.name << ", " << grid.name << ", " << method);
                const DeviceRun run = check_on_devices(model_of(layer, method, grid), ++seed);
                for (const auto& step : run.report["steps"]) {
                    EXPECT_NE(step["kind"], "requantize");
                }
            }
        }
    }
}

// By products with floats and by floors.
TEST(RoundedSums, IsTheEpilogueOfKernelsThatHaveTheRuleItself) {
    if (!kernels::has_avx2()) {
        GTEST_SKIP() << "this machine has no AVX2";
    }
    unsigned seed = 200;
    for (const std::size_t layer : {0, 2, 5, 6, 7}) {
        for (const Grid& grid : {kNoRelu, kRelu, kRelu6}) {
            for (const char* method :
                 {"TFLITE_XNNPACK", "ONNX", "TFLITE_SINGLE_ROUNDING", "TFLITE_REFERENCE"}) {
                SCOPED_TRACE(testing::Message()
                             << kLayers[layer].name << ", " << grid.name << ", " << method);
                const DeviceRun run =
                    check_on_devices(model_of(kLayers[layer], method, grid), ++seed);
                EXPECT_THAT(run.report.dump(), HasSubstr("as its scale and shift"));
            }
        }
    }
}

TEST(RoundedSums, IsTheFloorOfAFirstConvolution) {
    if (!kernels::has_avx512_vbmi()) {
        GTEST_SKIP() << "this machine has no AVX-512 VBMI";
    }
    constexpr const Layer& kFirst = kLayers[4];
    for (const Grid& grid : {kNoRelu, kRelu, kRelu6}) {
        for (const char* method : {"TFLITE", "TFLITE_SINGLE_ROUNDING", "TFLITE_REFERENCE"}) {
            SCOPED_TRACE(testing::Message() << grid.name << ", " << method);
            const DeviceRun run = check_on_devices(model_of(kFirst, method, grid), 1);
            EXPECT_THAT(run.report.dump(), HasSubstr("as its scale and shift"));
        }
    }
}

// Channels 3 and 70 have multipliers above 1, of which floats have no steps.
TEST(RoundedSums, SomeChannelsOfADepthwiseConvolutionAreRoundedApart) {
    std::string scales;
    for (std::size_t c = 0; c < 80; ++c) {
        scales += c == 3 || c == 70 ? "1.9," : "0.0121,";
    }
    scales.pop_back();
    for (const char* stride : {"1", "2"}) {
        for (const char* height : {"5", "40"}) {
            const std::string strides = std::string("[") + stride + "," + stride + "]";
            const DeviceRun run = check_on_devices(
                std::string("model \"m\"\n%x = Parameter : i8[2,") + height +
                    ",19,80]\n%w = Const value=random(1,1,127) : i8[80,1,3,3]\n"
                    "%y = QuantizedConvolution(%x, %w) input_scales=[0.05] "
                    "input_zero_points=[-128] weight_scales=[" +
                    scales +
                    "] output_scale=0.071 "
                    "output_zero_point=-100 output_type=i8 depthwise=true method=TFLITE "
                    "channels_last=true "
                    "strides=" +
                    strides + " pads_begin=[1,1] pads_end=[1,1] groups=80\n%r = Result(%y)",
                1);
            ASSERT_EQ(run.report["steps"].size(), 1U);
            EXPECT_THAT(run.report["steps"][0].dump(),
                        HasSubstr("32 of 80 channels are rounded apart"));
        }
    }
}

// Biases of which a shift of floats would lose the bits that a small multiplier needs: they are
// integers that the sums begin with.
TEST(RoundedSums, ADepthwiseConvolutionAddsLargeBiasesToItsSums) {
    std::string bias;
    for (std::size_t c = 0; c < 80; ++c) {
        bias += (c == 0 ? "" : ",") + std::to_string(90001 + 613 * static_cast<int>(c));
    }
    for (const char* strides : {"[1,1]", "[2,2]"}) {
        const DeviceRun run = check_on_devices(
            "model \"m\"\n%x = Parameter : i8[1,21,19,80]\n%w = Const value=random(3,-127,127) : "
            "i8[80,1,3,3]\n%b = Const value={" +
                bias +
                "} : i32[80]\n%y = QuantizedConvolution(%x, %w, %b) input_scales=[0.05] "
                "input_zero_points=[-128] weight_scales=[0.0031] output_scale=0.091 "
                "output_zero_point=-128 output_type=i8 depthwise=true method=TFLITE "
                "channels_last=true strides=" +
                strides + " pads_begin=[1,1] pads_end=[1,1] groups=80\n%r = Result(%y)",
            1);
        ASSERT_EQ(run.report["steps"].size(), 1U);
        EXPECT_THAT(run.report["steps"][0].dump(), Not(HasSubstr("rounded apart")));
        EXPECT_THAT(run.report.dump(), HasSubstr("as its scale and shift"));
    }
}

TEST(RoundedSums, IsNamedInTheReport) {
    const DeviceRun run = check_on_devices(model_of(kLayers[0], "TFLITE"), 1);
    EXPECT_THAT(run.post_ops_of("y"), HasSubstr("D2-up -> i8"));
}

}  // namespace
}  // namespace fuseq::test
