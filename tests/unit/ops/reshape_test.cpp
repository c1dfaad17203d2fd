// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

const In kSix = in_f32({2, 3}, {1, 2, 3, 4, 5, 6});

TEST(Reshape, KeepsElements) {
    expect_tensor<float>(run_op("Reshape", 1, "special_zero=false", {kSix, ints({3, -1})})[0],
                         {3, 2}, {1, 2, 3, 4, 5, 6});
    expect_tensor<float>(run_op("Reshape", 1, "special_zero=true", {kSix, ints({0, 1, -1})})[0],
                         {2, 1, 3}, {1, 2, 3, 4, 5, 6});
    EXPECT_EQ(shape_of("Reshape", 1, "special_zero=false",
                       {open(ElementType::u8, "[0,3]"), ints({0, 5})}),
              "[0,5]");
}

TEST(Reshape, InfersOpenShapes) {
    const auto shape = [](const char* src, const std::vector<std::int64_t>& pattern) {
        return shape_of("Reshape", 1, "special_zero=true",
                        {open(ElementType::f32, src), ints(pattern)});
    };
    EXPECT_EQ(shape("[?,3,4]", {0, -1}), "[?,12]");
    EXPECT_EQ(shape("[?,3,4]", {-1, 12}), "[?,12]");
    EXPECT_EQ(shape("...", {-1, 12}), "[?,12]");
    EXPECT_EQ(shape("[1..4,3]", {0, 3, 1}), "[1..4,3,1]");
    EXPECT_EQ(shape_of("Reshape", 1, "special_zero=true",
                       {open(ElementType::f32, "[2,3]"), open(ElementType::i64, "[3]")}),
              "[?,?,?]");
}

TEST(Reshape, RefusesOtherSizes) {
    EXPECT_THAT(error_of("Reshape", 1, "", {kSix, ints({4, 2})}),
                HasSubstr("src of shape [2,3] does not have the elements of [4,2]"));
    EXPECT_THAT(error_of("Reshape", 1, "", {kSix, ints({-1, 4})}), HasSubstr("does not divide"));
    EXPECT_THAT(error_of("Reshape", 1, "", {kSix, ints({-1, -1})}), HasSubstr("-1 twice"));
    EXPECT_THAT(error_of("Reshape", 1, "", {kSix, ints({-2, 3})}), HasSubstr("value -2"));
    EXPECT_THAT(error_of("Reshape", 1, "special_zero=true", {kSix, ints({6, 1, 0})}),
                HasSubstr("copies dimension 2"));
    EXPECT_THAT(blind_error_of("Reshape", 1, "", {kSix, ints({4, 2})}),
                HasSubstr("does not have the elements"));
    EXPECT_THAT(error_of("Reshape", 1, "", {kSix, constant<float>({1}, {6})}),
                HasSubstr("expected an integer type"));
}

}  // namespace
}  // namespace fuseq::test
