// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Float convolutions of few channels against the reference.
#include <gmock/gmock.h>

#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

DeviceRun check(const std::string& src,
                const std::string& weights,
                const std::string& attributes,
                const std::string& tail,
                unsigned seed) {
    return check_on_devices("model \"m\"\n%x = Parameter : f32[" + src +
                                "]\n%w = Const value=random(4) : f32[" + weights +
                                "]\n%op = Convolution(%x, %w) " + attributes + "\n" + tail +
                                "\n%r = Result(%end)\n",
                            seed, 2e-5);
}

const std::string kDense = "strides=[1,1] dilations=[1,1]";
const std::string kPadded = "strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]";
const std::string kOwn = "convolution fuseq:float_conv";

TEST(FloatConvolution, ReadsPlanesOfTheInput) {
    const DeviceRun run = check("1,3,12,34", "48,3,3,3", kDense, "%end = ReLU(%op)", 1);
    EXPECT_EQ(run.step_of("end"), kOwn);
}

TEST(FloatConvolution, ReadsPixelsOfAPooling) {
    const DeviceRun run = check_on_devices(
        "model \"m\"\n%x = Parameter : f32[1,4,12,34]\n"
        "%p = MaxPool.1(%x) strides=[1,1] kernel=[3,3] pads_begin=[1,1] pads_end=[1,1]\n"
        "%w = Const value=random(4) : f32[32,4,3,3]\n%op = Convolution(%p, %w) " +
            kPadded + "\n%end = ReLU(%op)\n%r = Result(%end)\n",
        2, 2e-5);
    EXPECT_EQ(run.step_of("end"), kOwn);
}

TEST(FloatConvolution, TakesWhatFollows) {
    EXPECT_EQ(check("2,3,15,70", "32,3,5,5",
                    "strides=[2,2] dilations=[1,1] pads_begin=[2,2] pads_end=[2,2]",
                    "%k = Const value=random(7) : f32[1,32,1,1]\n%m = Multiply(%op, %k)\n"
                    "%b = Const value=random(8) : f32[1,32,1,1]\n%biased = Add(%m, %b)\n"
                    "%y = ReLU(%biased)\n%d = Const value=random(9) : f32[1,32,1,1]\n"
                    "%end = Add(%y, %d)",
                    3)
                  .step_of("end"),
              kOwn);
    EXPECT_EQ(
        check("1,4,9,40", "64,4,3,3", kPadded, "%s = Sigmoid(%op)\n%end = Multiply(%op, %s)", 4)
            .step_of("op"),
        kOwn);
}

TEST(FloatConvolution, AddsAResidualInput) {
    const DeviceRun run = check("1,3,10,36", "16,3,1,1", kDense,
                                "%v = Const value=random(5) : f32[16,3,3,3]\n"
                                "%other = Convolution(%x, %v) " +
                                    kPadded + "\n%sum = Add(%op, %other)\n%end = ReLU(%sum)",
                                5);
    EXPECT_THAT(run.step_of("end"), testing::HasSubstr("fuseq:float_conv"));
}

TEST(FloatConvolution, LeavesManyChannelsAlone) {
    const DeviceRun run = check("1,8,12,34", "16,8,3,3", kDense, "%end = ReLU(%op)", 6);
    EXPECT_THAT(run.step_of("end"), testing::Not(testing::HasSubstr("fuseq")));
}

}  // namespace
}  // namespace fuseq::test
