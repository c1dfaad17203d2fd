// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

TEST(Convert, RealToIntegerTruncatesAndClamps) {
    const In x = in_f32({5}, {-1.5F, -0.9F, 1.9F, 255, 300});
    expect_tensor<std::uint8_t>(run_op("Convert", 1, "destination_type=u8", {x})[0], {5},
                                {0, 0, 1, 255, 255});
    expect_tensor<std::int8_t>(run_op("Convert", 1, "destination_type=i8", {x})[0], {5},
                               {-1, 0, 1, 127, 127});
}

TEST(Convert, BetweenIntegersAndReals) {
    expect_tensor<float>(
        run_op("Convert", 1, "destination_type=f32", {in<std::int8_t>({2}, {-128, 127})})[0], {2},
        {-128, 127});
    expect_tensor<std::int64_t>(
        run_op("Convert", 1, "destination_type=i64", {in<std::int32_t>({2}, {-7, 7})})[0], {2},
        {-7, 7});
}

TEST(Convert, ToBooleanIsNotZero) {
    expect_bools(run_op("Convert", 1, "destination_type=boolean", {in_f32({3}, {0, 0.5F, -2})})[0],
                 {3}, {0, 1, 1});
}

TEST(Convert, KeepsOpenShapes) {
    EXPECT_EQ(shape_of("Convert", 1, "destination_type=f32", {open(ElementType::u8, "[?,3]")}),
              "[?,3]");
}

}  // namespace
}  // namespace fuseq::test
