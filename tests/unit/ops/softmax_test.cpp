// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

TEST(SoftMax, NormalisesAnAxis) {
    const In x = in_f32({1, 2, 2}, {0, 1000, 0, 1000.6931471805599F});
    const float third = 1.0F / 3;
    for (const int opset : {1, 8}) {
        expect_near(run_op("SoftMax", opset, "axis=1", {x})[0], {1, 2, 2},
                    {0.5F, third, 0.5F, 2 * third}, 2e-5);
    }
    expect_near(run_op("SoftMax", 8, "axis=-1", {in_f32({1, 2}, {0, 0.6931471805599F})})[0], {1, 2},
                {third, 2 * third});
}

TEST(LogSoftmax, IsItsLogarithm) {
    expect_near(run_op("LogSoftmax", 5, "axis=-1", {in_f32({1, 2}, {0, 0.6931471805599F})})[0],
                {1, 2}, {-1.0986123F, -0.4054651F});
    // Axis 1 unless stated.
    expect_near(run_op("LogSoftmax", 5, "", {in_f32({1, 2, 1}, {0, 0.6931471805599F})})[0],
                {1, 2, 1}, {-1.0986123F, -0.4054651F});
    EXPECT_THAT(error_of("LogSoftmax", 5, "axis=-2", {in_f32({2}, {0, 1})}),
                HasSubstr("axis is -2"));
    EXPECT_EQ(shape_of("LogSoftmax", 5, "axis=-5", {open(ElementType::f32, "...")}), "[...]");
}

TEST(SoftMax, RefusesBadAxesAndTypes) {
    const In x = in_f32({1, 2}, {0, 1});
    EXPECT_THAT(error_of("SoftMax", 1, "axis=-1", {x}), HasSubstr("axis is -1"));
    EXPECT_THAT(error_of("SoftMax", 8, "axis=2", {x}), HasSubstr("axis is 2"));
    EXPECT_THAT(blind_error_of("SoftMax", 8, "axis=2", {x}), HasSubstr("axis is 2"));
    EXPECT_THAT(error_of("SoftMax", 8, "", {in<std::uint8_t>({1, 1}, {1})}),
                HasSubstr("expected a real type"));
}

}  // namespace
}  // namespace fuseq::test
