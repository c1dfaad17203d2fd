// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

TEST(Identity, GivesItsInput) {
    expect_tensor<float>(run_op("Identity", 16, "", {in_f32({1, 3}, {1, -2, 0.5F})})[0], {1, 3},
                         {1, -2, 0.5F});
    expect_tensor<std::uint8_t>(run_op("Identity", 16, "", {in<std::uint8_t>({}, {200})})[0], {},
                                {200});
    expect_bools(run_op("Identity", 16, "", {in<bool>({2}, {true, false})})[0], {2}, {1, 0});
}

TEST(Identity, KeepsOpenShapesAndTheValuesOfShapes) {
    EXPECT_EQ(shape_of("Identity", 16, "", {open(ElementType::i32, "[?,2..3]")}), "[?,2..3]");
    const OpModel test = make_op("Identity", 16, "", {ints({2, 3})});
    EXPECT_EQ(to_ints(test.node->port().known_value), (std::vector<std::int64_t>{2, 3}));
}

}  // namespace
}  // namespace fuseq::test
