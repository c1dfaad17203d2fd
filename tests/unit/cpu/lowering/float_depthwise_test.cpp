// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Depthwise f32 convolutions of three spatial dimensions against the reference.
#include <gmock/gmock.h>

#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

DeviceRun check(const std::string& src,
                const std::string& filters,
                const std::string& attributes,
                const std::string& tail,
                unsigned seed) {
    return check_on_devices("model \"m\"\n%x = Parameter : f32[" + src +
                                "]\n%w = Const value=random(4) : f32[" + filters +
                                "]\n%op = GroupConvolution(%x, %w) " + attributes + "\n" + tail +
                                "\n%r = Result(%end)\n",
                            seed, 2e-5);
}

TEST(FloatDepthwise, MatchesTheReference) {
    const std::string relu = "%end = ReLU(%op)";
    const std::string any = "convolution fuseq:depthwise_float";
    EXPECT_EQ(
        check("1,64,4,7,9", "64,1,1,3,3,3",
              "strides=[1,1,1] dilations=[1,1,1] pads_begin=[1,1,1] pads_end=[1,1,1]", relu, 1)
            .step_of("end"),
        any);
    EXPECT_EQ(
        check("2,19,5,8,6", "19,1,1,5,1,1",
              "strides=[2,1,1] dilations=[1,1,1] pads_begin=[2,0,0] pads_end=[2,0,0]", relu, 2)
            .step_of("op"),
        any);
    EXPECT_EQ(check("1,33,3,9,8", "33,1,1,1,3,3",
                    "strides=[1,2,2] dilations=[1,2,1] pads_begin=[0,2,1] pads_end=[0,2,0]",
                    "%s = Sigmoid(%op)\n%y = ReLU(%x)\n%end = Multiply(%op, %s)", 3)
                  .step_of("op"),
              any);
}

TEST(FloatDepthwise, BiasAndResidualInput) {
    const DeviceRun run =
        check("1,20,4,6,5", "20,1,1,3,3,3",
              "strides=[1,1,1] dilations=[1,1,1] pads_begin=[1,1,1] pads_end=[1,1,1]",
              "%b = Const value=random(7) : f32[1,20,1,1,1]\n%biased = Add(%op, %b)\n%sum = "
              "Add(%biased, %x)\n%end = ReLU(%sum)",
              4);
    EXPECT_EQ(run.step_of("end"), "convolution fuseq:depthwise_float");
}

// More than one channel of the result for one of the input: oneDNN's.
TEST(FloatDepthwise, LeavesOtherGroupsAlone) {
    const DeviceRun run =
        check("1,4,3,6,5", "4,2,1,3,3,3",
              "strides=[1,1,1] dilations=[1,1,1] pads_begin=[1,1,1] pads_end=[1,1,1]",
              "%end = ReLU(%op)", 5);
    EXPECT_THAT(run.step_of("op"), testing::Not(testing::HasSubstr("fuseq")));
}

}  // namespace
}  // namespace fuseq::test
