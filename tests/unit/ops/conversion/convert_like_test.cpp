// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

TEST(ConvertLike, TakesTheTypeOfTheSecondInput) {
    const In x = in_f32({4}, {-1.5F, 0.9F, 255, 300});
    expect_tensor<std::uint8_t>(run_op("ConvertLike", 1, "", {x, in<std::uint8_t>({1}, {7})})[0],
                                {4}, {0, 0, 255, 255});
    expect_tensor<std::int64_t>(
        run_op("ConvertLike", 1, "", {x, in<std::int64_t>({2, 1}, {7, 8})})[0], {4},
        {-1, 0, 255, 300});
    expect_bools(run_op("ConvertLike", 1, "", {x, in<bool>({}, {false})})[0], {4}, {1, 1, 1, 1});
}

TEST(ConvertLike, KeepsOpenShapesAndTheValuesOfShapes) {
    EXPECT_EQ(shape_of("ConvertLike", 1, "",
                       {open(ElementType::u8, "[?,3]"), open(ElementType::f32, "...")}),
              "[?,3]");
    const OpModel test =
        make_op("ConvertLike", 1, "", {ints({2, 3}), open(ElementType::i32, "[1]")});
    const auto dims = test.node->port().known_dims;
    EXPECT_EQ(dims, (std::vector<Dimension>{2, 3}));
}

}  // namespace
}  // namespace fuseq::test
