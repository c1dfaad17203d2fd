// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The value classes of the C++ layer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <openvino/openvino.hpp>
#include <sstream>

#include "support/small_model.hpp"

namespace {

template <class T>
std::string printed(const T& value) {
    std::ostringstream out;
    out << value;
    return out.str();
}

TEST(CompatAny, IsWhatItWasMadeOfAndItsText) {
    EXPECT_EQ(ov::Any(7).as<int>(), 7);
    EXPECT_EQ(ov::Any(7).as<std::string>(), "7");
    EXPECT_EQ(ov::Any("7").as<std::int64_t>(), 7);
    EXPECT_TRUE(ov::Any("YES").as<bool>());
    EXPECT_EQ(ov::Any(true).as<std::string>(), "YES");
    EXPECT_EQ(ov::Any(ov::hint::PerformanceMode::THROUGHPUT).as<std::string>(), "THROUGHPUT");
    EXPECT_EQ(ov::Any("LATENCY").as<ov::hint::PerformanceMode>(),
              ov::hint::PerformanceMode::LATENCY);
    EXPECT_EQ(ov::Any(ov::element::bf16).as<std::string>(), "bf16");
    EXPECT_EQ(ov::Any("f16").as<ov::element::Type>(), ov::element::f16);
    EXPECT_TRUE(ov::Any("x").is<std::string>());
    EXPECT_FALSE(ov::Any(1).is<std::string>());
    EXPECT_TRUE(ov::Any().empty());
    EXPECT_THROW(ov::Any("many").as<int>(), ov::Exception);
}

TEST(CompatElementType, KnowsItsSize) {
    EXPECT_EQ(ov::element::f32.size(), 4u);
    EXPECT_EQ(ov::element::u4.bitwidth(), 4u);
    EXPECT_EQ(ov::element::u4.size(), 1u);
    EXPECT_EQ(printed(ov::element::i64), "i64");
    EXPECT_TRUE(ov::element::dynamic.is_dynamic());
    EXPECT_EQ(ov::element::from<float>(), ov::element::f32);
    EXPECT_EQ(ov::element::Type("u8"), ov::element::Type_t::u8);
    EXPECT_THROW(ov::element::Type("u7"), ov::Exception);
}

TEST(CompatPartialShape, IsMadeOfManyThings) {
    const ov::PartialShape shape{1, ov::Dimension::dynamic(), {2, 8}};
    EXPECT_EQ(printed(shape), "[1,?,2..8]");
    EXPECT_EQ(shape, ov::PartialShape("[1,?,2..8]"));
    EXPECT_EQ(shape.rank().get_length(), 3);
    EXPECT_EQ(shape.get_max_shape()[2], 8u);
    EXPECT_EQ(shape.get_min_shape(), (ov::Shape{1, 0, 2}));
    EXPECT_TRUE(ov::PartialShape::dynamic().rank().is_dynamic());
    EXPECT_EQ(ov::PartialShape(ov::Shape{2, 3}).to_shape(), (ov::Shape{2, 3}));
    EXPECT_THROW(shape.to_shape(), ov::Exception);
    EXPECT_EQ(printed(ov::Shape{1, 3}), "[1,3]");
}

TEST(CompatModel, IsReshapedInEveryForm) {
    ov::Model model(fuseq::test::relu_model({1, 4}));
    model.reshape(ov::PartialShape{2, 4});
    EXPECT_EQ(model.input().get_shape(), (ov::Shape{2, 4}));
    model.reshape({{"in_tensor", ov::PartialShape{3, -1}}});
    EXPECT_EQ(model.output(0).get_partial_shape(), (ov::PartialShape{3, -1}));
    EXPECT_TRUE(model.is_dynamic());
    model.reshape(std::map<std::size_t, ov::PartialShape>{{0, ov::PartialShape{4, 4}}});
    model.reshape({{model.input(), ov::PartialShape{5, 4}}});
    EXPECT_EQ(model.output("out_tensor").get_shape(), (ov::Shape{5, 4}));
    ov::layout::set_layout(model.input(), "NC");
    const auto shared = std::make_shared<ov::Model>(model);
    ov::set_batch(shared, 7);
    EXPECT_EQ(ov::get_batch(shared).get_length(), 7);
    EXPECT_THROW(model.input("no_such_name"), ov::Exception);
}

TEST(CompatTensor, GivesTheRequestItsNewShape) {
    ov::Core core;
    const auto model = std::make_shared<ov::Model>(fuseq::test::relu_model({-1}));
    ov::InferRequest request = core.compile_model(model, "AUTO").create_infer_request();
    ov::Tensor input = request.get_input_tensor();
    input.set_shape({3});
    std::fill_n(input.data<float>(), 3, -1.0f);
    input.data<float>()[1] = 5;
    request.infer();
    const ov::Tensor output = request.get_output_tensor();
    EXPECT_EQ(output.get_shape(), ov::Shape{3});
    EXPECT_EQ(output.data<float>()[1], 5);
    EXPECT_EQ(output.data<float>()[2], 0);
    EXPECT_THROW(output.data<int>(), ov::Exception);
    EXPECT_EQ(input.get_strides(), ov::Strides{4});
    // No longer the tensor of the request.
    std::array<float, 2> other = {-7, 7};
    request.set_input_tensor(ov::Tensor(ov::element::f32, {2}, other.data()));
    input.set_shape({1});
    request.infer();
    EXPECT_EQ(request.get_output_tensor().get_shape(), ov::Shape{2});
    EXPECT_EQ(request.get_output_tensor().data<float>()[1], 7);
}

TEST(CompatInferRequest, SaysThatItIsEmptyOrCancelled) {
    ov::InferRequest none;
    EXPECT_FALSE(none);
    EXPECT_THROW(none.infer(), ov::Exception);
    EXPECT_THROW(ov::CompiledModel().create_infer_request(), ov::Exception);
    EXPECT_THROW(ov::Core().compile_model("no_such_file.xml"), ov::Exception);
    ov::Core core;
    const auto model = std::make_shared<ov::Model>(fuseq::test::relu_model({2}));
    EXPECT_THROW(core.compile_model(model, "CPU").set_property(ov::num_streams(2)),
                 ov::NotImplemented);
}

}  // namespace
