// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

const In kLine = in<std::int32_t>({5}, {0, 1, 2, 3, 4});
const In kGrid = in_f32({2, 3}, {1, 2, 3, 4, 5, 6});

std::vector<Tensor> slice(const In& x,
                          const char* attributes,
                          const std::vector<std::int64_t>& begin,
                          const std::vector<std::int64_t>& end,
                          const std::vector<std::int64_t>& strides) {
    return run_op("StridedSlice", 1, attributes, {x, ints(begin), ints(end), ints(strides)});
}

TEST(StridedSlice, CutsInBothDirections) {
    expect_tensor<std::int32_t>(slice(kLine, "begin_mask=0; end_mask=0", {1}, {4}, {2})[0], {2},
                                {1, 3});
    expect_tensor<std::int32_t>(slice(kLine, "begin_mask=0; end_mask=0", {-2}, {100}, {1})[0], {2},
                                {3, 4});
    expect_tensor<std::int32_t>(slice(kLine, "begin_mask=0; end_mask=1", {3}, {0}, {-2})[0], {2},
                                {3, 1});
    expect_tensor<std::int32_t>(slice(kLine, "begin_mask=1; end_mask=1", {2}, {2}, {-1})[0], {5},
                                {4, 3, 2, 1, 0});
    expect_tensor<std::int32_t>(slice(kLine, "begin_mask=0; end_mask=0", {3}, {1}, {1})[0], {0},
                                {});
    expect_tensor<std::int32_t>(
        slice(kLine, "begin_mask=0; end_mask=0", {4}, {INT64_MIN}, {INT64_MIN})[0], {1}, {4});
}

TEST(StridedSlice, StridesAreOptional) {
    expect_tensor<std::int32_t>(
        run_op("StridedSlice", 1, "begin_mask=0; end_mask=0", {kLine, ints({1}), ints({3})})[0],
        {2}, {1, 2});
}

TEST(StridedSlice, NewAxisShrinkAndEllipsis) {
    expect_tensor<float>(
        slice(kGrid, "begin_mask=0,0; end_mask=0,0; shrink_axis_mask=1", {1, 0}, {2, 2}, {1, 1})[0],
        {2}, {4, 5});
    expect_tensor<float>(
        slice(kGrid, "begin_mask=1,1; end_mask=1,1; new_axis_mask=0,1", {0, 0}, {0, 0}, {1, 1})[0],
        {2, 1, 3}, {1, 2, 3, 4, 5, 6});
    expect_tensor<float>(
        slice(kGrid, "begin_mask=0,0; end_mask=0,0; ellipsis_mask=1,0", {0, -1}, {0, 3}, {1, 1})[0],
        {2, 1}, {3, 6});
    expect_tensor<float>(
        slice(kGrid, "begin_mask=; end_mask=; shrink_axis_mask=1,1", {-1, -3}, {0, 0}, {1, 1})[0],
        {}, {4});
}

TEST(StridedSlice, InfersOpenShapes) {
    const auto shape = [](const char* src, std::int64_t begin, std::int64_t end,
                          std::int64_t step) {
        return shape_of("StridedSlice", 1, "begin_mask=0; end_mask=0",
                        {open(ElementType::f32, src), ints({begin}), ints({end}), ints({step})});
    };
    EXPECT_EQ(shape("[?,3]", 0, 4, 1), "[0..4,3]");
    EXPECT_EQ(shape("[2..9]", 1, INT64_MAX, 2), "[1..4]");
    EXPECT_EQ(shape("[2..9]", -3, 5, 1), "[?]");
    EXPECT_EQ(shape("[?]", -3, INT64_MAX, 1), "[0..3]");
    EXPECT_EQ(shape_of("StridedSlice", 1, "begin_mask=1,0; end_mask=1,0; shrink_axis_mask=0,1",
                       {open(ElementType::f32, "[1..7,?,4]"), ints({0, 2}), ints({0, 0})}),
              "[1..7,4]");
    EXPECT_EQ(shape_of("StridedSlice", 1, "begin_mask=0; end_mask=0",
                       {open(ElementType::f32, "[8,4]"), open(ElementType::i64, "[1]"), ints({3})}),
              "[?,4]");
}

TEST(StridedSlice, RefusesBadBounds) {
    const auto error = [](const char* attributes, const std::vector<std::int64_t>& begin,
                          const std::vector<std::int64_t>& end,
                          const std::vector<std::int64_t>& strides) {
        return error_of("StridedSlice", 1, attributes,
                        {kGrid, ints(begin), ints(end), ints(strides)});
    };
    EXPECT_THAT(error("begin_mask=0; end_mask=0", {0}, {1}, {0}),
                HasSubstr("strides has the value 0"));
    EXPECT_THAT(error("begin_mask=0; end_mask=0; shrink_axis_mask=1", {2}, {3}, {1}),
                HasSubstr("begin takes element 2 of dimension 0 of size 2"));
    EXPECT_THAT(error("begin_mask=0; end_mask=0", {0, 0, 0}, {1, 1, 1}, {1, 1, 1}),
                HasSubstr("names 3 dimensions, src has rank 2"));
    EXPECT_THAT(error("begin_mask=0; end_mask=0", {0, 0}, {1}, {1, 1}),
                HasSubstr("end has 1 values, expected 2"));
    EXPECT_THAT(error("begin_mask=2; end_mask=0", {0}, {1}, {1}), HasSubstr("value 2"));
    EXPECT_THAT(blind_error_of("StridedSlice", 1, "begin_mask=0; end_mask=0; shrink_axis_mask=1",
                               {kGrid, ints({-3}), ints({0}), ints({1})}),
                HasSubstr("begin takes element -3"));
}

}  // namespace
}  // namespace fuseq::test
