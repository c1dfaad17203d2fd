// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

const In kGrid = in<std::uint8_t>({2, 3}, {1, 2, 3, 4, 5, 6});

TEST(ReverseSequence, ReversesTheBeginning) {
    expect_tensor<std::uint8_t>(
        run_op("ReverseSequence", 1, "", {kGrid, constant<std::int32_t>({2}, {3, 2})})[0], {2, 3},
        {3, 2, 1, 5, 4, 6});
    // Sequences are columns.
    expect_tensor<std::uint8_t>(
        run_op("ReverseSequence", 1, "batch_axis=1; seq_axis=0", {kGrid, ints({2, 1, 0})})[0],
        {2, 3}, {4, 2, 3, 1, 5, 6});
}

TEST(ReverseSequence, AxesFromTheEndAndRealLengths) {
    expect_tensor<std::uint8_t>(
        run_op("ReverseSequence", 1, "batch_axis=-1; seq_axis=-2", {kGrid, ints({2, 1, 2})})[0],
        {2, 3}, {4, 2, 6, 1, 5, 3});
    expect_tensor<std::uint8_t>(
        run_op("ReverseSequence", 1, "", {kGrid, constant<float>({2}, {3, 2})})[0], {2, 3},
        {3, 2, 1, 5, 4, 6});
}

TEST(ReverseSequence, InfersTheBatchFromTheLengths) {
    EXPECT_EQ(shape_of("ReverseSequence", 1, "",
                       {open(ElementType::f32, "[?,7]"), open(ElementType::i32, "[4]")}),
              "[4,7]");
    EXPECT_EQ(shape_of("ReverseSequence", 1, "batch_axis=1; seq_axis=0",
                       {open(ElementType::f32, "[5,2..9]"), open(ElementType::i32, "[..6]")}),
              "[5,2..6]");
    EXPECT_EQ(shape_of("ReverseSequence", 1, "",
                       {open(ElementType::f32, "..."), open(ElementType::i32, "[4]")}),
              "[...]");
}

TEST(ReverseSequence, RefusesBadInputs) {
    EXPECT_THAT(error_of("ReverseSequence", 1, "", {kGrid, ints({4, 1})}),
                HasSubstr("element 0 of seq_lengths is 4, expected one in [0, 3]"));
    EXPECT_THAT(error_of("ReverseSequence", 1, "", {kGrid, ints({1})}),
                HasSubstr("seq_lengths has shape [1], expected [2]"));
    EXPECT_THAT(
        error_of("ReverseSequence", 1, "batch_axis=1; seq_axis=-1", {kGrid, ints({1, 1, 1})}),
        HasSubstr("are both 1"));
    EXPECT_THAT(blind_error_of("ReverseSequence", 1, "", {kGrid, ints({1})}),
                HasSubstr("seq_lengths has shape [1]"));
}

}  // namespace
}  // namespace fuseq::test
