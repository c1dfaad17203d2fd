// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

std::string text_of(const std::string& shape, const std::string& axes, const std::string& rest) {
    return "model \"m\"\n%x = Parameter : " + shape + "\n%axes = Const value={" + axes +
           "} : i64[" + std::to_string(1 + std::count(axes.begin(), axes.end(), ',')) +
           "]\n%n = LRN(%x, %axes) " + rest + "\n%r = Result(%n)";
}

TEST(MakeLrn, AlongAnyDimensions) {
    unsigned seed = 0;
    for (const char* shape : {"f32[2,33,7,5]", "f32[1,8,1,9]", "f32[3,70]", "f32[1,16,3,4,5]"}) {
        for (const char* axes : {"1", "0", "0,1", "-1"}) {
            const DeviceRun run = check_on_devices(
                text_of(shape, axes, "alpha=0.3 beta=0.75 bias=1.5 size=5"), ++seed, 2e-6);
            EXPECT_EQ(run.step_of("n"), "lrn fuseq:lrn");
        }
    }
    for (const char* axes : {"2,3", "1,2,3", "0,1,2,3", "-2"}) {
        const DeviceRun run = check_on_devices(
            text_of("f32[2,17,6,5]", axes, "alpha=2 beta=0.6 bias=1 size=3"), ++seed, 2e-6);
        EXPECT_EQ(run.step_of("n"), "lrn fuseq:lrn");
    }
}

// Between a convolution and a pooling everything is channels-last.
TEST(MakeLrn, BetweenChannelsLastTensors) {
    const DeviceRun run = check_on_devices(R"(model "m"
%x = Parameter : f32[1,3,12,12]
%w = Const value=random(3) : f32[24,3,3,3]
%c = Convolution(%x, %w) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
%axes = Const value={1} : i64[1]
%n = LRN(%c, %axes) alpha=0.0001 beta=0.75 bias=1 size=5
%p = MaxPool(%n) kernel=[2,2] strides=[2,2]
%r = Result(%p)
)",
                                           7, 1e-4);
    EXPECT_EQ(run.step_of("n"), "lrn fuseq:lrn");
    for (const auto& step : run.report["steps"]) {
        if (step["kind"] == "lrn") {
            EXPECT_EQ(step["layout"], "channels_last");
        }
    }
}

TEST(MakeLrn, QuantizesInTheSameStep) {
    const DeviceRun run = check_on_devices(R"(model "m"
%x = Parameter : f32[1,20,6,6]
%axes = Const value={1} : i64[1]
%n = LRN(%x, %axes) alpha=0.5 beta=0.75 bias=1 size=5
%low = Const value={-4} : f32[1,1,1,1]
%high = Const value={3.96875} : f32[1,1,1,1]
%q = FakeQuantize(%n, %low, %high, %low, %high) levels=256
%w = Const value=random(3) : f32[8,20,1,1]
%wl = Const value={-1} : f32[1,1,1,1]
%wh = Const value={1} : f32[1,1,1,1]
%wq = FakeQuantize(%w, %wl, %wh, %wl, %wh) levels=255
%c = Convolution(%q, %wq) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
%r = Result(%c)
)",
                                           8, 0.1);
    EXPECT_EQ(run.step_of("n"), "lrn fuseq:lrn");
    EXPECT_EQ(run.step_of("q"), "lrn fuseq:lrn");
}

// A power of something that may be negative is left to the reference, which gives NaN there.
TEST(MakeLrn, LeavesNegativeBiasToTheReference) {
    const DeviceRun run =
        check_on_devices(text_of("f32[1,4,3]", "1", "alpha=1 beta=1 bias=-0.5 size=3"), 9, 1e-5);
    EXPECT_EQ(run.step_of("n"), "LRN reference");
}

}  // namespace
}  // namespace fuseq::test
