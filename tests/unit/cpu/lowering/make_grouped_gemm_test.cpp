// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Grouped convolutions of bytes: at every level of instructions the bytes of the reference. All
// steps are powers of two, so that the reference's floats are exact.
#include <gmock/gmock.h>

#include "cpu/machine/instructions.hpp"
#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// %q: u8 of %x with a zero point, steps of 1/64; %c: its convolution by weights in steps of 1/128.
std::string convolution(const std::string& src,
                        const std::string& weights,
                        const std::string& attributes) {
    return "model \"m\"\n%x = Parameter : f32[" + src +
           "]\n%l = Const value={-2} : f32[]\n%h = Const value={1.984375} : f32[]\n"
           "%q = FakeQuantize(%x, %l, %h, %l, %h) levels=256\n"
           "%w = Const value=random(5,-127,127) : i8[" +
           weights +
           "]\n%wf = Convert(%w) destination_type=f32\n%s = Const value={0.0078125} : f32[]\n"
           "%wd = Multiply(%wf, %s)\n%c = GroupConvolution(%q, %wd) " +
           attributes + "\n";
}

const std::string kPadded = "strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]";
const std::string kStrided = "strides=[2,2] dilations=[1,1] pads_begin=[0,1] pads_end=[1,0]";
const std::string kDilated = "strides=[1,1] dilations=[2,1] pads_begin=[2,0] pads_end=[2,0]";

bool has_own_form() {
    return !kernels::has_avx512_vnni();
}

void expect_own(const DeviceRun& run, const std::string& layer) {
    const bool own = run.step_of(layer).find("fuseq:grouped_gemm") != std::string::npos;
    EXPECT_EQ(own, has_own_form()) << run.step_of(layer);
}

// Joined groups: four of four channels, three of five, two of eight, none of 16 and of 24; one
// channel of source; seven groups, which no number of groups divides.
TEST(GroupedGemm, ComputesEachGroupAlone) {
    const std::string end = "%r = Result(%c)\n";
    expect_own(check_on_devices(convolution("1,32,9,11", "8,4,4,3,3", kPadded) + end, 1), "c");
    expect_own(check_on_devices(convolution("2,24,7,9", "6,5,4,3,3", kStrided) + end, 2), "c");
    expect_own(check_on_devices(convolution("1,18,8,8", "2,8,9,3,2", kDilated) + end, 3), "c");
    expect_own(check_on_devices(convolution("1,32,6,30", "2,16,16,1,1", kPadded) + end, 4), "c");
    expect_own(check_on_devices(convolution("1,40,12,12", "2,24,20,5,5", kPadded) + end, 5), "c");
    expect_own(check_on_devices(convolution("1,4,9,9", "4,3,1,3,3", kPadded) + end, 6), "c");
    expect_own(check_on_devices(convolution("1,14,10,5", "7,2,2,3,3", kPadded) + end, 7), "c");
}

TEST(GroupedGemm, HasOneSpatialDimension) {
    expect_own(check_on_devices(convolution("1,24,33", "3,8,8,5",
                                            "strides=[1] dilations=[1] pads_begin=[2] "
                                            "pads_end=[2]") +
                                    "%r = Result(%c)\n",
                                8),
               "c");
}

// Constants of each channel belong to the group that the channel is in.
TEST(GroupedGemm, TakesTheChainOfItsChannels) {
    const DeviceRun run = check_on_devices(
        convolution("1,32,9,11", "8,4,4,3,3", kPadded) +
            "%b = Const value=random(8,-3,3) : i8[1,32,1,1]\n"
            "%bf = Convert(%b) destination_type=f32\n%biased = Add(%c, %bf)\n"
            "%k = Const value={0.25} : f32[]\n%slope = Multiply(%bf, %k)\n"
            "%y = PReLU(%biased, %slope)\n%l2 = Const value={-4} : f32[]\n"
            "%h2 = Const value={3.96875} : f32[]\n"
            "%z = FakeQuantize(%y, %l2, %h2, %l2, %h2) levels=256\n%r = Result(%z)\n",
        9);
    expect_own(run, "z");
    if (has_own_form()) {
        EXPECT_EQ(run.step_of("z"), run.step_of("c"));
    }
}

// A slice of the channels of a tensor has no residual input: it is oneDNN's, in floats.
TEST(GroupedGemm, ReadsNoSecondTensor) {
    const DeviceRun run = check_on_devices(
        convolution("1,32,9,11", "2,16,16,3,3", kPadded) + "%z = Add(%c, %x)\n%r = Result(%z)\n",
        10, 1e-5);
    EXPECT_THAT(run.step_of("c"), Not(HasSubstr("grouped_gemm")));
}

TEST(GroupedGemm, LeavesOneChannelAGroupToDepthwise) {
    const DeviceRun run =
        check_on_devices(convolution("1,32,9,11", "32,1,1,3,3", kPadded) + "%r = Result(%c)\n", 11);
    EXPECT_THAT(run.step_of("c"), HasSubstr("fuseq:dw_"));
}

}  // namespace
}  // namespace fuseq::test
