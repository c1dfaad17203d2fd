// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/einsum.hpp"

#include "ops/op_spec.hpp"
#include "unit/ops_heads/run_op.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

EinsumAttrs equation(const std::string& text) {
    EinsumAttrs attrs;
    attrs.equation = text;
    return attrs;
}

Tensor einsum(const std::string& text, const std::vector<Tensor>& inputs) {
    return run_op("Einsum", 7, equation(text), inputs)[0];
}

const Tensor kA = floats({2, 3}, {1, 2, 3, 4, 5, 6});
const Tensor kB = floats({3, 2}, {1, 0, -1, 2, 3, 1});

TEST(Einsum, MultipliesMatrices) {
    expect_values(einsum("ab,bc->ac", {kA, kB}), {8, 7, 17, 16});
    expect_values(einsum("ab, bc -> ca", {kA, kB}), {8, 17, 7, 16});
    expect_values(einsum("ba,bc->ac", {kA, kA}), {17, 22, 27, 22, 29, 36, 27, 36, 45});
    // Labels that occur once, in the order of the alphabet.
    expect_values(einsum("ab,bc", {kA, kB}), {8, 7, 17, 16});
    expect_values(einsum("cb,ba", {kA, kB}), {8, 17, 7, 16});
    expect_values(einsum("ab,cb,b->ac", {kA, kA, floats({3}, {1, 0, 2})}), {19, 40, 40, 88});
}

TEST(Einsum, SumsMovesAndTakesDiagonals) {
    expect_values(einsum("ab->ba", {kA}), {1, 4, 2, 5, 3, 6});
    expect_values(einsum("ab->b", {kA}), {5, 7, 9});
    expect_values(einsum("ab->", {kA}), {21});
    const Tensor square = floats({2, 2}, {1, 2, 3, 4});
    expect_values(einsum("aa->a", {square}), {1, 4});
    expect_values(einsum("aa", {square}), {5});
    expect_values(einsum("a,b->ab", {floats({2}, {1, 2}), floats({2}, {3, 4})}), {3, 4, 6, 8});
    const Tensor ints = Tensor::of<std::int32_t>({2}, {3, -4});
    EXPECT_EQ(to_ints(einsum("a,a->", {ints, ints})), std::vector<std::int64_t>{25});
}

TEST(Einsum, RepeatsDimensionsOfAnEllipsis) {
    const Tensor two = floats({2, 1, 2}, {1, 2, 3, 4});
    expect_values(einsum("...ab,...bc->...ac", {two, kB.reshaped({1, 2, 3})}),
                  {5, 6, 1, 11, 12, 1});
    EXPECT_EQ(einsum("...b,b->...", {two, floats({2}, {1, 1})}).get_shape(), (Shape{2, 1}));
    expect_values(einsum("...b,b->...", {two, floats({2}, {1, 1})}), {3, 7});
    expect_values(einsum("a...,...", {kA, floats({3}, {1, 10, 100})}), {1, 4, 20, 50, 300, 600});
    EXPECT_EQ(einsum("ab,bc->ac", {floats({2, 0}, {}), floats({0, 2}, {})}).get_size(), 4u);
    expect_values(einsum("ab,bc->ac", {floats({2, 0}, {}), floats({0, 2}, {})}), {0, 0, 0, 0});
}

TEST(Einsum, RepeatsDimensionsOfSizeOne) {
    expect_values(einsum("a,a->", {floats({1}, {3}), floats({2}, {1, 2})}), {9});
    expect_values(einsum("ab,cb->ac", {kA, floats({1, 1}, {10})}), {60, 150});
    expect_values(einsum("ab,ab->ab", {floats({2, 1}, {2, 3}), floats({1, 3}, {1, 10, 100})}),
                  {2, 20, 200, 3, 30, 300});
    expect_values(einsum("aa,a->a", {floats({1, 1}, {5}), floats({2}, {1, 2})}), {5, 10});
}

TEST(Einsum, InfersOpenShapes) {
    EXPECT_EQ(shapes_of("Einsum", 7, equation("ab,ab->ab"), {open("[1,?]"), open("[4,3]")}),
              "[4,3]");
    EXPECT_EQ(shapes_of("Einsum", 7, equation("ab,ab->ab"), {open("[?,1]"), open("[?,?]")}),
              "[?,?]");
    // The shapes of the specification's example.
    EXPECT_EQ(shapes_of("Einsum", 7, equation("ab...,ac...,ade->...bc"),
                        {open("[2,3,4]"), open("[2,7,1]"), open("[2,4,7]")}),
              "[4,3,7]");
    EXPECT_EQ(shapes_of("Einsum", 7, equation("abc,dc->abd"), {open("[?,5,8]"), open("[4,8]")}),
              "[?,5,4]");
    EXPECT_EQ(shapes_of("Einsum", 7, equation("a...b,b->...a"), {open("[2,?,7,3]"), open("[?]")}),
              "[?,7,2]");
    EXPECT_EQ(shapes_of("Einsum", 7, equation("ab->a"), {open("[...]")}), "[...]");
}

TEST(Einsum, RefusesWrongEquations) {
    const auto why = [](const std::string& text, const std::vector<Input>& inputs) {
        return refusal("Einsum", 7, equation(text), inputs);
    };
    const std::vector<Input> two = {open("[2,3]"), open("[3,4]")};
    EXPECT_THAT(why("ab->a", two), HasSubstr("has 1 terms for 2 inputs"));
    EXPECT_THAT(why("abc,bc->a", two), HasSubstr("names 3 dimensions of input 0"));
    EXPECT_THAT(why("ab,ac->bc", two), HasSubstr("dimension 0 of input 1 is 3, the label has"));
    EXPECT_THAT(why("ab,bc->ad", two), HasSubstr("has 'd', which no input has"));
    EXPECT_THAT(why("ab,bc->aa", two), HasSubstr("has 'a' twice"));
    EXPECT_THAT(why("a1,bc->a", two), HasSubstr("has the character '1'"));
    EXPECT_THAT(why("...a,bc->abc", two), HasSubstr("has no ellipsis, its left side has"));
    EXPECT_THAT(why("......,bc->...", {open("[2,3,4]"), open("[3,4]")}), HasSubstr("two ellipses"));
    EXPECT_THAT(error_of([&] {
                    run_op("Einsum", 7, equation("a,a->"), {kA.reshaped({6}), floats({2}, {1, 2})});
                }),
                HasSubstr("dimension 0 of input 1 is 2, the label has size 6"));
    // Within a term 1 does not repeat.
    EXPECT_THAT(why("aa->a", {open("[1,3]")}), HasSubstr("dimension 1 of input 0 is 3, the label"));
    EXPECT_THAT(
        error_of([&] {
            evaluate_node(
                *model_of("Einsum", 7, equation("aa->a"), {open("...")})->find_all("Einsum")[0],
                std::vector<Tensor>{floats({1, 3}, {1, 2, 3})});
        }),
        HasSubstr("dimension 1 of input 0 is 3, the label has size 1"));
}

}  // namespace
}  // namespace fuseq::test
