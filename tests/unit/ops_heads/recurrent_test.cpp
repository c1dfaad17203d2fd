// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/recurrent/recurrent.hpp"

#include <cmath>

#include "unit/ops_heads/run_op.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

constexpr float kLog3 = 1.0986123F;  // sigmoid 0.75

template <class A>
A make(std::int64_t hidden, std::vector<std::string> activations = {}) {
    A attrs;
    attrs.hidden_size = hidden;
    attrs.activations = std::move(activations);
    return attrs;
}

// Gates that depend on the bias alone: forget 0.75, input 0.5, cell 2 (affine), output 0.25.
TEST(LstmCell, CombinesItsGates) {
    const auto attrs = make<RecurrentAttrs>(1, {"sigmoid", "affine", "affine"});
    const std::vector<Tensor> inputs{
        floats({1, 1}, {0}),          floats({1, 1}, {0}),
        floats({1, 1}, {8}),          floats({4, 1}, {0, 0, 0, 0}),
        floats({4, 1}, {0, 0, 0, 0}), floats({4}, {kLog3, 0, 2, -kLog3})};
    const auto out = run_op("LSTMCell", 4, attrs, inputs);
    expect_values(out[1], {7});  // 0.75 * 8 + 0.5 * 2
    expect_values(out[0], {1.75F});
    auto old = make<LstmCell1Attrs>(1, {"sigmoid", "affine", "affine"});
    std::vector<Tensor> other = inputs;
    expect_values(run_op("LSTMCell", 1, old, inputs)[1], {7});
    old.weights_format = LstmWeightsFormat::kIcof;
    other[5] = floats({4}, {0, 2, -kLog3, kLog3});
    expect_values(run_op("LSTMCell", 1, old, other)[1], {7});
}

// Two steps of the cell above from c = 8: 0.75 * 8 + 1 = 7, 0.75 * 7 + 1 = 6.25.
TEST(LstmSequence, OfOpset1HasWeightsFormatsAndPeepholesOfZero) {
    auto attrs = make<LstmSequence1Attrs>(1, {"sigmoid", "affine", "affine"});
    attrs.weights_format = LstmWeightsFormat::kIcof;
    std::vector<Tensor> inputs{floats({1, 2, 1}, {0, 0}),
                               floats({1, 1, 1}, {0}),
                               floats({1, 1, 1}, {8}),
                               i64s({1}, {2}),
                               floats({1, 4, 1}, {0, 0, 0, 0}),
                               floats({1, 4, 1}, {0, 0, 0, 0}),
                               floats({1, 4}, {0, 2, -kLog3, kLog3})};
    expect_values(run_op("LSTMSequence", 1, attrs, inputs)[2], {6.25F});
    inputs.push_back(floats({1, 3}, {0, 0, 0}));
    const auto out = run_op("LSTMSequence", 1, attrs, inputs, {7});
    expect_values(out[0], {1.75F, 1.5625F});
    expect_values(out[1], {1.5625F});
    expect_values(out[2], {6.25F});
}

TEST(LstmCell, ReadsInputAndState) {
    const auto attrs = make<RecurrentAttrs>(2, {"relu", "affine", "affine"});
    // Only the output gate reads (row 3 * 2 + i); the cell state goes on by a bias of 1 on forget.
    std::vector<float> w(8 * 1, 0);
    w[6] = 2;
    w[7] = 3;
    std::vector<float> r(8 * 2, 0);
    r[6 * 2 + 1] = 10;
    r[7 * 2 + 0] = 100;
    const auto out =
        run_op("LSTMCell", 4, attrs,
               {floats({1, 1}, {5}), floats({1, 2}, {1, 2}), floats({1, 2}, {1, 1}),
                floats({8, 1}, w), floats({8, 2}, r), floats({8}, {1, 1, 0, 0, 0, 0, 0, 0})});
    expect_values(out[0], {30, 115});  // 2 * 5 + 10 * 2, 3 * 5 + 100 * 1
    expect_values(out[1], {1, 1});
}

TEST(LstmCell, UsesTanhAndSigmoidUnlessTold) {
    const auto attrs = make<RecurrentAttrs>(1);
    const auto out = run_op("LSTMCell", 4, attrs,
                            {floats({1, 1}, {1}), floats({1, 1}, {0}), floats({1, 1}, {0}),
                             floats({4, 1}, {0, 0, 1, 0}), floats({4, 1}, {0, 0, 0, 0})});
    const double c = 0.5 * std::tanh(1.0);
    expect_values(out[1], {static_cast<float>(c)});
    expect_values(out[0], {static_cast<float>(0.5 * std::tanh(c))});
}

TEST(GruCell, AppliesTheResetGateOnEitherSide) {
    auto attrs = make<GruCellAttrs>(1, {"sigmoid", "affine"});
    // update 0.25, reset 0.75 by their biases; hidden: 2 x + r * 3 h + 1, h = 4, x = 5
    const Tensor x = floats({1, 1}, {5});
    const Tensor h = floats({1, 1}, {4});
    const Tensor w = floats({3, 1}, {0, 0, 2});
    const Tensor r = floats({3, 1}, {0, 0, 3});
    // 10 + 0.75 * 4 * 3 + 1 = 20; 0.75 * 20 + 0.25 * 4 = 16
    expect_values(run_op("GRUCell", 3, attrs, {x, h, w, r, floats({3}, {-kLog3, kLog3, 1})})[0],
                  {16}, 1e-5F);
    attrs.linear_before_reset = true;
    // 10 + 0.75 * (4 * 3 + 8) + 1 = 26; 0.75 * 26 + 1 = 20.5
    expect_values(run_op("GRUCell", 3, attrs, {x, h, w, r, floats({4}, {-kLog3, kLog3, 1, 8})})[0],
                  {20.5F}, 1e-5F);
    EXPECT_THAT(refusal("GRUCell", 3, attrs,
                        {open("[1,1]"), open("[1,1]"), open("[3,1]"), open("[3,1]"), open("[3]")}),
                HasSubstr("B has shape [3], expected 4 at dimension 0"));
}

TEST(RnnCell, ClipsBeforeTheActivation) {
    auto attrs = make<RecurrentAttrs>(1, {"Affine"});
    attrs.activations_alpha = {2};
    attrs.activations_beta = {1};
    const std::vector<Tensor> inputs{floats({2, 1}, {1, 10}), floats({2, 1}, {1, 0}),
                                     floats({1, 1}, {3}), floats({1, 1}, {1})};
    expect_values(run_op("RNNCell", 3, attrs, inputs)[0], {9, 61});
    attrs.clip = 5;
    expect_values(run_op("RNNCell", 3, attrs, inputs)[0], {9, 11});
}

// h = x + 2 h: easy to follow along a sequence.
std::vector<Tensor> doubling(std::size_t directions) {
    return {floats({2, 3, 1}, {1, 2, 3, 4, 5, 6}),
            floats({2, directions, 1}, std::vector<float>(2 * directions, 0)),
            i32s({2}, {3, 2}),
            floats({directions, 1, 1}, std::vector<float>(directions, 1)),
            floats({directions, 1, 1}, std::vector<float>(directions, 2)),
            floats({directions, 1}, std::vector<float>(directions, 0))};
}

TEST(RnnSequence, RunsForwardAndBackward) {
    auto attrs = make<SequenceAttrs>(1, {"affine"});
    auto out = run_op("RNNSequence", 5, attrs, doubling(1));
    expect_values(out[0], {1, 4, 11, 4, 13, 0});
    expect_values(out[1], {11, 13});
    attrs.direction = RecurrentDirection::kReverse;
    out = run_op("RNNSequence", 5, attrs, doubling(1));
    expect_values(out[0], {17, 8, 3, 14, 5, 0});
    expect_values(out[1], {17, 14});
    attrs.direction = RecurrentDirection::kBidirectional;
    out = run_op("RNNSequence", 5, attrs, doubling(2));
    EXPECT_EQ(out[0].get_shape(), (Shape{2, 2, 3, 1}));
    expect_values(out[0], {1, 4, 11, 17, 8, 3, 4, 13, 0, 14, 5, 0});
    expect_values(out[1], {11, 17, 13, 14});
}

TEST(LstmSequence, KeepsTheStateOfEmptySequences) {
    const auto attrs = make<SequenceAttrs>(1, {"relu", "affine", "affine"});
    // forget 1, input 1, cell x, output 1: c adds up the sequence.
    const auto out =
        run_op("LSTMSequence", 5, attrs,
               {floats({2, 2, 1}, {1, 2, 3, 4}), floats({2, 1, 1}, {7, 8}),
                floats({2, 1, 1}, {10, 20}), i64s({2}, {2, 0}), floats({1, 4, 1}, {0, 0, 1, 0}),
                floats({1, 4, 1}, {0, 0, 0, 0}), floats({1, 4}, {1, 1, 0, 1})});
    expect_values(out[0], {11, 13, 0, 0});
    expect_values(out[1], {13, 8});
    expect_values(out[2], {13, 20});
}

TEST(GruSequence, RunsCells) {
    auto attrs = make<GruSequenceAttrs>(1, {"relu", "affine"});
    // update 0: the hidden gate alone, x + h (reset 1 by its bias).
    const auto out = run_op(
        "GRUSequence", 5, attrs,
        {floats({1, 3, 1}, {1, 2, 3}), floats({1, 1, 1}, {10}), i64s({1}, {3}),
         floats({1, 3, 1}, {0, 0, 1}), floats({1, 3, 1}, {0, 0, 1}), floats({1, 3}, {0, 1, 0})});
    expect_values(out[0], {11, 13, 16});
    expect_values(out[1], {16});
}

TEST(Recurrent, InfersAndRefuses) {
    auto attrs = make<SequenceAttrs>(8);
    const std::vector<Input> inputs{
        open("[?,?,5]"),  open("[3,1,8]"),  open("[...]"), open("[?]", element::i64),
        open("[1,32,5]"), open("[1,32,8]"), open("[1,32]")};
    EXPECT_EQ(shapes_of("LSTMSequence", 5, attrs, inputs), "[3,1,?,8] [3,1,8] [3,1,8]");
    attrs.direction = RecurrentDirection::kBidirectional;
    EXPECT_THAT(refusal("LSTMSequence", 5, attrs, inputs),
                HasSubstr("the initial hidden state has shape [3,1,8], expected 2 at dimension 1"));
    attrs = make<SequenceAttrs>(7);
    EXPECT_THAT(refusal("LSTMSequence", 5, attrs, inputs), HasSubstr("expected 7 at dimension 2"));
    attrs = make<SequenceAttrs>(8, {"sigmoid", "tanh", "cosine"});
    EXPECT_THAT(refusal("LSTMSequence", 5, attrs, inputs),
                HasSubstr("activations is sigmoid,tanh,cosine, expected three of"));
    attrs = make<SequenceAttrs>(0);
    EXPECT_THAT(refusal("LSTMSequence", 5, attrs, inputs), HasSubstr("hidden_size is 0"));
    auto old = make<LstmCell1Attrs>(1);
    old.input_forget = true;
    EXPECT_THAT(
        refusal("LSTMCell", 1, old,
                {open("[1,1]"), open("[1,1]"), open("[1,1]"), open("[4,1]"), open("[4,1]")}),
        HasSubstr("input_forget is true"));
    std::vector<Tensor> bad = doubling(1);
    bad[2] = i32s({2}, {3, 4});
    EXPECT_THAT(error_of([&] { run_op("RNNSequence", 5, make<SequenceAttrs>(1), bad); }),
                HasSubstr("sequence_lengths has the value 4, expected one in [0, 3]"));
}

}  // namespace
}  // namespace fuseq::test
