// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/state/variable_values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "support/small_model.hpp"

namespace fuseq::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Variable> growing() {
    return {{.name = "rows", .type = ElementType::f32, .shape = PartialShape::parse("?,2")},
            {.name = "sum",
             .type = ElementType::f32,
             .shape = PartialShape::parse("2"),
             .has_initial = true}};
}

void put(VariableValues& values, std::size_t i, const Tensor& value) {
    Tensor next = values.next(i, value.get_shape());
    value.copy_to(next);
}

TEST(VariableValues, BeginWithZerosAndNoRows) {
    const VariableValues values(growing());
    EXPECT_EQ(values.get(0).get_shape(), (Shape{0, 2}));
    EXPECT_THAT(values.get(1).values<float>(), ElementsAre(0, 0));
    EXPECT_FALSE(values.needs_initial(0));
    EXPECT_TRUE(values.needs_initial(1));
}

TEST(VariableValues, AssignedOnesTakeThePlaceAfterTheInference) {
    VariableValues values(growing());
    values.set_initial(1, Tensor::of<float>({2}, {5, 6}));
    EXPECT_THAT(values.value(1).values<float>(), ElementsAre(5, 6));
    EXPECT_TRUE(values.needs_initial(1));  // until the inference is done
    EXPECT_THAT(values.get(1).values<float>(), ElementsAre(0, 0));
    put(values, 0, Tensor::of<float>({1, 2}, {1, 2}));
    put(values, 1, Tensor::of<float>({2}, {7, 8}));
    EXPECT_EQ(values.get(0).get_shape(), (Shape{0, 2}));
    values.commit();
    EXPECT_THAT(values.get(0).values<float>(), ElementsAre(1, 2));
    EXPECT_THAT(values.get(1).values<float>(), ElementsAre(7, 8));
    EXPECT_FALSE(values.needs_initial(1));
    values.reset(0);
    values.reset(1);
    EXPECT_EQ(values.get(0).get_shape(), (Shape{0, 2}));
    EXPECT_THAT(values.get(1).values<float>(), ElementsAre(0, 0));
    EXPECT_TRUE(values.needs_initial(1));
}

TEST(VariableValues, AreCopiedInAndOut) {
    VariableValues values(growing());
    Tensor given = Tensor::of<float>({2}, {1, 2});
    values.set(1, given);
    EXPECT_FALSE(values.needs_initial(1));
    given.data<float>()[0] = 9;
    Tensor got = values.get(1);
    got.data<float>()[1] = 9;
    EXPECT_THAT(values.get(1).values<float>(), ElementsAre(1, 2));
}

TEST(VariableValues, AGrowingOneIsSeldomAllocatedAnew) {
    VariableValues values(growing());
    put(values, 1, Tensor::of<float>({2}, {0, 0}));
    std::size_t allocations = 0;
    const void* memory[2] = {nullptr, nullptr};
    for (std::size_t rows = 1; rows <= 100; ++rows) {
        const void* now = std::as_const(values.next(0, Shape{rows, 2})).data();
        allocations += now != memory[rows % 2] ? 1 : 0;
        memory[rows % 2] = now;
        values.next(1, Shape{2});
        values.commit();
    }
    EXPECT_LE(allocations, 2 * 12u);
}

TEST(VariableValues, OfAnotherTypeOrShapeAreRefused) {
    VariableValues values(growing());
    EXPECT_THAT(message_of([&] {
                    values.set(0, Tensor(ElementType::i32, Shape{1, 2}));
                }),
                HasSubstr("variable 'rows': the value is a tensor of i32, expected f32"));
    EXPECT_THAT(message_of([&] {
                    values.set(0, Tensor(ElementType::f32, Shape{1, 3}));
                }),
                HasSubstr("variable 'rows': the value has shape [1,3], expected [?,2]"));
    EXPECT_THAT(message_of([&] { values.set(0, Tensor()); }),
                HasSubstr("variable 'rows': the tensor is an empty handle"));
    put(values, 0, Tensor(ElementType::f32, Shape{1, 2}));
    put(values, 1, Tensor(ElementType::f32, Shape{3}));
    EXPECT_THAT(message_of([&] { values.commit(); }),
                HasSubstr("variable 'sum': the assigned value has shape [3], expected [2]"));
    EXPECT_EQ(values.get(0).get_shape(), (Shape{0, 2}));  // nothing has changed
}

}  // namespace
}  // namespace fuseq::test
