// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

const In kGrid = in_f32({2, 2}, {1, 2, 3, 4});

TEST(GatherND, PicksElementsAndSlices) {
    for (const int opset : {5, 8}) {
        expect_tensor<float>(run_op("GatherND", opset, "",
                                    {kGrid, constant<std::int64_t>({2, 2}, {0, 1, -1, 0})})[0],
                             {2}, {2, 3});
        expect_tensor<float>(
            run_op("GatherND", opset, "", {kGrid, constant<std::int64_t>({2, 1}, {1, 0})})[0],
            {2, 2}, {3, 4, 1, 2});
    }
}

TEST(GatherND, BatchDimensionsAreMergedByOpset5) {
    const In data = in_f32({1, 2, 2}, {1, 2, 3, 4});
    const In indices = constant<std::int64_t>({1, 2, 1}, {1, 0});
    expect_tensor<float>(run_op("GatherND", 5, "batch_dims=2", {data, indices})[0], {2}, {2, 3});
    expect_tensor<float>(run_op("GatherND", 8, "batch_dims=2", {data, indices})[0], {1, 2}, {2, 3});
    const In slices = constant<std::int64_t>({1, 2, 1}, {1, 0});
    expect_tensor<float>(run_op("GatherND", 8, "batch_dims=1", {data, slices})[0], {1, 2, 2},
                         {3, 4, 1, 2});
}

TEST(GatherND, InfersOpenShapes) {
    EXPECT_EQ(shape_of("GatherND", 8, "batch_dims=1",
                       {open(ElementType::f32, "[?,5,6]"), open(ElementType::i64, "[4,7,1]")}),
              "[4,7,6]");
}

TEST(GatherND, RefusesBadInputs) {
    EXPECT_THAT(error_of("GatherND", 8, "", {kGrid, constant<std::int64_t>({1, 2}, {0, 2})}),
                HasSubstr("element 1 of the indices is 2"));
    EXPECT_THAT(error_of("GatherND", 8, "", {kGrid, constant<std::int64_t>({1, 3}, {0, 0, 0})}),
                HasSubstr("the last dimension of indices is 3, expected at most 2"));
    EXPECT_THAT(
        error_of("GatherND", 8, "batch_dims=2", {kGrid, constant<std::int64_t>({1, 1}, {0})}),
        HasSubstr("batch_dims is 2"));
    EXPECT_THAT(blind_error_of("GatherND", 8, "batch_dims=1",
                               {kGrid, constant<std::int64_t>({3, 1}, {0, 0, 0})}),
                HasSubstr("differ in batch dimension 0"));
}

}  // namespace
}  // namespace fuseq::test
