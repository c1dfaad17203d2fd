// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

const In kGrid = in_f32({3, 2}, {1, 2, 3, 4, 5, 6});

TEST(ScatterNDUpdate, ReplacesByTuplesAndKeepsTheLast) {
    expect_tensor<float>(
        run_op("ScatterNDUpdate", 3, "",
               {kGrid, constant<std::int64_t>({2, 2}, {0, 1, 2, 0}), in_f32({2}, {70, 80})})[0],
        {3, 2}, {1, 70, 3, 4, 80, 6});
    expect_tensor<float>(
        run_op("ScatterNDUpdate", 3, "",
               {kGrid, constant<std::int64_t>({2, 1}, {1, 1}), in_f32({2, 2}, {1, 1, 9, 9})})[0],
        {3, 2}, {1, 2, 9, 9, 5, 6});
}

// Places 0, 2, 1, 1, 0 of four elements.
Tensor reduced(std::string_view reduction, int opset = 15) {
    return run_op(
        "ScatterNDUpdate", opset, detail::cat("reduction=", reduction),
        {in<std::int32_t>({4}, {1, 2, 3, 4}), constant<std::int32_t>({5, 1}, {0, 2, -3, -3, 0}),
         in<std::int32_t>({5}, {10, 20, 30, 40, 50})})[0];
}

TEST(ScatterNDUpdate, Reduces) {
    expect_tensor<std::int32_t>(reduced("none"), {4}, {50, 40, 20, 4});
    expect_tensor<std::int32_t>(reduced("sum"), {4}, {61, 72, 23, 4});
    expect_tensor<std::int32_t>(reduced("sub"), {4}, {-59, -68, -17, 4});
    expect_tensor<std::int32_t>(reduced("prod"), {4}, {500, 2400, 60, 4});
    expect_tensor<std::int32_t>(reduced("min"), {4}, {1, 2, 3, 4});
    expect_tensor<std::int32_t>(reduced("max"), {4}, {50, 40, 20, 4});
}

TEST(ScatterNDUpdate, ReducesSlices) {
    const In rows = constant<std::int64_t>({3, 1}, {2, 0, 2});
    const In updates = in_f32({3, 2}, {10, 0.5F, -1, -2, 100, -7});
    const auto run = [&](const char* attributes) {
        return run_op("ScatterNDUpdate", 15, attributes, {kGrid, rows, updates})[0];
    };
    expect_tensor<float>(run("reduction=sum"), {3, 2}, {0, 0, 3, 4, 115, -0.5F});
    expect_tensor<float>(run("reduction=max"), {3, 2}, {1, 2, 3, 4, 100, 6});
    expect_tensor<float>(run("reduction=min"), {3, 2}, {-1, -2, 3, 4, 5, -7});
    expect_tensor<float>(run(""), {3, 2}, {-1, -2, 3, 4, 100, -7});
}

TEST(ScatterNDUpdate, OfBooleansIsLogic) {
    const In data = in<bool>({4}, {false, false, true, true});
    const In places = constant<std::int64_t>({4, 1}, {0, 1, 2, 3});
    const In updates = in<bool>({4}, {false, true, false, true});
    const auto run = [&](const char* attributes) {
        return run_op("ScatterNDUpdate", 15, attributes, {data, places, updates})[0];
    };
    expect_bools(run("reduction=none"), {4}, {0, 1, 0, 1});
    expect_bools(run("reduction=sum"), {4}, {0, 1, 1, 1});
    expect_bools(run("reduction=sub"), {4}, {0, 1, 1, 0});
    expect_bools(run("reduction=prod"), {4}, {0, 0, 0, 1});
    expect_bools(run("reduction=min"), {4}, {0, 0, 0, 1});
    expect_bools(run("reduction=max"), {4}, {0, 1, 1, 1});
}

TEST(ScatterNDUpdate, IntegersWrap) {
    expect_tensor<std::uint8_t>(
        run_op("ScatterNDUpdate", 15, "reduction=sum",
               {in<std::uint8_t>({1}, {200}), constant<std::int64_t>({1, 1}, {0}),
                in<std::uint8_t>({1}, {100})})[0],
        {1}, {44});
}

TEST(ScatterNDUpdate, TakesOneUpdateAsScalarOrVector) {
    const In place = constant<std::int64_t>({2}, {1, 0});
    expect_tensor<float>(run_op("ScatterNDUpdate", 15, "", {kGrid, place, in_f32({}, {9})})[0],
                         {3, 2}, {1, 2, 9, 4, 5, 6});
    expect_tensor<float>(run_op("ScatterNDUpdate", 15, "", {kGrid, place, in_f32({1}, {9})})[0],
                         {3, 2}, {1, 2, 9, 4, 5, 6});
    EXPECT_THAT(error_of("ScatterNDUpdate", 15, "", {kGrid, place, in_f32({2}, {9, 9})}),
                HasSubstr("updates have shape [2], expected []"));
}

// Version 14 stood in a table of some development version; no release has it.
TEST(ScatterNDUpdate, OfOpset14IsVersion3) {
    const OpModel op =
        make_op("ScatterNDUpdate", 14, "",
                {kGrid, open(ElementType::i64, "[1,1]"), open(ElementType::f32, "...")});
    EXPECT_EQ(op.node->spec().version, 3);
}

TEST(ScatterNDUpdate, RefusesBadInputs) {
    EXPECT_THAT(error_of("ScatterNDUpdate", 15, "reduction=sum",
                         {in_f32({}, {1}), constant<std::int64_t>({1}, {0}), in_f32({}, {1})}),
                HasSubstr("data has shape [], indices [1], expected rank 1 or more"));
    EXPECT_THAT(error_of("ScatterNDUpdate", 3, "",
                         {kGrid, constant<std::int64_t>({1, 2}, {0, 2}), in_f32({1}, {1})}),
                HasSubstr("element 1 of the indices is 2"));
    EXPECT_THAT(error_of("ScatterNDUpdate", 15, "reduction=sum",
                         {kGrid, constant<std::int64_t>({1, 2}, {-4, 0}), in_f32({1}, {1})}),
                HasSubstr("element 0 of the indices is -4, expected a value in [-3, 2]"));
    EXPECT_THAT(blind_error_of("ScatterNDUpdate", 15, "reduction=sum",
                               {kGrid, constant<std::int64_t>({1, 2}, {3, 0}), in_f32({1}, {1})}),
                HasSubstr("element 0 of the indices is 3"));
    EXPECT_THAT(blind_error_of("ScatterNDUpdate", 3, "",
                               {kGrid, constant<std::int64_t>({1, 1}, {0}), in_f32({1}, {1})}),
                HasSubstr("updates have shape [1], expected [1,2]"));
    EXPECT_THAT(
        error_of("ScatterNDUpdate", 15, "",
                 {kGrid, constant<std::int64_t>({1, 3}, {0, 0, 0}), in_f32({1}, {1})}),
        HasSubstr("the last dimension of indices is 3, expected at most the rank of data, 2"));
    EXPECT_THAT(error_of("ScatterNDUpdate", 15, "",
                         {in_f32({}, {1}), constant<std::int64_t>({1}, {0}), in_f32({}, {1})}),
                HasSubstr("rank 1 or more"));
    EXPECT_THAT(
        error_of("ScatterNDUpdate", 15, "", {kGrid, in_f32({1, 1}, {0}), in_f32({1, 2}, {1, 1})}),
        HasSubstr("indices are f32"));
    EXPECT_THAT(
        error_of("ScatterNDUpdate", 15, "",
                 {kGrid, constant<std::int64_t>({1, 1}, {0}), in<std::int32_t>({1, 2}, {1, 1})}),
        HasSubstr("input 0 is f32, input 2 is i32"));
}

}  // namespace
}  // namespace fuseq::test
