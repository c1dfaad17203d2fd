// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/weight_zero_point.hpp"

#include <gtest/gtest.h>

#include "fuseq/model.hpp"

namespace fuseq::testing {
namespace {

// A convolution of 8 channels by 3x3: 72 taps, and sources up to 128 away from their zero point.
struct Problem {
    std::shared_ptr<Model> model = Model::from_text(R"(model "m"
        %x = Parameter : f32[1,8,6,6]
        %w = Const value=random(1) : f32[2,8,3,3]
        %conv = Convolution(%x, %w) strides=[1,1] dilations=[1,1]
        %q = Parameter : u8[1,8,6,6]
        %r = Result(%conv))");
    Tensor weights = Tensor::of(Shape{2, 8, 3, 3}, std::vector<std::int8_t>(144, 100));
    Dequantize src;

    Problem() {
        src.q = model->find("q")->output();
        src.zero_point = 127.0f;
    }

    std::vector<float> kept(const std::vector<float>& zero_point,
                            const std::vector<float>& scale,
                            double step) const {
        return zero_points_that_matter(*model->find("conv"), src, {weights, zero_point},
                                       {scale, step});
    }
};

TEST(WeightZeroPoint, MattersFromAFractionOfAStepOn) {
    const Problem problem;
    // 2^-20 * 72 * 128 * 0.5 = 0.00439; a step of 4.5 is 1024 times that.
    const std::vector<float> tiny{0.0f, 1.0f / (1 << 20)};
    EXPECT_EQ(problem.kept(tiny, {0.5f}, 4.52), std::vector<float>{});
    EXPECT_EQ(problem.kept(tiny, {0.5f}, 4.48), tiny);
    EXPECT_EQ(problem.kept(tiny, {100.0f, 0.5f}, 4.52), std::vector<float>{});
    EXPECT_EQ(problem.kept(tiny, {0.5f, 100.0f}, 4.52), tiny);
    EXPECT_EQ(problem.kept({-1.0f / (1 << 20)}, {0.5f}, 4.48).size(), 1u);
}

TEST(WeightZeroPoint, WithoutAStepMattersWhereF32WouldShowIt) {
    const Problem problem;
    // 72 * zero point against 7200 / 2^20
    EXPECT_EQ(problem.kept({9e-5f}, {1.0f}, 0), std::vector<float>{});
    EXPECT_EQ(problem.kept({1e-4f}, {1.0f}, 0), std::vector<float>{1e-4f});
    EXPECT_EQ(problem.kept({}, {1.0f}, 0), std::vector<float>{});
}

}  // namespace
}  // namespace fuseq::testing
