// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

#include <limits>

namespace fuseq::test {
namespace {

using testing::HasSubstr;

constexpr float kLowest = std::numeric_limits<float>::lowest();
const In kData = in_f32({5}, {3, 9, -2, 4, -5});
const In kIds = ints({0, 0, 2, 3, 3});

Tensor segments(const std::vector<In>& inputs, const char* fill = "fill_mode=ZERO") {
    return run_op("SegmentMax", 16, fill, inputs)[0];
}

TEST(SegmentMax, TakesTheMaximumOfEachSegment) {
    expect_tensor<float>(segments({kData, kIds}), {4}, {9, 0, -2, 4});
    expect_tensor<float>(segments({kData, kIds}, "fill_mode=LOWEST"), {4}, {9, kLowest, -2, 4});
    expect_tensor<float>(segments({kData, kIds}, "fill_mode=lowest"), {4}, {9, kLowest, -2, 4});
    const In rows = in<std::int32_t>({3, 4}, {1, 2, 3, 4, 5, -6, 7, -8, -9, 10, -11, 12});
    expect_tensor<std::int32_t>(segments({rows, constant<std::int32_t>({3}, {0, 1, 1})}), {2, 4},
                                {1, 2, 3, 4, 5, 10, 7, 12});
    expect_tensor<std::int32_t>(
        segments({rows, constant<std::int32_t>({3}, {1, 1, 1})}, "fill_mode=LOWEST"), {2, 4},
        {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::min(),
         std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::min(), 5, 10,
         7, 12});
}

TEST(SegmentMax, CutsAndPadsToTheNumberOfSegments) {
    expect_tensor<float>(segments({kData, kIds, int_scalar(2)}), {2}, {9, 0});
    expect_tensor<float>(segments({kData, kIds, ints({6})}), {6}, {9, 0, -2, 4, 0, 0});
    expect_tensor<float>(segments({kData, kIds, constant<std::int32_t>({}, {0})}), {0}, {});
    expect_tensor<float>(segments({in_f32({0, 2}, {}), ints({}), int_scalar(1)}), {1, 2}, {0, 0});
    expect_tensor<float>(segments({in_f32({0, 2}, {}), ints({})}), {0, 2}, {});
}

TEST(SegmentMax, InfersOpenShapes) {
    const auto shape = [](const std::vector<In>& inputs) {
        return shape_of("SegmentMax", 16, "fill_mode=ZERO", inputs);
    };
    const In data = open(ElementType::f32, "[?,3]");
    const In ids = open(ElementType::i64, "[?]");
    EXPECT_EQ(shape({data, ids}), "[?,3]");
    EXPECT_EQ(shape({data, ids, int_scalar(7)}), "[7,3]");
    EXPECT_EQ(shape({data, ints({0, 4})}), "[5,3]");
    EXPECT_EQ(shape({data, ints({0, 4}), open(ElementType::i32, "[]")}), "[?,3]");
    EXPECT_EQ(shape({open(ElementType::f32, "..."), ids, int_scalar(7)}), "[...]");
}

TEST(SegmentMax, RefusesBadInputs) {
    const auto why = [](const std::vector<In>& inputs) {
        return error_of("SegmentMax", 16, "fill_mode=ZERO", inputs);
    };
    const auto why_blind = [](const std::vector<In>& inputs) {
        return blind_error_of("SegmentMax", 16, "fill_mode=ZERO", inputs);
    };
    EXPECT_THAT(why({in_f32({2}, {1, 2}), ints({1, 0})}),
                HasSubstr("element 1 of segment_ids is 0, expected 1 or more"));
    EXPECT_THAT(why_blind({in_f32({2}, {1, 2}), ints({1, 0})}),
                HasSubstr("element 1 of segment_ids is 0, expected 1 or more"));
    EXPECT_THAT(why({in_f32({2}, {1, 2}), ints({-1, 0})}),
                HasSubstr("element 0 of segment_ids is -1, expected 0 or more"));
    EXPECT_THAT(why({in_f32({2}, {1, 2}), ints({0})}),
                HasSubstr("data of shape [2] has 2 rows, segment_ids has 1 elements"));
    EXPECT_THAT(why_blind({in_f32({2}, {1, 2}), ints({0})}), HasSubstr("has 2 rows"));
    EXPECT_THAT(why({in_f32({}, {1}), ints({0})}), HasSubstr("data is a scalar"));
    EXPECT_THAT(why({kData, int_scalar(0)}),
                HasSubstr("segment_ids have shape [], expected rank 1"));
    EXPECT_THAT(why({kData, in_f32({5}, {0, 0, 0, 0, 0})}), HasSubstr("segment_ids are f32"));
    EXPECT_THAT(why({in<bool>({1}, {true}), ints({0})}),
                HasSubstr("data is boolean, expected a numeric type"));
    EXPECT_THAT(why({kData, kIds, int_scalar(-1)}),
                HasSubstr("num_segments is -1, expected a value in [0, 16777216]"));
    EXPECT_THAT(why_blind({kData, kIds, int_scalar(16777217)}),
                HasSubstr("num_segments is 16777217, expected a value in [0, 16777216]"));
    constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
    EXPECT_THAT(why({in_f32({1}, {1}), ints({kHuge})}),
                HasSubstr("the highest of segment_ids plus 1 is 9223372036854775807, expected a "
                          "value in [0, 16777216]"));
    EXPECT_THAT(why({kData, kIds, ints({1, 2})}), HasSubstr("num_segments has shape [2]"));
    EXPECT_THAT(error_of("SegmentMax", 16, "fill_mode=ONE", {kData, kIds}),
                HasSubstr("'ONE' is not one of ZERO, LOWEST"));
}

}  // namespace
}  // namespace fuseq::test
