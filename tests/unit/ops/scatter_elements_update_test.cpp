// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

#include <limits>

namespace fuseq::test {
namespace {

using testing::HasSubstr;

const In kData = in_f32({2, 3}, {1, 2, 3, 4, 5, 6});
const In kIndices = constant<std::int64_t>({2, 2}, {0, 0, 2, 1});
const In kUpdates = in_f32({2, 2}, {10, 20, 30, 40});

std::vector<Tensor> scatter(const char* attributes) {
    return run_op("ScatterElementsUpdate", 12, attributes,
                  {kData, kIndices, kUpdates, int_scalar(1)});
}

TEST(ScatterElementsUpdate, Replaces) {
    expect_tensor<float>(
        run_op("ScatterElementsUpdate", 3, "", {kData, kIndices, kUpdates, int_scalar(-1)})[0],
        {2, 3}, {20, 2, 3, 4, 40, 30});
    expect_tensor<float>(scatter("")[0], {2, 3}, {20, 2, 3, 4, 40, 30});
    // Along the other axis, with an index from the end.
    expect_tensor<float>(run_op("ScatterElementsUpdate", 12, "",
                                {kData, constant<std::int64_t>({1, 2}, {-1, 0}),
                                 in_f32({1, 2}, {7, 8}), int_scalar(0)})[0],
                         {2, 3}, {1, 8, 3, 7, 5, 6});
}

TEST(ScatterElementsUpdate, Reduces) {
    expect_tensor<float>(scatter("reduction=sum")[0], {2, 3}, {31, 2, 3, 4, 45, 36});
    expect_tensor<float>(scatter("reduction=prod")[0], {2, 3}, {200, 2, 3, 4, 200, 180});
    expect_tensor<float>(scatter("reduction=min")[0], {2, 3}, {1, 2, 3, 4, 5, 6});
    expect_tensor<float>(scatter("reduction=max")[0], {2, 3}, {20, 2, 3, 4, 40, 30});
    expect_near(scatter("reduction=mean")[0], {2, 3}, {31.0F / 3, 2, 3, 4, 22.5F, 18});
}

TEST(ScatterElementsUpdate, ReducesWithoutTheInitialValue) {
    expect_tensor<float>(scatter("reduction=sum; use_init_val=false")[0], {2, 3},
                         {30, 2, 3, 4, 40, 30});
    expect_tensor<float>(scatter("reduction=prod; use_init_val=false")[0], {2, 3},
                         {200, 2, 3, 4, 40, 30});
    expect_tensor<float>(scatter("reduction=min; use_init_val=false")[0], {2, 3},
                         {10, 2, 3, 4, 40, 30});
    expect_tensor<float>(scatter("reduction=mean; use_init_val=false")[0], {2, 3},
                         {15, 2, 3, 4, 40, 30});
}

TEST(ScatterElementsUpdate, IntegerMeansAreRoundedDown) {
    const auto out =
        run_op("ScatterElementsUpdate", 12, "reduction=mean",
               {in<std::int32_t>({1}, {-3}), ints({0}), in<std::int32_t>({1}, {0}), int_scalar(0)});
    expect_tensor<std::int32_t>(out[0], {1}, {-2});
}

TEST(ScatterElementsUpdate, RefusesBadInputs) {
    EXPECT_THAT(
        error_of("ScatterElementsUpdate", 3, "",
                 {kData, constant<std::int64_t>({2, 2}, {0, 0, 3, 1}), kUpdates, int_scalar(1)}),
        HasSubstr("element 2 of the indices is 3"));
    EXPECT_THAT(error_of("ScatterElementsUpdate", 3, "",
                         {kData, kIndices, in_f32({1, 2}, {1, 1}), int_scalar(1)}),
                HasSubstr("indices have shape [2,2] and updates [1,2]"));
    EXPECT_THAT(error_of("ScatterElementsUpdate", 3, "",
                         {in_f32({1, 3}, {1, 2, 3}), kIndices, kUpdates, int_scalar(1)}),
                HasSubstr("larger than data of shape [1,3] in dimension 0"));
    EXPECT_THAT(blind_error_of("ScatterElementsUpdate", 3, "",
                               {in_f32({1, 3}, {1, 2, 3}), kIndices, kUpdates, int_scalar(1)}),
                HasSubstr("larger than data"));
    EXPECT_THAT(
        error_of("ScatterElementsUpdate", 3, "", {kData, kIndices, kUpdates, int_scalar(2)}),
        HasSubstr("axis is 2"));
}

TEST(ScatterElementsUpdate, OfBooleansIsLogic) {
    const In data = in<bool>({4}, {false, false, true, true});
    const In updates = in<bool>({4}, {false, true, false, true});
    const auto run = [&](const char* attributes) {
        return run_op("ScatterElementsUpdate", 12, attributes,
                      {data, ints({0, 1, 2, 3}), updates, int_scalar(0)})[0];
    };
    expect_bools(run("reduction=sum"), {4}, {0, 1, 1, 1});
    expect_bools(run("reduction=max"), {4}, {0, 1, 1, 1});
    expect_bools(run("reduction=prod"), {4}, {0, 0, 0, 1});
    expect_bools(run("reduction=min"), {4}, {0, 0, 0, 1});
    expect_bools(run("reduction=min; use_init_val=false"), {4}, {0, 1, 0, 1});
    expect_bools(run("reduction=sum; use_init_val=false"), {4}, {0, 1, 0, 1});
    EXPECT_THAT(error_of("ScatterElementsUpdate", 12, "reduction=mean",
                         {data, ints({0, 1, 2, 3}), updates, int_scalar(0)}),
                HasSubstr("a mean of booleans"));
}

TEST(ScatterElementsUpdate, WithoutInitialValueStartsAtInfinity) {
    constexpr float kInf = std::numeric_limits<float>::infinity();
    const auto run = [&](const char* attributes, float update) {
        return run_op("ScatterElementsUpdate", 12, attributes,
                      {in_f32({1}, {0}), ints({0}), in_f32({1}, {update}), int_scalar(0)})[0];
    };
    expect_tensor<float>(run("reduction=min; use_init_val=false", kInf), {1}, {kInf});
    expect_tensor<float>(run("reduction=max; use_init_val=false", -kInf), {1}, {-kInf});
}

}  // namespace
}  // namespace fuseq::test
