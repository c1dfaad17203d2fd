// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Quantized depthwise convolutions of one and three spatial dimensions against the reference.
#include "cpu/steps/volume_depthwise.hpp"

#include <gmock/gmock.h>

#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

struct Case {
    std::string shape;   // of src, "2,5,3,6,7"
    std::string kernel;  // "3,3,3"
    std::string strides, dilations, pads;
    float low = -4.0f;  // of the quantized input; 4 * 127 / 128 is its end
    std::string tail =
        "%relu = ReLU(%op)\n%end = FakeQuantize(%relu, %l2, %h2, %l2, %h2) levels=256";
};

std::string repeated(const std::string& what, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        text += (i == 0 ? "" : ",") + what;
    }
    return text;
}

std::string text_of(const Case& c) {
    const auto rank = static_cast<std::size_t>(std::count(c.shape.begin(), c.shape.end(), ',')) + 1;
    const std::string channels = c.shape.substr(
        c.shape.find(',') + 1, c.shape.find(',', c.shape.find(',') + 1) - c.shape.find(',') - 1);
    const std::string scalar = " : f32[" + repeated("1", rank) + "]\n";
    const std::string per_filter = " : f32[" + channels + "," + repeated("1", rank) + "]\n";
    return "model \"m\"\n%x = Parameter : f32[" + c.shape + "]\n%low = Const value={" +
           std::to_string(c.low) + "}" + scalar + "%high = Const value={" +
           std::to_string(c.low + 255.0f / 32) + "}" + scalar +
           "%q = FakeQuantize(%x, %low, %high, %low, %high) levels=256\n"
           "%w = Const value=random(5) : f32[" +
           channels + ",1,1," + c.kernel + "]\n%wl = Const value=fill(-1)" + per_filter +
           "%wh = Const value=fill(1)" + per_filter +
           "%wq = FakeQuantize(%w, %wl, %wh, %wl, %wh) levels=255\n"
           "%l2 = Const value={0}" +
           scalar + "%h2 = Const value={6}" + scalar + "%op = GroupConvolution(%q, %wq) strides=[" +
           c.strides + "] dilations=[" + c.dilations + "] pads_begin=[" + c.pads + "] pads_end=[" +
           c.pads + "]\n" + c.tail + "\n%r = Result(%end)\n";
}

// Half a step of the last quantization: sums are exact, but scales are not.
DeviceRun check(const Case& c, unsigned seed) {
    return check_on_devices(text_of(c), seed, 0.026);
}

TEST(VolumeDepthwise, KernelsOfThreeDimensions) {
    unsigned seed = 0;
    const Case cases[] = {
        {.shape = "1,64,4,9,9",
         .kernel = "3,3,3",
         .strides = "1,1,1",
         .dilations = "1,1,1",
         .pads = "1,1,1"},
        {.shape = "2,17,5,7,11",
         .kernel = "3,3,3",
         .strides = "2,2,2",
         .dilations = "1,1,1",
         .pads = "1,1,1"},
        {.shape = "1,40,7,8,6",
         .kernel = "5,3,2",
         .strides = "1,2,1",
         .dilations = "1,1,1",
         .pads = "3,1,0"},
        {.shape = "1,16,6,9,9",
         .kernel = "3,3,3",
         .strides = "1,1,1",
         .dilations = "2,2,1",
         .pads = "2,2,1"},
        {.shape = "1,300,3,3,70",
         .kernel = "2,2,2",
         .strides = "1,1,1",
         .dilations = "1,1,1",
         .pads = "0,0,1"},
    };
    for (Case c : cases) {
        for (const float low : {-4.0f, 0.0f, -1.0f}) {  // i8, u8, with a zero point
            c.low = low;
            const DeviceRun run = check(c, ++seed);
            EXPECT_THAT(run.step_of("op"), testing::StartsWith("convolution fuseq:dw_"));
            EXPECT_THAT(run.step_of("op"), testing::EndsWith("*" + c.kernel.substr(0, 1)));
            EXPECT_EQ(run.step_of("end"), run.step_of("op"));
        }
    }
}

TEST(VolumeDepthwise, FoldedIntoTwoDimensions) {
    unsigned seed = 50;
    const Case cases[] = {
        {.shape = "2,33,4,9,7",
         .kernel = "1,3,3",
         .strides = "1,2,1",
         .dilations = "1,1,1",
         .pads = "0,1,1"},
        {.shape = "2,33,7,5,6",
         .kernel = "3,1,1",
         .strides = "2,1,1",
         .dilations = "1,1,1",
         .pads = "1,0,0"},
        {.shape = "1,16,9,3,4",
         .kernel = "5,1,1",
         .strides = "1,1,1",
         .dilations = "2,1,1",
         .pads = "4,0,0"},
    };
    for (Case c : cases) {
        for (const float low : {-4.0f, -1.0f}) {
            c.low = low;
            const DeviceRun run = check(c, ++seed);
            EXPECT_THAT(run.step_of("op"), testing::StartsWith("convolution fuseq:dw_"));
            EXPECT_THAT(run.step_of("op"), testing::Not(testing::HasSubstr("*")));
        }
    }
}

// Whatever follows is part of the same step, a second tensor too.
TEST(VolumeDepthwise, LongerChains) {
    Case c{.shape = "1,20,4,6,5",
           .kernel = "3,3,3",
           .strides = "1,1,1",
           .dilations = "1,1,1",
           .pads = "1,1,1"};
    c.tail = "%swish = Swish(%op)\n%end = FakeQuantize(%swish, %l2, %h2, %l2, %h2) levels=256";
    EXPECT_THAT(check(c, 70).step_of("swish"), testing::StartsWith("convolution fuseq:dw_"));
    c.tail = "%sum = Add(%op, %q)\n%end = ReLU(%sum)";
    const DeviceRun run = check(c, 71);
    EXPECT_THAT(run.step_of("op"), testing::StartsWith("convolution fuseq:dw_"));
}

// Zero points of channels of their own: integers too, where oneDNN would compute floats.
TEST(VolumeDepthwise, OneDimensionWithZeroPointsOfChannels) {
    const DeviceRun run = check_on_devices(R"(model "m"
%x = Parameter : f32[2,3,40]
%low = Const value={0,-1,-2} : f32[1,3,1]
%high = Const value={7.96875,6.96875,5.96875} : f32[1,3,1]
%q = FakeQuantize(%x, %low, %high, %low, %high) levels=256
%w = Const value=random(5) : f32[3,1,1,9]
%wl = Const value=fill(-1) : f32[3,1,1,1]
%wh = Const value=fill(1) : f32[3,1,1,1]
%wq = FakeQuantize(%w, %wl, %wh, %wl, %wh) levels=255
%op = GroupConvolution(%q, %wq) strides=[1] dilations=[2] pads_begin=[8] pads_end=[8]
%end = ReLU(%op)
%r = Result(%end)
)",
                                           80, 1e-4);
    EXPECT_THAT(run.step_of("op"), testing::StartsWith("convolution fuseq:dw_"));
}

TEST(VolumeDepthwise, TheSameBytesForAnyNumberOfThreads) {
    const std::shared_ptr<const Model> model(Model::from_text(text_of({.shape = "2,48,5,9,13",
                                                                       .kernel = "3,3,3",
                                                                       .strides = "1,1,1",
                                                                       .dilations = "1,1,1",
                                                                       .pads = "1,1,1"})));
    std::mt19937 random(3);
    const Tensor input = random_tensor(ElementType::f32, {2, 48, 5, 9, 13}, random);
    Tensor first;
    for (const int threads : {1, 2, 4}) {
        Core core;
        CompiledModel compiled =
            core.compile_model(model, "CPU", {{property::kInferenceNumThreads, threads}});
        InferRequest request = compiled.create_infer_request();
        request.set_input_tensor(0, input);
        request.infer();
        const Tensor got = request.get_output_tensor(0);
        first = threads == 1 ? got : first;
        EXPECT_TRUE(same_bytes(first, got)) << threads << " threads";
    }
}

}  // namespace
}  // namespace fuseq::test
