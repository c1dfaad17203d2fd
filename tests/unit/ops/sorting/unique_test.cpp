// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

#include <limits>

namespace fuseq::test {
namespace {

using testing::HasSubstr;
using Ints = std::vector<std::int64_t>;

const In kData = in_f32({2, 3}, {5, 1, 5, 3, 1, 5});

void expect_lists(const std::vector<Tensor>& outputs,
                  const Ints& first,
                  const Ints& number,
                  const Ints& count) {
    ASSERT_EQ(outputs.size(), 4u);
    expect_tensor<std::int64_t>(outputs[1], {first.size()}, first);
    expect_tensor<std::int64_t>(outputs[2], {number.size()}, number);
    expect_tensor<std::int64_t>(outputs[3], {count.size()}, count);
}

TEST(Unique, SortsTheElements) {
    const auto outputs = run_op("Unique", 10, "", {kData});
    expect_tensor<float>(outputs[0], {3}, {1, 3, 5});
    expect_lists(outputs, {1, 3, 0}, {2, 0, 2, 1, 0, 2}, {2, 1, 3});
}

TEST(Unique, KeepsTheOrderOfTheInput) {
    const auto outputs = run_op("Unique", 10, "sorted=false", {kData});
    expect_tensor<float>(outputs[0], {3}, {5, 1, 3});
    expect_lists(outputs, {0, 1, 3}, {0, 1, 0, 2, 1, 0}, {3, 2, 1});
}

TEST(Unique, TakesSlicesAlongAnAxis) {
    // Columns (5, 3), (1, 1), (5, 5): all differ. Rows 0 and 2 are equal.
    const auto columns = run_op("Unique", 10, "", {kData, int_scalar(1)});
    expect_tensor<float>(columns[0], {2, 3}, {1, 5, 5, 1, 3, 5});
    expect_lists(columns, {1, 0, 2}, {1, 0, 2}, {1, 1, 1});
    const In rows = in<std::int32_t>({3, 2}, {7, 8, 7, 2, 7, 8});
    const auto sorted = run_op("Unique", 10, "sorted=true", {rows, ints({-2})});
    expect_tensor<std::int32_t>(sorted[0], {2, 2}, {7, 2, 7, 8});
    expect_lists(sorted, {1, 0}, {1, 0, 1}, {1, 2});
    const auto unsorted =
        run_op("Unique", 10, "sorted=false", {rows, constant<std::int32_t>({1}, {0})});
    expect_tensor<std::int32_t>(unsorted[0], {2, 2}, {7, 8, 7, 2});
    expect_lists(unsorted, {0, 1}, {0, 1, 0}, {2, 1});
    // In the middle: slices are not contiguous.
    const In cube = in<std::int8_t>({2, 3, 1}, {1, 2, 1, 4, 4, 4});
    const auto middle = run_op("Unique", 10, "", {cube, int_scalar(1)});
    expect_tensor<std::int8_t>(middle[0], {2, 2, 1}, {1, 2, 4, 4});
    expect_lists(middle, {0, 1}, {0, 1, 0}, {2, 1});
}

TEST(Unique, GivesTheIndexTypesThatAreAskedFor) {
    const auto outputs =
        run_op("Unique", 10, "index_element_type=i32; count_element_type=i32", {kData});
    expect_tensor<std::int32_t>(outputs[1], {3}, {1, 3, 0});
    expect_tensor<std::int32_t>(outputs[2], {6}, {2, 0, 2, 1, 0, 2});
    expect_tensor<std::int32_t>(outputs[3], {3}, {2, 1, 3});
    const auto mixed = run_op("Unique", 10, "index_element_type=i32", {kData});
    expect_tensor<std::int64_t>(mixed[3], {3}, {2, 1, 3});
}

TEST(Unique, KnowsBooleansNanAndScalars) {
    const auto truths = run_op("Unique", 10, "", {in<bool>({3}, {true, false, true})});
    expect_bools(truths[0], {2}, {0, 1});
    expect_lists(truths, {1, 0}, {1, 0, 1}, {1, 2});
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    const auto nans = run_op("Unique", 10, "", {in_f32({4}, {kNan, 2, kNan, -0.5F})});
    expect_lists(nans, {3, 1, 0}, {2, 1, 2, 0}, {1, 1, 2});
    EXPECT_EQ(nans[0].data<float>()[0], -0.5F);
    EXPECT_EQ(nans[0].data<float>()[1], 2.0F);
    EXPECT_TRUE(std::isnan(nans[0].data<float>()[2]));
    const auto scalar = run_op("Unique", 10, "", {in_f32({}, {4})});
    expect_tensor<float>(scalar[0], {1}, {4});
    expect_lists(scalar, {0}, {0}, {1});
}

TEST(Unique, OfNothingIsNothing) {
    const auto none = run_op("Unique", 10, "", {in_f32({0, 3}, {})});
    expect_tensor<float>(none[0], {0}, {});
    expect_lists(none, {}, {}, {});
    const auto no_rows = run_op("Unique", 10, "", {in_f32({0, 3}, {}), int_scalar(0)});
    expect_tensor<float>(no_rows[0], {0, 3}, {});
    // Three columns without elements are equal.
    const auto columns = run_op("Unique", 10, "", {in_f32({0, 3}, {}), int_scalar(1)});
    expect_tensor<float>(columns[0], {0, 1}, {});
    expect_lists(columns, {0}, {0, 0, 0}, {3});
}

TEST(Unique, InfersIntervals) {
    const auto shapes = [](const std::vector<In>& inputs) {
        std::string text;
        for (std::size_t port = 0; port < 4; ++port) {
            text += shape_of("Unique", 10, "", inputs, port) + " ";
        }
        return text;
    };
    const auto data = [](const char* shape) { return open(ElementType::f32, shape); };
    EXPECT_EQ(shapes({data("[2,3]")}), "[1..6] [1..6] [6] [1..6] ");
    EXPECT_EQ(shapes({data("[?,3]")}), "[?] [?] [?] [?] ");
    EXPECT_EQ(shapes({data("[1..2,3]")}), "[1..6] [1..6] [3..6] [1..6] ");
    EXPECT_EQ(shapes({data("...")}), "[?] [?] [?] [?] ");
    EXPECT_EQ(shapes({data("[2,?]"), int_scalar(0)}), "[1..2,?] [1..2] [2] [1..2] ");
    EXPECT_EQ(shapes({data("[2,?]"), int_scalar(-1)}), "[2,?] [?] [?] [?] ");
    EXPECT_EQ(shapes({data("[2,3]"), open(ElementType::i64, "[]")}), "[?,?] [?] [?] [?] ");
    EXPECT_EQ(shapes({data("..."), int_scalar(0)}), "[...] [?] [?] [?] ");
}

TEST(Unique, RefusesBadInputs) {
    EXPECT_THAT(error_of("Unique", 10, "", {kData, int_scalar(2)}),
                HasSubstr("axis is 2, expected a value in [-2, 1]"));
    EXPECT_THAT(blind_error_of("Unique", 10, "", {kData, int_scalar(-3)}),
                HasSubstr("axis is -3, expected a value in [-2, 1]"));
    EXPECT_THAT(error_of("Unique", 10, "", {kData, ints({0, 1})}), HasSubstr("axis has shape [2]"));
    EXPECT_THAT(error_of("Unique", 10, "", {kData, in_f32({}, {0})}),
                HasSubstr("axis is f32, expected an integer type"));
    EXPECT_THAT(error_of("Unique", 10, "index_element_type=u8", {kData}),
                HasSubstr("index_element_type is u8, expected i32 or i64"));
    EXPECT_THAT(error_of("Unique", 10, "count_element_type=f32", {kData}),
                HasSubstr("count_element_type is f32, expected i32 or i64"));
}

}  // namespace
}  // namespace fuseq::test
