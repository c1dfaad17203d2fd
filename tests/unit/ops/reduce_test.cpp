// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

const In kSix = in_f32({2, 3}, {1, -2, 3, 4, 5, -6});

std::vector<Tensor> reduce(const char* type, const In& x, const std::vector<std::int64_t>& axes) {
    return run_op(type, 5, "keep_dims=false", {x, ints(axes)});
}

TEST(Reduce, EveryOperation) {
    expect_tensor<float>(reduce("ReduceSum", kSix, {1})[0], {2}, {2, 3});
    expect_near(reduce("ReduceMean", kSix, {1})[0], {2}, {2.0F / 3, 1});
    expect_tensor<float>(reduce("ReduceProd", kSix, {0})[0], {3}, {4, -10, -18});
    expect_tensor<float>(reduce("ReduceMax", kSix, {0, 1})[0], {}, {5});
    expect_tensor<float>(reduce("ReduceMin", kSix, {-1})[0], {2}, {-2, -6});
    expect_tensor<float>(reduce("ReduceL1", kSix, {1})[0], {2}, {6, 15});
    expect_near(reduce("ReduceL2", kSix, {0})[0], {3}, {4.1231056F, 5.3851648F, 6.7082039F});
}

TEST(Reduce, KeepsDimensionsAndTakesNoAxes) {
    expect_tensor<float>(run_op("ReduceSum", 1, "keep_dims=true", {kSix, int_scalar(0)})[0], {1, 3},
                         {5, 3, -3});
    expect_tensor<float>(reduce("ReduceMax", kSix, {})[0], {2, 3}, {1, -2, 3, 4, 5, -6});
}

TEST(Reduce, Logic) {
    In x{Tensor(ElementType::boolean, Shape{2, 2}), false, ElementType::boolean, Shape{2, 2},
         false};
    auto* bytes = static_cast<std::uint8_t*>(x.value.data());
    bytes[0] = 1;
    bytes[2] = bytes[3] = 1;
    expect_bools(reduce("ReduceLogicalAnd", x, {1})[0], {2}, {0, 1});
    expect_bools(reduce("ReduceLogicalOr", x, {1})[0], {2}, {1, 1});
    EXPECT_THAT(error_of("ReduceLogicalOr", 1, "", {kSix, ints({0})}),
                HasSubstr("expected boolean"));
}

TEST(Reduce, Integers) {
    const In u8 = in<std::uint8_t>({1, 4}, {10, 20, 30, 1});
    expect_tensor<std::uint8_t>(reduce("ReduceMax", u8, {1})[0], {1}, {30});
    expect_tensor<std::uint8_t>(reduce("ReduceMean", u8, {1})[0], {1}, {15});
    expect_tensor<float>(run_op("ReduceMean", 1, "output_type=f32", {u8, ints({1})})[0], {1},
                         {15.25F});
    const In i8 = in<std::int8_t>({2}, {-3, -128});
    expect_tensor<std::int8_t>(reduce("ReduceMin", i8, {0})[0], {}, {-128});
    const In i64 = in<std::int64_t>({2}, {1LL << 60, -1});
    expect_tensor<std::int64_t>(reduce("ReduceSum", i64, {0})[0], {}, {(1LL << 60) - 1});
}

TEST(Reduce, NothingToReduceGivesTheNeutralElement) {
    const In none = in_f32({0, 2}, {});
    expect_tensor<float>(reduce("ReduceSum", none, {0})[0], {2}, {0, 0});
    expect_tensor<float>(reduce("ReduceProd", none, {0})[0], {2}, {1, 1});
}

TEST(Reduce, InfersOpenShapes) {
    EXPECT_EQ(shape_of("ReduceMean", 1, "keep_dims=true",
                       {open(ElementType::f32, "[?,3,4..5]"), ints({1})}),
              "[?,1,4..5]");
    EXPECT_EQ(shape_of("ReduceMean", 1, "",
                       {open(ElementType::f32, "[?,3,4]"), open(ElementType::i64, "[2]")}),
              "[?]");
}

TEST(Reduce, RefusesBadAxes) {
    EXPECT_THAT(error_of("ReduceSum", 1, "", {kSix, ints({2})}), HasSubstr("axes is 2"));
    EXPECT_THAT(error_of("ReduceSum", 1, "", {kSix, ints({0, -2})}), HasSubstr("axis 0 twice"));
    EXPECT_THAT(blind_error_of("ReduceSum", 1, "", {kSix, ints({2})}), HasSubstr("axes is 2"));
}

}  // namespace
}  // namespace fuseq::test
