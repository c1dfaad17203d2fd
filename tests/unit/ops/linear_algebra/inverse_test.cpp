// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

TEST(Inverse, SmallMatrices) {
    expect_near(run_op("Inverse", 14, "", {in_f32({2, 2}, {2, 1, 1, 1})})[0], {2, 2},
                {1, -1, -1, 2});
    expect_near(run_op("Inverse", 14, "", {in_f32({1, 1}, {4})})[0], {1, 1}, {0.25});
    // Rows change places: the pivot of the first column is below.
    expect_near(run_op("Inverse", 14, "adjoint=false", {in_f32({2, 2}, {0, 1, 2, 0})})[0], {2, 2},
                {0, 0.5, 1, 0});
    expect_near(run_op("Inverse", 14, "", {in_f32({3, 3}, {0, 2, 0, 0, 0, 4, 5, 0, 0})})[0], {3, 3},
                {0, 0, 0.2F, 0.5, 0, 0, 0, 0.25, 0});
    expect_tensor<double>(run_op("Inverse", 14, "", {in<double>({2, 2}, {2, 0, 0, 4})})[0], {2, 2},
                          {0.5, 0, 0, 0.25});
}

// The pivot of the first column is 1e-20: without exchange of rows the result is far off.
TEST(Inverse, ChoosesLargePivots) {
    expect_near(run_op("Inverse", 14, "", {in_f32({2, 2}, {1e-20F, 1, 1, 1})})[0], {2, 2},
                {-1, 1, 1, 0});
}

TEST(Inverse, Batches) {
    const In two = in_f32({2, 1, 2, 2}, {2, 1, 1, 1, 1, 2, 3, 4});
    expect_near(run_op("Inverse", 14, "", {two})[0], {2, 1, 2, 2},
                {1, -1, -1, 2, -2, 1, 1.5, -0.5});
    EXPECT_EQ(run_op("Inverse", 14, "", {in_f32({0, 2, 2}, {})})[0].get_size(), 0U);
    EXPECT_EQ(run_op("Inverse", 14, "", {in_f32({3, 0, 0}, {})})[0].get_size(), 0U);
}

// [d, -b, -c, a], whether rows were exchanged or not.
TEST(Inverse, Adjugates) {
    expect_near(run_op("Inverse", 14, "adjoint=true", {in_f32({2, 2}, {1, 2, 3, 4})})[0], {2, 2},
                {4, -2, -3, 1});
    expect_near(run_op("Inverse", 14, "adjoint=true", {in_f32({2, 2}, {4, 2, 3, 1})})[0], {2, 2},
                {1, -2, -3, 4});
    expect_near(
        run_op("Inverse", 14, "adjoint=true", {in_f32({3, 3}, {1, 0, 2, 0, 3, 0, 0, 0, 4})})[0],
        {3, 3}, {12, 0, -6, 0, 4, 0, 0, 0, 3});
}

// No error: infinities and NaN, as OpenVINO's reference gives.
TEST(Inverse, SingularMatricesGiveNoNumbers) {
    for (const char* attributes : {"adjoint=false", "adjoint=true"}) {
        const Tensor result = run_op("Inverse", 14, attributes, {in_f32({2, 2}, {1, 2, 2, 4})})[0];
        for (const float value : result.values<float>()) {
            EXPECT_FALSE(std::isfinite(value)) << attributes;
        }
    }
}

TEST(Inverse, InfersOpenShapes) {
    EXPECT_EQ(shape_of("Inverse", 14, "", {open(ElementType::f32, "[?,?,3]")}), "[?,3,3]");
    EXPECT_EQ(shape_of("Inverse", 14, "", {open(ElementType::f32, "[2..8,4..]")}), "[4..8,4..8]");
    EXPECT_EQ(shape_of("Inverse", 14, "", {open(ElementType::f16, "...")}), "[...]");
}

TEST(Inverse, Refuses) {
    const auto why = [](const In& input) { return error_of("Inverse", 14, "", {input}); };
    EXPECT_THAT(why(in_f32({2, 3}, std::vector<float>(6))),
                HasSubstr("input has shape [2,3], expected square matrices in the last two"));
    EXPECT_THAT(why(in_f32({2}, {1, 2})), HasSubstr("input has shape [2], expected square"));
    EXPECT_THAT(why(in<std::int32_t>({1, 1}, {1})),
                HasSubstr("input is i32, expected a real type"));
    EXPECT_THAT(blind_error_of("Inverse", 14, "", {in_f32({2, 3}, std::vector<float>(6))}),
                HasSubstr("input has shape [2,3], expected square matrices"));
}

}  // namespace
}  // namespace fuseq::test
