// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

std::string quantize_model(const std::string& grid) {
    return "model \"m\"\n%x = Parameter : f32[1,5,9,7]\n%y = Quantize(%x) " + grid +
           "\n%r = Result(%y)";
}

TEST(MakeQuantize, HalfToEvenHasAKernel) {
    for (const char* grid : {"scales=[0.0173] zero_points=[7] output_type=u8 method=ONNX",
                             "scales=[0.0173] zero_points=[-7] output_type=i8 method=CAFFE2"}) {
        EXPECT_EQ(check_on_devices(quantize_model(grid), 3).step_of("y"), "quantize fuseq:quantize")
            << grid;
    }
}

// A zero point of 0 is nothing to add before the rounding.
TEST(MakeQuantize, ZeroPointFirstHasItWithoutAZeroPoint) {
    EXPECT_EQ(check_on_devices(quantize_model("scales=[0.0173] output_type=i8 method=NATIVE"), 4)
                  .step_of("y"),
              "quantize fuseq:quantize");
    EXPECT_EQ(check_on_devices(
                  quantize_model("scales=[0.0173] zero_points=[7] output_type=u8 method=NATIVE"), 5)
                  .step_of("y"),
              "Quantize reference");
}

}  // namespace
}  // namespace fuseq::test
