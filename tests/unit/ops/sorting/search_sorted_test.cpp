// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

const In kSequence = in_f32({5}, {1, 3, 3, 5, 9});
const In kValues = in_f32({2, 3}, {0, 3, 4, 9, 10, 1});

TEST(SearchSorted, FindsPlacesOnTheLeftAndOnTheRight) {
    expect_tensor<std::int64_t>(run_op("SearchSorted", 15, "", {kSequence, kValues})[0], {2, 3},
                                {0, 1, 3, 4, 5, 0});
    expect_tensor<std::int64_t>(
        run_op("SearchSorted", 15, "right_mode=false", {kSequence, kValues})[0], {2, 3},
        {0, 1, 3, 4, 5, 0});
    expect_tensor<std::int64_t>(
        run_op("SearchSorted", 15, "right_mode=true", {kSequence, kValues})[0], {2, 3},
        {0, 3, 3, 5, 5, 1});
    expect_tensor<std::int32_t>(
        run_op("SearchSorted", 15, "output_type=i32", {kSequence, kValues})[0], {2, 3},
        {0, 1, 3, 4, 5, 0});
}

TEST(SearchSorted, SearchesRowByRow) {
    const In rows = in<std::int64_t>({2, 3}, {1, 2, 3, 10, 20, 30});
    const In values = in<std::int64_t>({2, 2}, {2, 10, 2, 25});
    expect_tensor<std::int64_t>(run_op("SearchSorted", 15, "", {rows, values})[0], {2, 2},
                                {1, 3, 0, 2});
    expect_tensor<std::int64_t>(run_op("SearchSorted", 15, "right_mode=true", {rows, values})[0],
                                {2, 2}, {2, 3, 0, 2});
}

TEST(SearchSorted, TakesScalarsAndNothing) {
    expect_tensor<std::int64_t>(run_op("SearchSorted", 15, "", {kSequence, in_f32({}, {5})})[0], {},
                                {3});
    expect_tensor<std::int64_t>(run_op("SearchSorted", 15, "", {in_f32({0}, {}), kValues})[0],
                                {2, 3}, {0, 0, 0, 0, 0, 0});
    expect_tensor<std::int64_t>(run_op("SearchSorted", 15, "", {kSequence, in_f32({0}, {})})[0],
                                {0}, {});
    // The values differ in the last bit only, which a double does not hold.
    constexpr std::int64_t kBig = (std::int64_t{1} << 60) + 1;
    expect_tensor<std::int64_t>(
        run_op("SearchSorted", 15, "",
               {in<std::int64_t>({2}, {kBig - 1, kBig}), in<std::int64_t>({1}, {kBig})})[0],
        {1}, {1});
}

TEST(SearchSorted, InfersOpenShapes) {
    const auto shape = [](const char* sequences, const char* values) {
        return shape_of("SearchSorted", 15, "",
                        {open(ElementType::f32, sequences), open(ElementType::f32, values)});
    };
    EXPECT_EQ(shape("[?,7]", "[3,?]"), "[3,?]");
    EXPECT_EQ(shape("[2..4,7]", "[?,5]"), "[2..4,5]");
    EXPECT_EQ(shape("[7]", "[?,5]"), "[?,5]");
    EXPECT_EQ(shape("[2,7]", "..."), "[2,?]");
    EXPECT_EQ(shape("[7]", "..."), "[...]");
    EXPECT_EQ(shape("...", "[2,3]"), "[2,3]");
}

TEST(SearchSorted, RefusesBadInputs) {
    const auto why = [](const In& sequences, const In& values, const char* attributes = "") {
        return error_of("SearchSorted", 15, attributes, {sequences, values});
    };
    EXPECT_THAT(why(in_f32({3}, {1, 3, 2}), kValues),
                HasSubstr("element 2 of a sorted sequence is less than the one before it"));
    EXPECT_THAT(why(kSequence, in<std::int32_t>({1}, {1})),
                HasSubstr("input 0 is f32, input 1 is i32"));
    EXPECT_THAT(why(in<bool>({1}, {true}), in<bool>({1}, {true})),
                HasSubstr("input 0 is boolean, expected a numeric type"));
    EXPECT_THAT(why(in_f32({}, {1}), kValues), HasSubstr("the sorted sequence is a scalar"));
    EXPECT_THAT(why(in_f32({3, 1}, {1, 2, 3}), kValues),
                HasSubstr("sorted sequences of shape [3,1] and values of shape [2,3] differ before "
                          "the last dimension"));
    EXPECT_THAT(blind_error_of("SearchSorted", 15, "", {in_f32({3, 1}, {1, 2, 3}), kValues}),
                HasSubstr("differ before the last dimension"));
    EXPECT_THAT(why(in_f32({3, 1}, {1, 2, 3}), in_f32({}, {1})), HasSubstr("values of shape []"));
    EXPECT_THAT(why(kSequence, kValues, "output_type=u8"),
                HasSubstr("output_type is u8, expected i32 or i64"));
}

}  // namespace
}  // namespace fuseq::test
