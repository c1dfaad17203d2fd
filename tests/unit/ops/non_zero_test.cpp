// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

TEST(NonZero, ListsPositions) {
    expect_tensor<std::int64_t>(run_op("NonZero", 3, "", {in_f32({2, 2}, {0, 1, 2, 0})})[0], {2, 2},
                                {0, 1, 1, 0});
    expect_tensor<std::int32_t>(
        run_op("NonZero", 3, "output_type=i32", {in<std::uint8_t>({3}, {0, 0, 5})})[0], {1, 1},
        {2});
    expect_tensor<std::int64_t>(run_op("NonZero", 3, "", {in_f32({}, {3})})[0], {1, 1}, {0});
    expect_tensor<std::int64_t>(run_op("NonZero", 3, "", {in_f32({2}, {0, 0})})[0], {1, 0}, {});
}

TEST(NonZero, BooleansAndHalves) {
    In flags = in<std::uint8_t>({2, 2}, {1, 0, 0, 1});
    flags.value = flags.value.to(ElementType::boolean);
    flags.type = ElementType::boolean;
    expect_tensor<std::int64_t>(run_op("NonZero", 3, "", {flags})[0], {2, 2}, {0, 1, 0, 1});
    EXPECT_EQ(shape_of("NonZero", 3, "", {open(ElementType::f16, "[?,4]")}), "[2,?]");
}

TEST(NonZero, InfersAnInterval) {
    EXPECT_EQ(shape_of("NonZero", 3, "", {open(ElementType::f32, "[2,3]")}), "[2,0..6]");
    EXPECT_EQ(shape_of("NonZero", 3, "", {open(ElementType::f32, "...")}), "[?,?]");
    EXPECT_THAT(error_of("NonZero", 3, "output_type=f32", {in_f32({1}, {1})}),
                HasSubstr("output_type is f32"));
}

}  // namespace
}  // namespace fuseq::test
