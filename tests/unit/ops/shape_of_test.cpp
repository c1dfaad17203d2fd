// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

TEST(ShapeOf, GivesTheShape) {
    const In x = in_f32({2, 3}, {1, 2, 3, 4, 5, 6});
    expect_tensor<std::int64_t>(run_op("ShapeOf", 1, "", {x})[0], {2}, {2, 3});
    expect_tensor<std::int32_t>(run_op("ShapeOf", 3, "output_type=i32", {x})[0], {2}, {2, 3});
    expect_tensor<std::int64_t>(run_op("ShapeOf", 3, "", {in_f32({}, {1})})[0], {0}, {});
}

TEST(ShapeOf, RefusesOtherTypes) {
    EXPECT_THAT(error_of("ShapeOf", 3, "output_type=f32", {in_f32({1}, {1})}),
                HasSubstr("output_type is f32"));
}

// ShapeOf -> Gather -> Concat -> Reshape with an open batch, as exporters write a Flatten.
TEST(ShapeOf, OpenShapesReachReshape) {
    Model model;
    const Output x =
        model.add_parameter("x", ElementType::f32, PartialShape::parse("[?,3,4]"))->output();
    const auto list = [&](const char* name, std::vector<std::int64_t> values) {
        return model.add_constant(name, Tensor::of<std::int64_t>({values.size()}, values))
            ->output();
    };
    const Output zero = model.add_constant("zero", Tensor::scalar<std::int64_t>(0))->output();
    const Output shape =
        model.add("ShapeOf", 3, "shape", {x}, attributes_of("ShapeOf", 3, ""))->output();
    const Output batch = model
                             .add("Gather", 8, "batch", {shape, list("first", {0}), zero},
                                  attributes_of("Gather", 8, ""))
                             ->output();
    const Output pattern = model
                               .add("Concat", 1, "pattern", {batch, list("rest", {12, 1})},
                                    attributes_of("Concat", 1, "axis=0"))
                               ->output();
    const Node* reshape =
        model.add("Reshape", 1, "flat", {x, pattern}, attributes_of("Reshape", 1, ""));
    EXPECT_EQ(to_string(reshape->port(0).shape), "[?,12,1]");
    model.reshape(PartialShape{5, 3, 4});
    EXPECT_EQ(to_string(reshape->port(0).shape), "[5,12,1]");
}

// The same with arithmetic on sizes: height * 2 by Multiply, Unsqueeze, StridedSlice, Squeeze.
TEST(ShapeOf, OpenShapesPassArithmetic) {
    Model model;
    const Output x =
        model.add_parameter("x", ElementType::f32, PartialShape::parse("[?,3,5]"))->output();
    const auto list = [&](const char* name, std::vector<std::int64_t> values) {
        return model.add_constant(name, Tensor::of<std::int64_t>({values.size()}, values))
            ->output();
    };
    const Output shape =
        model.add("ShapeOf", 3, "shape", {x}, attributes_of("ShapeOf", 3, ""))->output();
    const Output tail =
        model
            .add("StridedSlice", 1, "tail", {shape, list("b", {1}), list("e", {0}), list("s", {1})},
                 attributes_of("StridedSlice", 1, "begin_mask=0; end_mask=1"))
            ->output();
    const Output twice =
        model
            .add("Multiply", 1, "twice", {tail, list("two", {2})}, attributes_of("Multiply", 1, ""))
            ->output();
    const Output product = model
                               .add("ReduceProd", 1, "product", {twice, list("axes", {0})},
                                    attributes_of("ReduceProd", 1, "keep_dims=true"))
                               ->output();
    const Output half =
        model
            .add("Divide", 1, "half", {product, list("four", {4})}, attributes_of("Divide", 1, ""))
            ->output();
    EXPECT_THAT(half.node->port(0).known_dims, testing::ElementsAre(Dimension(15)));
}

}  // namespace
}  // namespace fuseq::test
