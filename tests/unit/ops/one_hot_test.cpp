// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

const In kOn = constant<float>({}, {5});
const In kOff = constant<float>({}, {-1});

TEST(OneHot, SetsThePlaceOfTheIndex) {
    const In indices = in<std::int64_t>({2}, {2, 0});
    expect_tensor<float>(run_op("OneHot", 1, "axis=-1", {indices, int_scalar(3), kOn, kOff})[0],
                         {2, 3}, {-1, -1, 5, 5, -1, -1});
    expect_tensor<float>(run_op("OneHot", 1, "axis=0", {indices, int_scalar(3), kOn, kOff})[0],
                         {3, 2}, {-1, 5, -1, -1, 5, -1});
    // An index outside the depth sets nothing.
    expect_tensor<float>(run_op("OneHot", 1, "axis=0",
                                {in<std::int32_t>({2}, {3, -1}), int_scalar(3), kOn, kOff})[0],
                         {3, 2}, {-1, -1, -1, -1, -1, -1});
    expect_tensor<std::uint8_t>(
        run_op("OneHot", 1, "axis=0",
               {in<std::int32_t>({}, {1}), int_scalar(2), constant<std::uint8_t>({}, {1}),
                constant<std::uint8_t>({}, {0})})[0],
        {2}, {0, 1});
}

// The example of the specification, then both spellings of the other mode.
TEST(OneHot, OfOpset16MayCountFromTheEnd) {
    const In indices = in<std::int64_t>({5}, {0, -5, -2, 2, 3});
    const auto run = [&](const char* attributes) {
        return run_op("OneHot", 16, attributes,
                      {indices, int_scalar(3), constant<std::int32_t>({}, {1}),
                       constant<std::int32_t>({}, {2})})[0];
    };
    expect_tensor<std::int32_t>(run("axis=-1; negative_indices_mode=normalize"), {5, 3},
                                {1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 1, 2, 2, 2});
    const std::vector<std::int32_t> ignored{1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2};
    expect_tensor<std::int32_t>(run("axis=-1"), {5, 3}, ignored);
    expect_tensor<std::int32_t>(run("axis=-1; negative_indices_mode=ignore_negative"), {5, 3},
                                ignored);
    expect_tensor<std::int32_t>(run("axis=-1; negative_indices_mode=ignore-negative"), {5, 3},
                                ignored);
    EXPECT_THAT(error_of("OneHot", 16, "axis=0; negative_indices_mode=clamp",
                         {indices, int_scalar(3), kOn, kOff}),
                HasSubstr("'clamp' is not one of ignore_negative, normalize"));
}

TEST(OneHot, InfersOpenShapes) {
    EXPECT_EQ(shape_of("OneHot", 1, "axis=1",
                       {open(ElementType::i64, "[?,4]"), int_scalar(3), kOn, kOff}),
              "[?,3,4]");
    EXPECT_EQ(shape_of("OneHot", 1, "axis=1",
                       {open(ElementType::i64, "[2]"), open(ElementType::i64, "[]"), kOn, kOff}),
              "[2,?]");
}

TEST(OneHot, RefusesBadInputs) {
    const In indices = in<std::int64_t>({1}, {0});
    EXPECT_THAT(error_of("OneHot", 1, "axis=0", {indices, int_scalar(-1), kOn, kOff}),
                HasSubstr("depth is -1"));
    EXPECT_THAT(blind_error_of("OneHot", 1, "axis=0", {indices, int_scalar(-1), kOn, kOff}),
                HasSubstr("depth is -1"));
    EXPECT_THAT(error_of("OneHot", 1, "axis=2", {indices, int_scalar(1), kOn, kOff}),
                HasSubstr("axis is 2"));
    EXPECT_THAT(error_of("OneHot", 1, "axis=0", {in_f32({1}, {0}), int_scalar(1), kOn, kOff}),
                HasSubstr("expected an integer type"));
    EXPECT_THAT(error_of("OneHot", 1, "axis=0",
                         {indices, int_scalar(1), constant<float>({2}, {1, 1}), kOff}),
                HasSubstr("on_value has 2 values"));
    EXPECT_THAT(error_of("OneHot", 1, "axis=0", {indices, int_scalar(1LL << 30), kOn, kOff}),
                HasSubstr("the result has shape [1073741824,1], expected at most 268435456"));
}

}  // namespace
}  // namespace fuseq::test
