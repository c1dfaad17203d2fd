// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

// The examples of the specification.
TEST(Eye, Diagonals) {
    expect_tensor<std::int32_t>(
        run_op("Eye", 9, "output_type=i32", {int_scalar(3), int_scalar(4), int_scalar(2)})[0],
        {3, 4}, {0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0});
    expect_tensor<std::int32_t>(
        run_op("Eye", 9, "output_type=i32", {int_scalar(3), int_scalar(4), int_scalar(-1)})[0],
        {3, 4}, {0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0});
    expect_tensor<float>(run_op("Eye", 9, "output_type=f32",
                                {int_scalar(2), int_scalar(2), int_scalar(5), ints({1, 2})})[0],
                         {1, 2, 2, 2}, {0, 0, 0, 0, 0, 0, 0, 0});
    // More rows than columns; the last diagonals and those after them.
    const auto tall = [](std::int64_t diagonal) {
        return run_op("Eye", 9, "output_type=u8", {ints({3}), ints({2}), ints({diagonal})})[0];
    };
    expect_tensor<std::uint8_t>(tall(0), {3, 2}, {1, 0, 0, 1, 0, 0});
    expect_tensor<std::uint8_t>(tall(1), {3, 2}, {0, 1, 0, 0, 0, 0});
    expect_tensor<std::uint8_t>(tall(2), {3, 2}, {0, 0, 0, 0, 0, 0});
    expect_tensor<std::uint8_t>(tall(-2), {3, 2}, {0, 0, 0, 0, 1, 0});
    expect_tensor<std::uint8_t>(tall(-3), {3, 2}, {0, 0, 0, 0, 0, 0});
    expect_tensor<std::uint8_t>(tall(INT64_MIN), {3, 2}, {0, 0, 0, 0, 0, 0});
    expect_tensor<std::uint8_t>(tall(INT64_MAX), {3, 2}, {0, 0, 0, 0, 0, 0});
}

TEST(Eye, Batches) {
    expect_tensor<std::int64_t>(run_op("Eye", 9, "output_type=i64",
                                       {int_scalar(2), int_scalar(2), int_scalar(0), ints({3})})[0],
                                {3, 2, 2}, {1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1});
    const In no_batch = constant<std::int64_t>({0}, {});
    expect_tensor<std::int64_t>(run_op("Eye", 9, "output_type=i64",
                                       {int_scalar(1), int_scalar(2), int_scalar(0), no_batch})[0],
                                {1, 2}, {1, 0});
    EXPECT_EQ(run_op("Eye", 9, "output_type=f32",
                     {int_scalar(0), int_scalar(2), int_scalar(0), ints({2})})[0]
                  .get_size(),
              0U);
}

TEST(Eye, EveryNumericType) {
    for (const char* type :
         {"u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f16", "bf16", "f32", "f64"}) {
        const Tensor eye =
            run_op("Eye", 9, std::string("output_type=") + type,
                   {int_scalar(2), constant<std::int32_t>({}, {2}), int_scalar(0)})[0];
        EXPECT_EQ(to_string(eye.get_element_type()), type);
        EXPECT_EQ(to_floats(eye), (std::vector<float>{1, 0, 0, 1})) << type;
    }
}

TEST(Eye, InfersOpenShapes) {
    const In number = open(ElementType::i32, "[]");
    EXPECT_EQ(shape_of("Eye", 9, "output_type=f32", {number, int_scalar(3), number}), "[?,3]");
    EXPECT_EQ(shape_of("Eye", 9, "output_type=f32",
                       {int_scalar(2), number, number, open(ElementType::i64, "[2]")}),
              "[?,?,2,?]");
    EXPECT_EQ(shape_of("Eye", 9, "output_type=f32",
                       {number, number, number, open(ElementType::i64, "[?]")}),
              "[...]");
}

TEST(Eye, Refuses) {
    const In two = int_scalar(2);
    EXPECT_THAT(error_of("Eye", 9, "output_type=f32", {int_scalar(-1), two, two}),
                HasSubstr("num_rows is -1, expected 0 or more"));
    EXPECT_THAT(error_of("Eye", 9, "output_type=f32", {two, int_scalar(-3), two}),
                HasSubstr("num_columns is -3, expected 0 or more"));
    EXPECT_THAT(error_of("Eye", 9, "output_type=f32", {two, two, two, ints({2, -1})}),
                HasSubstr("batch_shape has the value -1, expected 0 or more"));
    EXPECT_THAT(error_of("Eye", 9, "output_type=boolean", {two, two, two}),
                HasSubstr("output_type is boolean, expected a numeric type"));
    EXPECT_THAT(error_of("Eye", 9, "output_type=f32", {two, two, in_f32({}, {1})}),
                HasSubstr("diagonal_index is f32, expected an integer type"));
    EXPECT_THAT(error_of("Eye", 9, "output_type=f32", {ints({1, 2}), two, two}),
                HasSubstr("num_rows has shape [2], expected one element"));
    const In many = int_scalar(65536);
    for (const auto& why : {error_of, blind_error_of}) {
        EXPECT_THAT(why("Eye", 9, "output_type=f32", {many, many, two}),
                    HasSubstr("the result has shape [65536,65536], expected at most 268435456 "
                              "elements"));
        EXPECT_THAT(why("Eye", 9, "output_type=f32", {two, two, two, ints({1LL << 30})}),
                    HasSubstr("expected at most 268435456 elements"));
    }
    EXPECT_THAT(blind_error_of("Eye", 9, "output_type=f32", {int_scalar(-1), two, two}),
                HasSubstr("num_rows is -1"));
    EXPECT_THAT(blind_error_of("Eye", 9, "output_type=f32", {two, two, two, ints({-1})}),
                HasSubstr("batch_shape has the value -1"));
}

}  // namespace
}  // namespace fuseq::test
