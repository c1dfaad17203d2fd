// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/learned_weights.hpp"

#include <gtest/gtest.h>

namespace fuseq::quantizer {
namespace {

// Where the input is constant, a moved bias makes up for all rounding: an error of 0 remains, not a
// negative one.
TEST(LearnWeights, OfAConstantInputLeaveNoNegativeError) {
    const auto model = Model::from_text(R"(
        %x = Parameter : f32[1,3]
        %w = Const value={0.1,-0.27,1.27,0.33,0.71,-1.27} : f32[2,3]
        %fc = MatMul(%x, %w) transpose_a=false transpose_b=true
        %r = Result(%fc))");
    const std::vector<double> input = {3, 0.7, -1.9};
    Moments moments{3, 1000, {}, {}};
    for (const double a : input) {
        moments.sums.push_back(1000 * a);
        for (const double b : input) {
            moments.squares.push_back(static_cast<float>(1000 * a * b));
        }
    }
    QuantizerOptions options;
    options.second_order_rounding = true;
    const LearnedWeights learned = learn_weights(*model->find("fc"), options, {moments}, {moments});
    EXPECT_GE(learned.error, 0);
    EXPECT_GE(learned.error_of_nearest, learned.error);
    EXPECT_LT(learned.error, 1e-6);
}

}  // namespace
}  // namespace fuseq::quantizer
