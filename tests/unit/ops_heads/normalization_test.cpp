// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/batch_norm_inference.hpp"
#include "ops/group_normalization.hpp"
#include "ops/lrn.hpp"
#include "ops/normalize_l2.hpp"
#include "unit/ops_heads/run_op.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

TEST(NormalizeL2, DividesByTheLength) {
    NormalizeL2Attrs attrs;
    const Tensor in = floats({1, 2, 2}, {3, 6, 4, 8});  // channels (3, 4) and (6, 8)
    expect_values(run_op("NormalizeL2", 1, attrs, {in, i64s({1}, {1})}, {1})[0],
                  {0.6F, 0.6F, 0.8F, 0.8F});
    attrs.eps = 11;  // 25 + 11 and 100 + 11
    expect_values(run_op("NormalizeL2", 1, attrs, {in, i64s({1}, {-2})}, {1})[0],
                  {0.5F, 0.569495F, 4.F / 6, 0.759326F});
    attrs.eps_mode = L2EpsMode::kMax;
    attrs.eps = 64;
    expect_values(run_op("NormalizeL2", 1, attrs, {in, i64s({1}, {1})})[0],
                  {0.375F, 0.6F, 0.5F, 0.8F});
    attrs.eps = 0;
    // No axes: each value is divided by its own magnitude. A scalar is a list of one axis.
    expect_values(run_op("NormalizeL2", 1, attrs, {floats({2}, {-3, 5}), i32s({0}, {})})[0],
                  {-1, 1});
    expect_values(run_op("NormalizeL2", 1, attrs, {floats({2}, {3, 4}), i32s({}, {-1})})[0],
                  {0.6F, 0.8F});
    attrs.eps = -1;
    EXPECT_THAT(refusal("NormalizeL2", 1, attrs, {open("[1,2]"), i64s({1}, {1})}),
                HasSubstr("eps is -1"));
    attrs.eps = 0;
    EXPECT_THAT(refusal("NormalizeL2", 1, attrs, {open("[1,2]"), i64s({1}, {2})}),
                HasSubstr("axes is 2"));
}

TEST(Grn, DividesByTheLengthOfTheChannels) {
    GrnAttrs attrs;
    attrs.bias = 11;
    expect_values(run_op("GRN", 1, attrs, {floats({1, 2, 1}, {3, 4})})[0], {0.5F, 4.F / 6});
    attrs.bias = -1;
    EXPECT_THAT(refusal("GRN", 1, attrs, {open("[1,2]")}), HasSubstr("bias is -1"));
    attrs.bias = 1;
    EXPECT_THAT(refusal("GRN", 1, attrs, {open("[2]")}), HasSubstr("expected rank 2 to 4"));
}

TEST(Lrn, SumsNeighboursAlongTheAxes) {
    LrnAttrs attrs;
    attrs.alpha = 3;
    attrs.beta = 1;
    attrs.bias = 1;
    attrs.size = 3;  // alpha / size is 1
    const Tensor in = floats({1, 4, 1}, {1, 2, 3, 4});
    // 1 + (1 + 4), 1 + (1 + 4 + 9), 1 + (4 + 9 + 16), 1 + (9 + 16)
    expect_values(run_op("LRN", 1, attrs, {in, i64s({1}, {1})}, {1})[0],
                  {1.F / 6, 2.F / 15, 3.F / 30, 4.F / 26});
    attrs.alpha = 9;  // over two axes, the second of size 1
    attrs.beta = 0.5F;
    expect_values(run_op("LRN", 1, attrs, {in, i64s({2}, {1, 2})}, {1})[0],
                  {0.408248F, 0.516398F, 0.547723F, 0.784465F});
    attrs.size = 0;
    EXPECT_THAT(refusal("LRN", 1, attrs, {open("[1,4]"), i64s({1}, {1})}), HasSubstr("size is 0"));
}

TEST(BatchNormInference, AcceptsBothOrders) {
    BatchNormInferenceAttrs attrs;
    attrs.epsilon = 1;
    const Tensor data = floats({1, 2, 2}, {5, 9, 4, 6});
    const Tensor gamma = floats({2}, {2, 10});
    const Tensor beta = floats({2}, {1, 0});
    const Tensor mean = floats({2}, {1, 5});
    const Tensor variance = floats({2}, {3, 0});
    const std::vector<float> expected{5, 9, -10, 10};
    expect_values(run_op("BatchNormInference", 5, attrs, {data, gamma, beta, mean, variance})[0],
                  expected);
    expect_values(run_op("BatchNormInference", 1, attrs, {data, gamma, beta, mean, variance})[0],
                  expected);
    expect_values(run_op("BatchNormInference", 1, attrs, {gamma, beta, data, mean, variance})[0],
                  expected);
    EXPECT_EQ(shapes_of("BatchNormInference", 5, attrs,
                        {open("[?,?,3]"), open("[2]"), open("[2]"), open("[2]"), open("[2]")}),
              "[?,2,3]");
    EXPECT_THAT(refusal("BatchNormInference", 5, attrs,
                        {open("[1,3]"), open("[2]"), open("[3]"), open("[3]"), open("[3]")}),
                HasSubstr("input 1 has shape [2], expected one value a channel of [1,3]"));
}

TEST(GroupNormalization, NormalizesGroupsOfChannels) {
    GroupNormalizationAttrs attrs;
    attrs.num_groups = 2;
    attrs.epsilon = 3;  // both groups have variance 1
    const Tensor data = floats({1, 4, 1}, {1, 3, 11, 13});
    expect_values(run_op("GroupNormalization", 12, attrs,
                         {data, floats({4}, {2, 2, 4, 6}), floats({4}, {0, 1, 0, 0})})[0],
                  {-1, 2, -2, 3});
    EXPECT_EQ(
        shapes_of("GroupNormalization", 12, attrs, {open("[?,?,7]"), open("[4]"), open("[?]")}),
        "[?,?,7]");
    EXPECT_EQ(
        shapes_of("GroupNormalization", 12, attrs, {open("[...]"), open("[...]"), open("[4]")}),
        "[...]");
    attrs.num_groups = 3;
    EXPECT_THAT(refusal("GroupNormalization", 12, attrs, {open("[1,4]"), open("[4]"), open("[4]")}),
                HasSubstr("num_groups is 3, which does not divide"));
    attrs.num_groups = 0;
    EXPECT_THAT(refusal("GroupNormalization", 12, attrs, {open("[1,4]"), open("[4]"), open("[4]")}),
                HasSubstr("num_groups is 0"));
}

}  // namespace
}  // namespace fuseq::test
