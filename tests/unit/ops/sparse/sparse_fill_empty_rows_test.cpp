// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

// The example of the specification: 5 x 6, rows 1 and 4 are empty.
const In kValues = in_f32({4}, {1, 2, 3, 4});
const In kShape = ints({5, 6});
const In kPlaces = constant<std::int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 3, 1});
const In kDefault = in_f32({}, {42});

std::vector<Tensor> fill(const std::vector<In>& inputs) {
    return run_op("SparseFillEmptyRows", 16, "", inputs);
}

TEST(SparseFillEmptyRows, GivesEmptyRowsAValue) {
    const auto outputs = fill({kValues, kShape, kPlaces, kDefault});
    expect_tensor<std::int64_t>(outputs[0], {6, 2}, {0, 1, 0, 3, 1, 0, 2, 0, 3, 1, 4, 0});
    expect_tensor<float>(outputs[1], {6}, {1, 2, 42, 3, 4, 42});
    expect_bools(outputs[2], {5}, {0, 1, 0, 0, 1});
}

TEST(SparseFillEmptyRows, SortsAndKeepsTheOrderOfEqualPlaces) {
    const auto outputs =
        fill({in<std::uint8_t>({4}, {1, 2, 3, 4}), constant<std::int32_t>({2}, {3, 9}),
              in<std::int32_t>({4, 2}, {2, 1, 0, 8, 0, 2, 2, 1}), in<std::uint8_t>({1}, {7})});
    expect_tensor<std::int32_t>(outputs[0], {5, 2}, {0, 2, 0, 8, 1, 0, 2, 1, 2, 1});
    expect_tensor<std::uint8_t>(outputs[1], {5}, {3, 2, 7, 1, 4});
    expect_bools(outputs[2], {3}, {0, 1, 0});
}

TEST(SparseFillEmptyRows, FillsAnEmptyMatrixAndLeavesAFullOne) {
    const auto empty =
        fill({in_f32({0}, {}), ints({2, 3}), constant<std::int64_t>({0, 2}, {}), kDefault});
    expect_tensor<std::int64_t>(empty[0], {2, 2}, {0, 0, 1, 0});
    expect_tensor<float>(empty[1], {2}, {42, 42});
    expect_bools(empty[2], {2}, {1, 1});
    const auto full =
        fill({in_f32({1}, {5}), ints({1, 1}), constant<std::int64_t>({1, 2}, {0, 0}), kDefault});
    expect_tensor<std::int64_t>(full[0], {1, 2}, {0, 0});
    expect_tensor<float>(full[1], {1}, {5});
    const auto none =
        fill({in_f32({0}, {}), ints({0, 3}), constant<std::int64_t>({0, 2}, {}), kDefault});
    expect_tensor<std::int64_t>(none[0], {0, 2}, {});
    expect_bools(none[2], {0}, {});
}

TEST(SparseFillEmptyRows, InfersIntervals) {
    const auto shapes = [](const std::vector<In>& inputs) {
        std::string text;
        for (std::size_t port = 0; port < 3; ++port) {
            text += shape_of("SparseFillEmptyRows", 16, "", inputs, port) + " ";
        }
        return text;
    };
    const auto f32 = [](const char* shape) { return open(ElementType::f32, shape); };
    const auto i64 = [](const char* shape) { return open(ElementType::i64, shape); };
    EXPECT_EQ(shapes({f32("[4]"), kShape, kPlaces, kDefault}), "[6,2] [6] [5] ");
    // 4 values fill between one and four rows.
    EXPECT_EQ(shapes({f32("[4]"), kShape, i64("[4,2]"), kDefault}), "[5..8,2] [5..8] [5] ");
    EXPECT_EQ(shapes({f32("[9]"), kShape, i64("[?,2]"), kDefault}), "[9..13,2] [9..13] [5] ");
    EXPECT_EQ(shapes({f32("..."), kShape, i64("[0,2]"), kDefault}), "[5,2] [5] [5] ");
    EXPECT_EQ(shapes({f32("[?]"), kShape, i64("..."), kDefault}), "[5..,2] [5..] [5] ");
    EXPECT_EQ(shapes({f32("[4]"), i64("[2]"), i64("..."), kDefault}), "[4..,2] [4..] [?] ");
    // The largest size plus 5 rows is no size.
    EXPECT_EQ(shapes({f32("[0..9223372036854775807]"), kShape, i64("..."), kDefault}),
              "[5..,2] [5..] [5] ");
}

TEST(SparseFillEmptyRows, RefusesBadInputs) {
    const auto why = [](const std::vector<In>& inputs) {
        return error_of("SparseFillEmptyRows", 16, "", inputs);
    };
    const auto why_blind = [](const std::vector<In>& inputs) {
        return blind_error_of("SparseFillEmptyRows", 16, "", inputs);
    };
    const In outside = constant<std::int64_t>({4, 2}, {0, 1, 0, 3, 5, 0, 3, 1});
    EXPECT_THAT(why({kValues, kShape, outside, kDefault}),
                HasSubstr("element 4 of the indices is 5, expected a value in [0, 4]"));
    EXPECT_THAT(why_blind({kValues, kShape, outside, kDefault}),
                HasSubstr("element 4 of the indices is 5, expected a value in [0, 4]"));
    const In negative = constant<std::int64_t>({4, 2}, {0, -1, 0, 3, 2, 0, 3, 1});
    EXPECT_THAT(why({kValues, kShape, negative, kDefault}),
                HasSubstr("element 1 of the indices is -1, expected a value in [0, 5]"));
    EXPECT_THAT(why({in_f32({4, 1}, {1, 2, 3, 4}), kShape, kPlaces, kDefault}),
                HasSubstr("values have shape [4,1], expected rank 1"));
    EXPECT_THAT(why({kValues, ints({5, 6, 7}), kPlaces, kDefault}),
                HasSubstr("dense_shape has shape [3], expected [2]"));
    EXPECT_THAT(why({in_f32({3}, {1, 2, 3}), kShape, kPlaces, kDefault}),
                HasSubstr("indices have shape [4,2], expected [3,2]"));
    EXPECT_THAT(why_blind({in_f32({3}, {1, 2, 3}), kShape, kPlaces, kDefault}),
                HasSubstr("indices have shape [4,2], expected [3,2]"));
    EXPECT_THAT(why({kValues, kShape, kPlaces, in_f32({2}, {1, 1})}),
                HasSubstr("default_value has shape [2], expected one element"));
    EXPECT_THAT(why({kValues, kShape, kPlaces, in<std::int32_t>({}, {1})}),
                HasSubstr("input 0 is f32, input 3 is i32"));
    EXPECT_THAT(why({kValues, constant<std::int32_t>({2}, {5, 6}), kPlaces, kDefault}),
                HasSubstr("input 1 is i32, input 2 is i64"));
    EXPECT_THAT(
        why({kValues, ints({-5, 6}), kPlaces, kDefault}),
        HasSubstr("the number of rows in dense_shape is -5, expected a value in [0, 16777216]"));
    EXPECT_THAT(why({kValues, ints({5, -6}), kPlaces, kDefault}),
                HasSubstr("dense_shape has -6 columns, expected 0 or more"));
    EXPECT_THAT(
        why({kValues, in_f32({2}, {5, 6}), in_f32({4, 2}, std::vector<float>(8)), kDefault}),
        HasSubstr("indices are f32, expected an integer type"));
}

}  // namespace
}  // namespace fuseq::test
