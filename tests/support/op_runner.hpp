// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs one operation for its unit test. Attributes are written as text, "kernel=2,2; strides=2,2",
// and go through the declaration of the attribute struct as those of an IR do.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "fuseq/model.hpp"
#include "ops/op_spec.hpp"

namespace fuseq::test {

// One input of the operation under test.
struct In {
    Tensor value;           // empty: nothing to run, only to infer
    bool constant = false;  // a Const of the model, else a Parameter
    ElementType type = ElementType::undefined;
    PartialShape shape;
    bool absent = false;  // an optional input that is not connected
};

template <class T>
In in(const Shape& shape, const std::vector<T>& values) {
    const Tensor tensor = Tensor::of<T>(shape, values);
    return {tensor, false, tensor.get_element_type(), shape, false};
}
inline In in_f32(const Shape& shape, const std::vector<float>& values) {
    return in<float>(shape, values);
}
template <class T>
In constant(const Shape& shape, const std::vector<T>& values) {
    In input = in<T>(shape, values);
    input.constant = true;
    return input;
}
// A one-dimensional i64 constant: shapes, axes, ...
inline In ints(const std::vector<std::int64_t>& values) {
    return constant<std::int64_t>(Shape{values.size()}, values);
}
inline In int_scalar(std::int64_t value) {
    return constant<std::int64_t>(Shape{}, {value});
}
// For inference only: "[1,3,?,2..8]", "..." (unknown rank).
inline In open(ElementType type, const std::string& shape) {
    return {Tensor(), false, type, PartialShape::parse(shape), false};
}
inline In absent() {
    return {Tensor(), false, ElementType::undefined, PartialShape(), true};
}

// Fresh attributes of `type` with these texts; throws for an unknown or a missing required one.
std::unique_ptr<Attributes> attributes_of(std::string_view type, int opset, std::string_view text);

// A model with the operation, its inputs and nothing else.
struct OpModel {
    std::shared_ptr<Model> model;
    Node* node = nullptr;
};
OpModel make_op(std::string_view type,
                int opset,
                std::string_view attributes,
                const std::vector<In>& inputs);

// Infers and runs the operation. Checks that the outputs have the type and a shape that inference
// announced, and that the kernel gives the same when inference knew no shapes at all.
enum class Dynamic { kCheck, kSkip };  // skip: some shape or value must be known
std::vector<Tensor> run_op(std::string_view type,
                           int opset,
                           std::string_view attributes,
                           const std::vector<In>& inputs,
                           Dynamic dynamic = Dynamic::kCheck);

// Shape of output `port` as inference prints it.
std::string shape_of(std::string_view type,
                     int opset,
                     std::string_view attributes,
                     const std::vector<In>& inputs,
                     std::size_t port = 0);

// Text of the Error that inference (or, when that accepts, the kernel) throws; fails when none.
std::string error_of(std::string_view type,
                     int opset,
                     std::string_view attributes,
                     const std::vector<In>& inputs);

// Runs the kernel of a node whose inputs inference did not know (all Parameters of unknown rank).
std::vector<Tensor> run_blind(std::string_view type,
                              int opset,
                              std::string_view attributes,
                              const std::vector<In>& inputs);
std::string blind_error_of(std::string_view type,
                           int opset,
                           std::string_view attributes,
                           const std::vector<In>& inputs);

// The tensor has exactly this shape and these values.
template <class T>
void expect_tensor(const Tensor& actual, const Shape& shape, const std::vector<T>& values) {
    ASSERT_EQ(to_string(actual.get_element_type()), to_string(element_type_of<T>()));
    ASSERT_EQ(to_string(actual.get_shape()), to_string(shape));
    ASSERT_EQ(actual.get_size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_EQ(actual.data<T>()[i], values[i]) << "at " << i;
    }
}
// The same with a tolerance, relative to the expected value (absolute below one).
void expect_near(const Tensor& actual,
                 const Shape& shape,
                 const std::vector<float>& values,
                 double tolerance = 1e-6);
void expect_bools(const Tensor& actual, const Shape& shape, const std::vector<int>& values);

}  // namespace fuseq::test
