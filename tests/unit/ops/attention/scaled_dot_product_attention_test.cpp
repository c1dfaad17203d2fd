// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Scores are logarithms, so that softmax gives fractions: of keys 0 and log 3 the query 1 takes 1/4
// and 3/4.
#include <cmath>

#include "ops/attention/scaled_dot_product_attention.hpp"
#include "unit/ops_heads/run_op.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

const float kLog3 = std::log(3.0F);
const Tensor kQuery = floats({1, 1}, {1});
const Tensor kKey = floats({2, 1}, {0, kLog3});
const Tensor kValue = floats({2, 1}, {4, 8});

Tensor booleans(const Shape& shape, const std::vector<bool>& values) {
    Tensor tensor(ElementType::boolean, shape);
    for (std::size_t i = 0; i < values.size(); ++i) {
        tensor.data<bool>()[i] = values[i];
    }
    return tensor;
}

AttentionAttrs causal(bool is_causal) {
    AttentionAttrs attrs;
    attrs.causal = is_causal;
    return attrs;
}

Tensor attention(const std::vector<Tensor>& inputs, bool is_causal = false) {
    return run_op("ScaledDotProductAttention", 13, causal(is_causal), inputs)[0];
}

TEST(ScaledDotProductAttention, TakesTheMeanOfValuesByScores) {
    expect_values(attention({kQuery, kKey, kValue}), {7});  // 4 / 4 + 8 * 3 / 4
    const Tensor out =
        attention({kQuery, kKey, floats({2, 3}, {4, 0, 1, 8, 4, 1})});  // values of other width
    EXPECT_EQ(out.get_shape(), (Shape{1, 3}));
    expect_values(out, {7, 3, 1});
    // A width of 4 halves scores: sums of 2 * log 3.
    expect_values(attention({floats({1, 4}, {1, 1, 0, 0}),
                             floats({2, 4}, {0, 0, 5, 5, kLog3, kLog3, 5, 5}), kValue}),
                  {7});
}

TEST(ScaledDotProductAttention, ReadsTheScale) {
    const Tensor none = floats({}, {0});
    for (const Shape& shape : {Shape{}, Shape{1}}) {
        // log 9: 1/10 and 9/10.
        expect_values(attention({kQuery, kKey, kValue, none, floats(shape, {2})}), {7.6F});
    }
    expect_values(attention({kQuery, kKey, kValue, none, floats({}, {0})}), {6});
}

TEST(ScaledDotProductAttention, AddsAFloatMask) {
    expect_values(attention({kQuery, kKey, kValue, floats({1, 2}, {kLog3, 0})}), {6});
    expect_values(attention({kQuery, kKey, kValue, floats({}, {0})}), {7});
    // The scale is none of the mask's business.
    expect_values(
        attention({kQuery, kKey, kValue, floats({1, 2}, {2 * kLog3, 0}), floats({}, {2})}), {6});
    // One row of a mask for two queries, and two rows for one.
    const Tensor two = floats({2, 1}, {1, 0});
    expect_values(attention({two, kKey, kValue, floats({1, 2}, {kLog3, 0})}), {6, 5});
    expect_values(attention({kQuery, kKey, kValue, floats({2, 2}, {kLog3, 0, 0, 0})}), {6, 7});
}

TEST(ScaledDotProductAttention, HidesWhereABooleanMaskIsFalse) {
    expect_values(attention({kQuery, kKey, kValue, booleans({1, 2}, {true, false})}), {4});
    expect_values(attention({kQuery, kKey, kValue, booleans({1, 2}, {true, true})}), {7});
    const Tensor out = attention(
        {floats({2, 1}, {1, 1}), kKey, kValue, booleans({2, 2}, {false, false, false, true})});
    EXPECT_TRUE(std::isnan(out.data<float>()[0]));  // nothing is left
    EXPECT_FLOAT_EQ(out.data<float>()[1], 8);
}

TEST(ScaledDotProductAttention, CausalHidesLaterKeys) {
    const Tensor queries = floats({3, 1}, {1, 1, 0});
    expect_values(attention({queries, kKey, kValue}, true), {4, 7, 6});
    // The mask is ignored, its shape and type too.
    expect_values(attention({queries, kKey, kValue, i64s({5}, {1, 2, 3, 4, 5})}, true), {4, 7, 6});
}

TEST(ScaledDotProductAttention, BroadcastsBatches) {
    // Queries 1 and 0 of two batches, one batch of keys, values of three.
    const Tensor queries = floats({2, 1, 1, 1}, {1, 0});
    const Tensor values = floats({3, 2, 1}, {4, 8, 0, 4, 40, 80});
    const Tensor out = attention({queries, kKey, values});
    EXPECT_EQ(out.get_shape(), (Shape{2, 3, 1, 1}));
    expect_values(out, {7, 3, 70, 6, 2, 60}, 1e-5F);
    // A mask a batch.
    const Tensor masked =
        attention({kQuery, kKey, kValue, booleans({2, 1, 2}, {true, false, false, true})});
    EXPECT_EQ(masked.get_shape(), (Shape{2, 1, 1}));
    expect_values(masked, {4, 8});
}

TEST(ScaledDotProductAttention, RunsOnF64AndOnNothing) {
    const auto wide = [](const Tensor& tensor) { return tensor.to(ElementType::f64); };
    expect_values(attention({wide(kQuery), wide(kKey), wide(kValue)}), {7});
    EXPECT_EQ(attention({floats({0, 1}, {}), kKey, kValue}).get_shape(), (Shape{0, 1}));
    expect_values(attention({kQuery, floats({0, 1}, {}), floats({0, 1}, {})}), {0});
}

std::string shapes(const std::vector<Input>& inputs, bool is_causal = false) {
    return shapes_of("ScaledDotProductAttention", 13, causal(is_causal), inputs);
}

TEST(ScaledDotProductAttention, InfersShapes) {
    EXPECT_EQ(shapes({open("[1,?,80]"), open("[1,?,80]"), open("[1,?,64]")}), "[1,?,64]");
    EXPECT_EQ(
        shapes({open("[1,2,3,?,80]"), open("[2,3,7,80]"), open("[3,7,80]"), open("[1,2,3,?,7]")}),
        "[1,2,3,?,80]");
    EXPECT_EQ(shapes({open("[4,1,5,8]"), open("[6,7,8]"), open("[4,6,7,9]"), open("[5,7]")}),
              "[4,6,5,9]");
    EXPECT_EQ(shapes({open("[...]"), open("[7,8]"), open("[7,9]")}), "[...]");
    EXPECT_EQ(shapes({open("[5,8]"), open("[7,8]"), open("[...]")}), "[...]");
    EXPECT_EQ(shapes({open("[5,8]"), open("[7,8]"), open("[7,9]"), open("[...]")}), "[...]");
    EXPECT_EQ(shapes({open("[5,8]"), open("[7,8]"), open("[7,9]"), open("[...]")}, true), "[5,9]");
}

TEST(ScaledDotProductAttention, RefusesWhatDoesNotFit) {
    const auto error = [](const std::vector<Input>& inputs) {
        return refusal("ScaledDotProductAttention", 13, causal(false), inputs);
    };
    EXPECT_THAT(error({open("[8]"), open("[7,8]"), open("[7,9]")}),
                HasSubstr("query has shape [8], expected rank 2 or more"));
    EXPECT_THAT(error({open("[5,8]"), open("[7,8]"), open("[]")}),
                HasSubstr("value has shape [], expected rank 2 or more"));
    EXPECT_THAT(error({open("[5,8]"), open("[7,6]"), open("[7,9]")}),
                HasSubstr("query has rows of 8, key of 6"));
    EXPECT_THAT(error({open("[5,8]"), open("[7,8]"), open("[6,9]")}),
                HasSubstr("there are scores of 7 keys, but 6 values"));
    EXPECT_THAT(error({open("[2,5,8]"), open("[3,7,8]"), open("[7,9]")}), HasSubstr("[2] and [3]"));
    EXPECT_THAT(error({open("[5,8]"), open("[7,8]"), open("[7,9]"), open("[7]")}),
                HasSubstr("attention_mask has shape [7], expected a scalar, or rank 2 or more"));
    EXPECT_THAT(error({open("[5,8]"), open("[7,8]"), open("[7,9]"), open("[4,7]")}),
                HasSubstr("[5,7] and [4,7]"));
    EXPECT_THAT(
        error({open("[5,8]"), open("[7,8]"), open("[7,9]"), open("[5,7]", ElementType::i32)}),
        HasSubstr("attention_mask is i32, expected boolean or f32"));
    EXPECT_THAT(error({open("[5,8]"), open("[7,8]"), open("[7,9]"), open("[]"), open("[2]")}),
                HasSubstr("scale has shape [2], expected one element"));
    EXPECT_THAT(error({open("[5,8]"), open("[7,8]"), open("[7,9]"), open("[]"),
                       open("[]", ElementType::i32)}),
                HasSubstr("scale is i32, expected a real type"));
    EXPECT_THAT(error({open("[5,8]", ElementType::i32), open("[7,8]"), open("[7,9]")}),
                HasSubstr("query is i32"));
    EXPECT_THAT(error({open("[5,8]"), open("[7,8]", ElementType::f64), open("[7,9]")}),
                HasSubstr("input 1 is f64, input 0 is f32"));
    // Sizes that are found at run time.
    const auto model = model_of("ScaledDotProductAttention", 13, causal(false),
                                {open("[...]"), open("[...]"), open("[...]"), open("[...]")});
    const auto run = [&](const Tensor& query, const Tensor& value, const Tensor& mask) {
        return error_of([&] { Interpreter(*model).run(std::vector{query, kKey, value, mask}); });
    };
    const Tensor none = floats({}, {0});
    EXPECT_THAT(run(floats({1, 2}, {1, 1}), kValue, none),
                HasSubstr("query has rows of 2, key of 1"));
    EXPECT_THAT(run(kQuery, floats({1, 1}, {1}), none), HasSubstr("of 2 keys, but 1 values"));
    EXPECT_THAT(run(kQuery, kValue, floats({2}, {0, 0})), HasSubstr("attention_mask has shape"));
    EXPECT_THAT(run(floats({1}, {1}), kValue, none), HasSubstr("query has shape [1]"));
}

}  // namespace
}  // namespace fuseq::test
