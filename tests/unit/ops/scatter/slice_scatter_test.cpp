// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

const In kData = in_f32({2, 5}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});

Tensor scatter(const std::vector<In>& inputs) {
    return run_op("SliceScatter", 15, "", inputs)[0];
}
std::string why_not(const std::vector<In>& inputs) {
    return error_of("SliceScatter", 15, "", inputs);
}
std::string why_not_blind(const std::vector<In>& inputs) {
    return blind_error_of("SliceScatter", 15, "", inputs);
}

// The examples of the specification.
TEST(SliceScatter, ReplacesTheSlice) {
    expect_tensor<float>(scatter({kData, in_f32({1, 5}, {10, 20, 30, 40, 50}), ints({0}), ints({1}),
                                  ints({1}), ints({0})}),
                         {2, 5}, {10, 20, 30, 40, 50, 5, 6, 7, 8, 9});
    expect_tensor<float>(scatter({kData, in_f32({2, 3}, {10, 20, 30, 40, 50, 60}), ints({-25}),
                                  ints({25}), ints({2}), ints({1})}),
                         {2, 5}, {10, 1, 20, 3, 30, 40, 6, 50, 8, 60});
    const In data = in_f32({3, 5}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14});
    expect_tensor<float>(
        scatter({data, in_f32({2, 2}, {50, 60, 70, 80}), ints({0, 1}), ints({3, 5}), ints({2, 2})}),
        {3, 5}, {0, 50, 2, 60, 4, 5, 6, 7, 8, 9, 10, 70, 12, 80, 14});
}

TEST(SliceScatter, CountsBackwards) {
    // Columns 4, 2, 0 of every row, in this order.
    expect_tensor<float>(scatter({kData, in_f32({2, 3}, {1, 2, 3, 4, 5, 6}), ints({-1}),
                                  ints({-99}), ints({-2}), ints({-1})}),
                         {2, 5}, {3, 1, 2, 3, 1, 6, 6, 5, 8, 4});
    expect_tensor<std::uint8_t>(
        scatter({in<std::uint8_t>({4}, {1, 2, 3, 4}), in<std::uint8_t>({0}, {}), ints({3}),
                 ints({1}), ints({1})}),
        {4}, {1, 2, 3, 4});  // an empty slice
    expect_bools(scatter({in<bool>({2}, {true, false}), in<bool>({1}, {true}), ints({1}), ints({2}),
                          ints({1})}),
                 {2}, {1, 1});
}

TEST(SliceScatter, InfersTheShapeOfTheData) {
    const In one = ints({1});
    EXPECT_EQ(shape_of("SliceScatter", 15, "",
                       {open(ElementType::f32, "[?,2..8]"), open(ElementType::f32, "..."),
                        open(ElementType::i64, "[1]"), one, one}),
              "[?,2..8]");
    EXPECT_EQ(
        shape_of("SliceScatter", 15, "",
                 {open(ElementType::f32, "..."), open(ElementType::f32, "[2]"), one, one, one}),
        "[...]");
}

TEST(SliceScatter, RefusesBadInputs) {
    const In one = ints({1});
    EXPECT_THAT(why_not({kData, in_f32({2, 5}, std::vector<float>(10)), ints({0}), one, one}),
                HasSubstr("updates have shape [2,5], expected [1,5]"));
    EXPECT_THAT(why_not_blind({kData, in_f32({2, 5}, std::vector<float>(10)), ints({0}), one, one}),
                HasSubstr("updates have shape [2,5], expected [1,5]"));
    EXPECT_THAT(why_not({kData, in_f32({1, 5}, std::vector<float>(5)), ints({0}), one, ints({0})}),
                HasSubstr("step has the value 0 at 0"));
    EXPECT_THAT(why_not({kData, in_f32({1, 5}, std::vector<float>(5)), ints({0, 0}), ints({1, 1}),
                         ints({1, 1}), ints({0, -2})}),
                HasSubstr("axes names axis 0 twice"));
    EXPECT_THAT(
        why_not({kData, in_f32({1, 5}, std::vector<float>(5)), ints({0}), ints({1, 1}), one}),
        HasSubstr("stop has 2 values, expected 1"));
    EXPECT_THAT(
        why_not({kData, in_f32({1, 5}, std::vector<float>(5)), ints({0}), one, one, ints({2})}),
        HasSubstr("axes is 2, expected a value in [-2, 1]"));
    EXPECT_THAT(why_not({kData, in<std::int32_t>({1, 5}, std::vector<std::int32_t>(5)), ints({0}),
                         one, one}),
                HasSubstr("input 0 is f32, input 1 is i32"));
    EXPECT_THAT(why_not({kData, in_f32({1, 5}, std::vector<float>(5)), in_f32({1}, {0}), one, one}),
                HasSubstr("start is f32, expected an integer type"));
    const In none = ints({});
    EXPECT_THAT(why_not({in_f32({}, {1}), in_f32({}, {2}), none, none, none}),
                HasSubstr("data is a scalar"));
    EXPECT_THAT(why_not_blind({in_f32({}, {1}), in_f32({}, {2}), none, none, none}),
                HasSubstr("data is a scalar"));
}

}  // namespace
}  // namespace fuseq::test
