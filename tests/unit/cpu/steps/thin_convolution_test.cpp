// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/thin_convolution.hpp"

#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

bool has_kernel() {
    kernels::ThinConvShape shape;
    shape.src_channels = shape.dst_channels = 1;
    shape.src_height = shape.src_width = shape.dst_height = shape.dst_width = 8;
    return kernels::ThinConv::takes(shape);
}

std::string text_of(const std::string& tail) {
    return R"(model "m"
        %x = Parameter : u8[2,4,19,300]
        %w = Const value=random(3,-90,90) : i8[3,4,3,3]
        %c = Convolution(%x, %w) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
        %k = Const value={0.001,0.002,0.003} : f32[1,3,1,1]
        %m = Multiply(%c, %k)
        %b = Const value={0.5,-1,0.25} : f32[1,3,1,1]
        %a = Add(%m, %b)
        )" +
           tail;
}

void expect_step(const DeviceRun& run, const std::string& layer) {
    if (has_kernel()) {
        EXPECT_EQ(run.step_of(layer), "convolution fuseq:thin_conv");
    }
}

TEST(ThinConvolutionStep, WritesResultsPlain) {
    const DeviceRun run = check_on_devices(text_of("%r = Result(%a)"), 1, 1e-5);
    expect_step(run, "c");
    if (has_kernel()) {
        EXPECT_EQ(run.report["steps"].back()["layout"], "plain");
    }
}

TEST(ThinConvolutionStep, TakesActivationsAlong) {
    expect_step(check_on_devices(text_of("%s = Sigmoid(%a)\n%r = Result(%s)"), 2, 1e-5), "s");
}

TEST(ThinConvolutionStep, FeedsTheNextConvolution) {
    const DeviceRun run = check_on_devices(text_of(R"(%s = ReLU(%a)
        %v = Const value=random(4,-1,1) : f32[5,3,1,1]
        %d = Convolution(%s, %v) strides=[1,1] dilations=[1,1]
        %r = Result(%d))"),
                                           3, 1e-4);
    expect_step(run, "s");
}

TEST(ThinConvolutionStep, LeavesASecondTensorToAChain) {
    const DeviceRun run = check_on_devices(text_of(R"(%y = Parameter : f32[2,3,19,300]
        %s = Add(%a, %y)
        %t = Tanh(%s)
        %r = Result(%t))"),
                                           4, 1e-5);
    expect_step(run, "c");
    EXPECT_EQ(run.step_of("t"), "chain fuseq:chain");
}

}  // namespace
}  // namespace fuseq::test
