// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

TEST(Broadcast, Numpy) {
    for (const int opset : {1, 3}) {
        expect_tensor<float>(
            run_op("Broadcast", opset, "mode=numpy", {in_f32({2, 1}, {1, 2}), ints({2, 2, 2})})[0],
            {2, 2, 2}, {1, 1, 2, 2, 1, 1, 2, 2});
    }
    expect_tensor<std::uint8_t>(
        run_op("Broadcast", 3, "", {in<std::uint8_t>({}, {7}), ints({3})})[0], {3}, {7, 7, 7});
    expect_tensor<float>(run_op("Broadcast", 3, "", {in_f32({1}, {7}), ints({0})})[0], {0}, {});
}

TEST(Broadcast, ExplicitPlacesDimensions) {
    expect_tensor<float>(
        run_op("Broadcast", 1, "mode=explicit", {in_f32({2}, {1, 2}), ints({2, 3}), ints({0})})[0],
        {2, 3}, {1, 1, 1, 2, 2, 2});
    // Axes in any order.
    expect_tensor<float>(run_op("Broadcast", 3, "mode=explicit",
                                {in_f32({1, 2}, {1, 2}), ints({2, 1, 1}), ints({2, 0})})[0],
                         {2, 1, 1}, {1, 2});
}

TEST(Broadcast, BidirectionalKeepsTheLarger) {
    expect_tensor<float>(
        run_op("Broadcast", 3, "mode=bidirectional", {in_f32({2, 1}, {1, 2}), ints({1, 2})})[0],
        {2, 2}, {1, 1, 2, 2});
}

TEST(Broadcast, InfersOpenShapes) {
    EXPECT_EQ(shape_of("Broadcast", 3, "", {open(ElementType::f32, "[1]"), ints({2, 3})}), "[2,3]");
    EXPECT_EQ(shape_of("Broadcast", 3, "mode=bidirectional",
                       {open(ElementType::f32, "[?,1]"), ints({1, 3})}),
              "[?,3]");
    EXPECT_EQ(shape_of("Broadcast", 3, "",
                       {open(ElementType::f32, "[1]"), open(ElementType::i64, "[3]")}),
              "[?,?,?]");
}

TEST(Broadcast, RefusesWhatDoesNotFit) {
    EXPECT_THAT(error_of("Broadcast", 3, "", {in_f32({2}, {1, 2}), ints({3})}),
                HasSubstr("src of shape [2] does not broadcast to [3]"));
    EXPECT_THAT(blind_error_of("Broadcast", 3, "", {in_f32({2}, {1, 2}), ints({3})}),
                HasSubstr("does not broadcast"));
    EXPECT_THAT(error_of("Broadcast", 3, "", {in_f32({2, 1}, {1, 2}), ints({2})}),
                HasSubstr("does not broadcast"));
    EXPECT_THAT(error_of("Broadcast", 3, "", {in_f32({1}, {1}), ints({-1})}),
                HasSubstr("value -1"));
    EXPECT_THAT(error_of("Broadcast", 1, "mode=bidirectional", {in_f32({1}, {1}), ints({1})}),
                HasSubstr("from opset 3 on"));
    EXPECT_THAT(error_of("Broadcast", 3, "mode=explicit", {in_f32({1}, {1}), ints({1})}),
                HasSubstr("needs input 2"));
    EXPECT_THAT(error_of("Broadcast", 3, "mode=explicit", {in_f32({1}, {1}), ints({1}), ints({1})}),
                HasSubstr("axes_mapping is 1"));
}

}  // namespace
}  // namespace fuseq::test
