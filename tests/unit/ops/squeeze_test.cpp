// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

const In kOnes = in_f32({1, 2, 1}, {5, 6});

TEST(Squeeze, DropsNamedOrAllOnes) {
    expect_tensor<float>(run_op("Squeeze", 1, "", {kOnes})[0], {2}, {5, 6});
    expect_tensor<float>(run_op("Squeeze", 1, "", {kOnes, ints({-1})})[0], {1, 2}, {5, 6});
    expect_tensor<float>(run_op("Squeeze", 1, "", {kOnes, int_scalar(0)})[0], {2, 1}, {5, 6});
}

TEST(Unsqueeze, PutsInOnes) {
    const In x = in_f32({2}, {5, 6});
    expect_tensor<float>(run_op("Unsqueeze", 1, "", {x, ints({0, 2})})[0], {1, 2, 1}, {5, 6});
    expect_tensor<float>(run_op("Unsqueeze", 1, "", {x, ints({-1})})[0], {2, 1}, {5, 6});
}

TEST(Squeeze, InfersOpenShapes) {
    EXPECT_EQ(shape_of("Squeeze", 1, "", {open(ElementType::f32, "[?,3,?]"), ints({0})}), "[3,?]");
    EXPECT_EQ(shape_of("Squeeze", 1, "", {open(ElementType::f32, "[?,3]")}), "[...]");
    EXPECT_EQ(shape_of("Unsqueeze", 1, "", {open(ElementType::f32, "[2..3]"), ints({1, 0})}),
              "[1,1,2..3]");
}

TEST(Squeeze, RefusesBadAxes) {
    EXPECT_THAT(error_of("Squeeze", 1, "", {kOnes, ints({1})}),
                HasSubstr("dimension 1 of size 2, expected 1"));
    EXPECT_THAT(error_of("Squeeze", 1, "", {kOnes, ints({3})}), HasSubstr("axes is 3"));
    EXPECT_THAT(error_of("Unsqueeze", 1, "", {kOnes, ints({0, 0})}), HasSubstr("axis 0 twice"));
    EXPECT_THAT(error_of("Unsqueeze", 1, "", {kOnes, ints({4})}), HasSubstr("axes is 4"));
    EXPECT_THAT(blind_error_of("Squeeze", 1, "", {kOnes, ints({1})}), HasSubstr("expected 1"));
}

}  // namespace
}  // namespace fuseq::test
