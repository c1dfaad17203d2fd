// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

template <class T>
In single(T value) {
    return constant<T>(Shape{}, {value});
}

TEST(Range, CountsUpAndDown) {
    expect_tensor<std::int32_t>(
        run_op("Range", 1, "",
               {single<std::int32_t>(2), single<std::int32_t>(8), single<std::int32_t>(3)})[0],
        {2}, {2, 5});
    expect_tensor<std::int64_t>(
        run_op("Range", 4, "output_type=i64", {int_scalar(3), int_scalar(0), int_scalar(-1)})[0],
        {3}, {3, 2, 1});
    expect_tensor<float>(
        run_op("Range", 4, "output_type=f32", {single(1.0F), single(2.5F), single(0.5F)})[0], {3},
        {1, 1.5F, 2});
    expect_tensor<std::int64_t>(
        run_op("Range", 4, "output_type=i64", {int_scalar(3), int_scalar(3), int_scalar(1)})[0],
        {0}, {});
}

TEST(Range, TruncatesRealBoundsOfIntegerRanges) {
    expect_tensor<std::int32_t>(
        run_op("Range", 4, "output_type=i32", {single(1.9F), single(4.9F), single(1.9F)})[0], {3},
        {1, 2, 3});
}

TEST(Range, InfersOpenLengths) {
    EXPECT_EQ(shape_of("Range", 4, "output_type=i64",
                       {int_scalar(0), open(ElementType::i64, "[]"), int_scalar(1)}),
              "[?]");
}

TEST(Range, RefusesEndlessRanges) {
    EXPECT_THAT(
        error_of("Range", 4, "output_type=i64", {int_scalar(0), int_scalar(5), int_scalar(0)}),
        HasSubstr("step 0 make no range"));
    EXPECT_THAT(error_of("Range", 4, "output_type=i64",
                         {int_scalar(0), int_scalar(1LL << 29), int_scalar(1)}),
                HasSubstr("make 5.36871e+08 values, at most 268435456 are allowed"));
    EXPECT_THAT(blind_error_of("Range", 4, "output_type=i64",
                               {int_scalar(0), int_scalar(5), int_scalar(0)}),
                HasSubstr("make no range"));
    EXPECT_THAT(error_of("Range", 1, "", {int_scalar(0), single(1.0F), int_scalar(1)}),
                HasSubstr("same type"));
    EXPECT_THAT(
        error_of("Range", 4, "output_type=i64", {ints({0, 1}), int_scalar(5), int_scalar(1)}),
        HasSubstr("start has 2 values"));
}

}  // namespace
}  // namespace fuseq::test
