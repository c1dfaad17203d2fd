// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/mvn.hpp"

#include "unit/ops_heads/run_op.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

TEST(Mvn, NormalizesOverAxes) {
    MvnAttrs attrs;
    attrs.eps = 4;  // variance 5: divided by 3
    const Tensor in = floats({2, 4}, {1, 3, 5, 7, 11, 13, 15, 17});
    expect_values(run_op("MVN", 6, attrs, {in, i64s({1}, {-1})}, {1})[0],
                  {-1, -1.F / 3, 1.F / 3, 1, -1, -1.F / 3, 1.F / 3, 1});
    attrs.normalize_variance = false;
    expect_values(run_op("MVN", 6, attrs, {in, i32s({2}, {0, 1})}, {1})[0],
                  {-8, -6, -4, -2, 2, 4, 6, 8});
    expect_values(run_op("MVN", 6, attrs, {in, i64s({1}, {0})})[0], {-5, -5, -5, -5, 5, 5, 5, 5});
}

TEST(Mvn, AddsEpsOutside) {
    MvnAttrs attrs;
    attrs.eps = 1;
    attrs.eps_mode = EpsMode::kOutsideSqrt;
    expect_values(run_op("MVN", 6, attrs, {floats({2}, {1, 3}), i64s({1}, {0})}, {1})[0],
                  {-0.5F, 0.5F});
}

TEST(Mvn, KeepsTheMean) {
    MvnAttrs attrs;
    attrs.keep_mean = true;
    attrs.eps = 11;  // mean of squares 25
    expect_values(run_op("MVN", 6, attrs, {floats({2}, {1, 7}), i64s({1}, {0})}, {1})[0],
                  {1.0F / 6, 7.0F / 6});
}

TEST(Mvn, RefusesBadAxes) {
    MvnAttrs attrs;
    EXPECT_THAT(refusal("MVN", 6, attrs, {open("[2,3]"), i64s({1}, {2})}), HasSubstr("axes is 2"));
    attrs.eps = -1;
    EXPECT_THAT(refusal("MVN", 6, attrs, {open("[2,3]"), i64s({1}, {1})}), HasSubstr("eps is -1"));
    attrs.eps = 0;
    EXPECT_THAT(refusal("MVN", 6, attrs, {open("[2,3]", element::i32), i64s({1}, {1})}),
                HasSubstr("input is i32"));
    EXPECT_EQ(shapes_of("MVN", 6, attrs, {open("[...]"), i64s({1}, {5})}), "[...]");
}

TEST(Mvn1, KeepsChannelsApartUnlessAsked) {
    Mvn1Attrs attrs;
    attrs.eps = 3;  // each channel: variance 1
    const Tensor in = floats({1, 2, 2}, {1, 3, 11, 13});
    expect_values(run_op("MVN", 2, attrs, {in})[0], {-0.5F, 0.5F, -0.5F, 0.5F});
    attrs.across_channels = true;
    attrs.eps = 10;  // mean 7, variance 26
    expect_values(run_op("MVN", 2, attrs, {in})[0], {-1, -4.F / 6, 4.F / 6, 1});
    attrs.reduction_axes = {2};
    attrs.eps = 3;
    expect_values(run_op("MVN", 2, attrs, {in})[0], {-0.5F, 0.5F, -0.5F, 0.5F});
    attrs.reduction_axes = {3};
    EXPECT_THAT(refusal("MVN", 1, attrs, {open("[1,2,2]")}), HasSubstr("reduction_axes is 3"));
}

}  // namespace
}  // namespace fuseq::test
