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

// The specification since OpenVINO 2024.3.
TEST(Squeeze, LeavesNamedDimensionsOfOtherSizes) {
    for (const int version : {1, 15}) {
        expect_tensor<float>(run_op("Squeeze", version, "", {kOnes, ints({0, 1})})[0], {2, 1},
                             {5, 6});
        expect_tensor<float>(run_op("Squeeze", version, "", {kOnes, ints({1})})[0], {1, 2, 1},
                             {5, 6});
        expect_tensor<float>(run_op("Squeeze", version, "", {kOnes, ints({})})[0], {2}, {5, 6});
    }
    expect_tensor<float>(run_op("Squeeze", 15, "allow_axis_skip=true", {kOnes, ints({0, 1})})[0],
                         {2, 1}, {5, 6});
}

TEST(Squeeze15, OpenDimensionsMayStay) {
    const auto shape = [](const char* attributes, const char* src) {
        return shape_of("Squeeze", 15, attributes, {open(ElementType::f32, src), ints({0, 1})});
    };
    EXPECT_EQ(shape("", "[?,3,1]"), "[3,1]");
    EXPECT_EQ(shape("allow_axis_skip=false", "[1,?,1]"), "[1]");
    EXPECT_EQ(shape("allow_axis_skip=true", "[?,3,1]"), "[...]");
    EXPECT_EQ(shape("allow_axis_skip=true", "[2..5,3,?]"), "[2..5,3,?]");
    EXPECT_EQ(shape("allow_axis_skip=true", "[1,1,?]"), "[?]");
}

TEST(Unsqueeze, PutsInOnes) {
    const In x = in_f32({2}, {5, 6});
    expect_tensor<float>(run_op("Unsqueeze", 1, "", {x, ints({0, 2})})[0], {1, 2, 1}, {5, 6});
    expect_tensor<float>(run_op("Unsqueeze", 1, "", {x, ints({-1})})[0], {2, 1}, {5, 6});
}

TEST(Squeeze, InfersOpenShapes) {
    EXPECT_EQ(shape_of("Squeeze", 1, "", {open(ElementType::f32, "[?,3,?]"), ints({0})}), "[3,?]");
    EXPECT_EQ(shape_of("Squeeze", 1, "", {open(ElementType::f32, "[?,3]")}), "[...]");
    EXPECT_EQ(shape_of("Squeeze", 1, "", {open(ElementType::f32, "[2..4,1,3]")}), "[2..4,3]");
    EXPECT_EQ(shape_of("Squeeze", 1, "",
                       {open(ElementType::f32, "[1,3]"), open(ElementType::i64, "[1]")}),
              "[...]");
    EXPECT_EQ(shape_of("Unsqueeze", 1, "", {open(ElementType::f32, "[2..3]"), ints({1, 0})}),
              "[1,1,2..3]");
}

// Inference took the open dimension for 1, and the rest of the model relies on the rank.
TEST(Squeeze, RefusesAnOpenDimensionThatIsNotOne) {
    const OpModel test = make_op("Squeeze", 15, "", {open(ElementType::f32, "[?,2]"), ints({0})});
    const Tensor axes = Tensor::of<std::int64_t>({1}, {0});
    const Tensor one = Tensor::of<float>({1, 2}, {5, 6});
    expect_tensor<float>(evaluate_node(*test.node, std::vector<Tensor>{one, axes})[0], {2}, {5, 6});
    const Tensor two = Tensor::of<float>({2, 2}, {5, 6, 7, 8});
    try {
        evaluate_node(*test.node, std::vector<Tensor>{two, axes});
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("src of shape [2,2] gives [2,2], expected [2]: a "
                                            "dimension that axes names is not 1"));
    }
}

TEST(Squeeze, RefusesBadAxes) {
    EXPECT_THAT(error_of("Squeeze", 1, "", {kOnes, ints({3})}), HasSubstr("axes is 3"));
    EXPECT_THAT(error_of("Unsqueeze", 1, "", {kOnes, ints({0, 0})}), HasSubstr("axis 0 twice"));
    EXPECT_THAT(error_of("Unsqueeze", 1, "", {kOnes, ints({4})}), HasSubstr("axes is 4"));
    EXPECT_THAT(blind_error_of("Squeeze", 15, "", {kOnes, ints({-4})}), HasSubstr("axes is -4"));
}

}  // namespace
}  // namespace fuseq::test
