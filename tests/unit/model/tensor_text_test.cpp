// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "model/tensor_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <tuple>

#include "fuseq/error.hpp"

namespace fuseq::test {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(const std::string& text, ElementType type, const Shape& shape) {
    try {
        tensor_values_from_text(text, type, shape);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(TensorText, PrintsShortestFormThatReadsBack) {
    EXPECT_EQ(tensor_values_to_text(Tensor::of<float>({3}, {0.1f, 1e-30f, 16777216}), 9),
              "{0.1,1e-30,16777216}");
    EXPECT_EQ(tensor_values_to_text(Tensor::of<double>({2}, {0.1, 1.0 / 3}), 9),
              "{0.1,0.3333333333333333}");
    EXPECT_EQ(tensor_values_to_text(Tensor::of<std::int8_t>({2}, {-128, 127}), 9), "{-128,127}");
    EXPECT_EQ(tensor_values_to_text(Tensor::of<bool>({2}, {true, false}), 9), "{1,0}");
    EXPECT_EQ(tensor_values_to_text(
                  Tensor::of<std::uint64_t>({1}, {std::numeric_limits<std::uint64_t>::max()}), 9),
              "{18446744073709551615}");
    EXPECT_EQ(tensor_values_to_text(Tensor(element::f32, {0}), 9), "{}");
}

template <class T, class Bits>
void every_pattern_survives(Bits first, Bits step, std::size_t count) {
    std::vector<T> values;
    for (std::size_t i = 0; i < count; ++i) {
        values.push_back(std::bit_cast<T>(static_cast<Bits>(first + i * step)));
    }
    const Tensor tensor = Tensor::of<T>({count}, values);
    const std::string text = tensor_values_to_text(tensor, count);
    EXPECT_TRUE(same_bytes(
        tensor, tensor_values_from_text(text, tensor.get_element_type(), tensor.get_shape())));
}

TEST(TensorText, EveryBitPatternSurvives) {
    every_pattern_survives<Float16, std::uint16_t>(0, 1, 65536);
    every_pattern_survives<BFloat16, std::uint16_t>(0, 1, 65536);
    every_pattern_survives<float, std::uint32_t>(0, 42949673u, 100);
    every_pattern_survives<float, std::uint32_t>(0x7f7ffff0u, 1, 40);  // around infinity
    every_pattern_survives<double, std::uint64_t>(0, 184467440737095517u, 100);
}

TEST(TensorText, FillsGenerators) {
    const auto floats = [](const std::string& text) {
        return to_floats(tensor_values_from_text(text, element::f32, {3}));
    };
    EXPECT_THAT(floats("fill(0.5)"), Each(0.5f));
    EXPECT_THAT(floats("iota"), ElementsAre(0, 1, 2));
    EXPECT_THAT(floats("iota(5,-0.5)"), ElementsAre(5, 4.5f, 4));
    EXPECT_THAT(to_ints(tensor_values_from_text("iota(254)", element::u8, {3})),
                ElementsAre(254, 255, 0));
    EXPECT_THAT(to_floats(tensor_values_from_text("iota(0,0.5)", element::f16, {3})),
                ElementsAre(0, 0.5f, 1));
    EXPECT_THAT(to_ints(tensor_values_from_text("{true,false}", element::boolean, {2})),
                ElementsAre(1, 0));
    EXPECT_THAT(to_ints(tensor_values_from_text("{1,0}", element::boolean, {2})),
                ElementsAre(1, 0));
}

TEST(TensorText, RandomStaysInItsRangeAndRepeats) {
    const Tensor reals = tensor_values_from_text("random(7)", element::f32, {1000});
    EXPECT_THAT(to_floats(reals), Each(testing::AllOf(testing::Ge(-1), testing::Lt(1))));
    EXPECT_TRUE(same_bytes(reals, tensor_values_from_text("random(7)", element::f32, {1000})));
    EXPECT_FALSE(same_bytes(reals, tensor_values_from_text("random(8)", element::f32, {1000})));
    const auto ints = [](const std::string& text, ElementType type) {
        return to_ints(tensor_values_from_text(text, type, {2000}));
    };
    const auto bytes = ints("random(1)", element::i8);
    EXPECT_EQ(*std::min_element(bytes.begin(), bytes.end()), -128);
    EXPECT_EQ(*std::max_element(bytes.begin(), bytes.end()), 127);
    const auto dice = ints("random(1,1,6)", element::i64);
    EXPECT_EQ(*std::min_element(dice.begin(), dice.end()), 1);
    EXPECT_EQ(*std::max_element(dice.begin(), dice.end()), 6);
    EXPECT_THAT(ints("random(3)", element::boolean),
                testing::AllOf(testing::Contains(0), testing::Contains(1), Each(testing::Lt(2))));
}

TEST(TensorText, RefusesWhatDoesNotFit) {
    EXPECT_THAT(refusal("{1,2}", element::f32, {3}), HasSubstr("got 2 values for 3 elements"));
    EXPECT_THAT(refusal("{1,2,}", element::f32, {2}), HasSubstr("ends in a comma"));
    EXPECT_THAT(refusal("{x}", element::f32, {1}), HasSubstr("'x' is not a number of type f32"));
    EXPECT_THAT(refusal("{256}", element::u8, {1}), HasSubstr("'256' is out of the range of u8"));
    EXPECT_THAT(refusal("{-1}", element::u8, {1}), HasSubstr("out of the range"));
    EXPECT_THAT(refusal("{1.5}", element::i32, {1}), HasSubstr("is not a number of type i32"));
    EXPECT_THAT(refusal("fill()", element::f32, {1}), HasSubstr("is not {values}"));
    EXPECT_THAT(refusal("fill(1", element::f32, {1}), HasSubstr("lacks a closing )"));
    EXPECT_THAT(refusal("random(1,2)", element::f32, {1}), HasSubstr("expected 1 or 3"));
    EXPECT_THAT(refusal("random(1,6,1)", element::i32, {1}), HasSubstr("an empty range"));
    EXPECT_THAT(refusal("iota(1,2,3)", element::f32, {1}), HasSubstr("expected at most 2"));
    EXPECT_THAT(refusal("random", element::boolean, {1}), HasSubstr("random has 0 arguments"));
    EXPECT_THAT(refusal("#00", element::f32, {1}), HasSubstr("only given by its hash #00"));
    EXPECT_THAT(refusal("{1}", element::undefined, {1}), HasSubstr("has no element type"));
}

TEST(TensorText, PackedTypesPrintTheirValues) {
    const auto again = [](const std::string& text, ElementType type, const Shape& shape) {
        return tensor_values_to_text(tensor_values_from_text(text, type, shape), 99);
    };
    EXPECT_EQ(again("{0,15,7}", element::u4, {3}), "{0,15,7}");
    EXPECT_EQ(again("{-8,7,-1,0}", element::i4, {2, 2}), "{-8,7,-1,0}");
    EXPECT_EQ(again("{3,0,1,2,3}", element::u2, {5}), "{3,0,1,2,3}");
    EXPECT_EQ(again("{1,0,1}", element::u1, {3}), "{1,0,1}");
    EXPECT_EQ(again("{-1,0.16093020141124725,0.3}", element::nf4, {3}),
              "{-1,0.1609302,0.33791524}");
    EXPECT_EQ(again("iota(13)", element::u4, {5}), "{13,14,15,0,1}");
    EXPECT_EQ(again("iota(6,-7)", element::i4, {4}), "{6,-1,-8,1}");
    EXPECT_EQ(again("fill(-3)", element::i4, {3}), "{-3,-3,-3}");
    EXPECT_EQ(tensor_values_to_text(tensor_values_from_text("fill(9)", element::u4, {99}), 9),
              "fill(9)");
    const Tensor odd = tensor_values_from_text("{1,2,3}", element::u4, {3});
    EXPECT_EQ(element_to_text(odd, 2), "3");
    EXPECT_THAT(tensor_values_to_text(odd, 1), testing::StartsWith("#"));
}

TEST(TensorText, RandomPackedValuesFillTheRange) {
    const std::tuple<ElementType, std::int64_t, std::int64_t> ranges[] = {
        {element::u1, 0, 1}, {element::u2, 0, 3}, {element::u4, 0, 15}, {element::i4, -8, 7}};
    for (const auto& [type, low, high] : ranges) {
        const auto values = to_ints(tensor_values_from_text("random(3)", type, {500}));
        EXPECT_EQ(*std::min_element(values.begin(), values.end()), low);
        EXPECT_EQ(*std::max_element(values.begin(), values.end()), high);
    }
}

TEST(TensorText, PackedValuesOutOfTheRangeAreRefused) {
    EXPECT_THAT(refusal("{16}", element::u4, {1}), HasSubstr("'16' is out of the range of u4"));
    EXPECT_THAT(refusal("{-1}", element::u2, {1}), HasSubstr("'-1' is out of the range of u2"));
    EXPECT_THAT(refusal("fill(8)", element::i4, {3}), HasSubstr("'8' is out of the range of i4"));
    EXPECT_THAT(refusal("{0.5}", element::u4, {1}), HasSubstr("'0.5' is not a number"));
    EXPECT_THAT(refusal("iota", element::u4, {1073741825}), HasSubstr("is too large"));
}

}  // namespace
}  // namespace fuseq::test
