// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/cpu/split_dynamic_products.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/interpreter.hpp"
#include "support/pass_testing.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq::testing {
namespace {

struct Product {
    std::string type;  // with the attributes
    std::string src;   // type and shape
    std::string weights;
    std::string range = "-20,20";
    std::string scale = "f32[]";
};

// x quantized at run time, a product, its sums as real values. A zero point of run time needs an
// absent bias before it, which the text of a model does not have.
std::shared_ptr<Model> model_of(const Product& p) {
    const auto model = Model::from_text(
        "model \"m\"\n%x = Parameter : " + p.src + "\n%z = Parameter : " +
        p.src.substr(0, p.src.find('[')) + "[]\n%s = Parameter : " + p.scale +
        "\n%w = Const value=random(1," + p.range + ") : " + p.weights + "\n%y = " + p.type +
        " input_scales=[1] output_scale=1 output_type=i32 method=ONNX\n"
        "%c = Convert(%y) destination_type=f32\n%m = Multiply(%c, %s)\n%r = Result(%m)\n");
    const Node* given = model->find("y");
    const std::vector<Use> uses = given->port(0).uses;
    Node* product = copy_node(*given, "product",
                              {given->input(0), given->input(1), {}, model->find("z")->output(0)});
    move_uses(uses, given->port(0).uses[0].node->input(0), product->output(0));
    model->remove_dead_nodes();
    model->validate();
    return model;
}

// The same values before and after; whether anything was split, and into how many products.
std::size_t products_after(const Product& p) {
    const auto before = model_of(p);
    const auto after = model_of(p);
    PassContext context;
    const bool changed = split_dynamic_products(*after, context);
    after->validate();
    const std::vector<Tensor> inputs = random_inputs(*before, 5);
    EXPECT_TRUE(same_bytes(Interpreter(*after).run(inputs)[0], Interpreter(*before).run(inputs)[0]))
        << p.type;
    EXPECT_EQ(changed, after->find_all("DequantizeSums").size() == 1);
    return after->find_all("Convolution").size() + after->find_all("GroupConvolution").size() +
           after->find_all("MatMul").size();
}

Product convolution(const std::string& more) {
    return {"QuantizedConvolution(%x, %w) weight_scales=[1] " + more, "u8[2,4,7,6]", "i8[6,4,3,3]"};
}

TEST(SplitDynamicProducts, MatrixProducts) {
    EXPECT_EQ(products_after({"QuantizedMatMul(%x, %w) weight_scales=[1]", "u8[2,3,8]", "i8[8,5]"}),
              1);
    EXPECT_EQ(products_after({"QuantizedMatMul(%x, %w) weight_scales=[1] transpose_b=true",
                              "i8[3,8]", "i8[5,8]"}),
              1);
    EXPECT_EQ(products_after({"QuantizedMatMul(%x, %w) weight_scales=[1] transpose_a=true",
                              "u8[8,3]", "i8[8,5]", "-20,20", "f32[5]"}),
              1);
}

TEST(SplitDynamicProducts, WindowsAtTheEdgesSeeFewerWeights) {
    EXPECT_EQ(products_after(convolution("strides=[1,1] pads_begin=[1,1] pads_end=[1,1]")), 1);
    EXPECT_EQ(products_after(convolution("strides=[2,3] pads_begin=[0,2] pads_end=[2,1] "
                                         "dilations=[2,1]")),
              1);
    EXPECT_EQ(products_after(convolution("strides=[2,2] auto_pad=same_upper")), 1);
    Product p = convolution("strides=[1] pads_begin=[2] pads_end=[2]");
    p.src = "u8[2,4,9]";
    p.weights = "i8[6,4,5]";
    EXPECT_EQ(products_after(p), 1);
    p = convolution("strides=[1,1] pads_begin=[1,1] pads_end=[1,1]");
    p.scale = "f32[1,6,1,1]";
    EXPECT_EQ(products_after(p), 1);
}

TEST(SplitDynamicProducts, Groups) {
    Product p = convolution("strides=[1,1] pads_begin=[1,1] pads_end=[0,1] groups=2");
    p.weights = "i8[6,2,3,3]";
    EXPECT_EQ(products_after(p), 1);
    // 255 - 100 is no i8, and a channel of ones is the sum of all groups.
    p.weights = "u8[6,2,3,3]";
    p.range = "90,255";
    p.type += " weight_zero_points=[100]";
    EXPECT_EQ(products_after(p), 0);
}

// One more channel of ones.
TEST(SplitDynamicProducts, WeightsThatAreNoI8LessTheirZeroPoints) {
    Product p = convolution(
        "strides=[1,1] pads_begin=[1,1] pads_end=[1,1] "
        "weight_zero_points=[100,0,3,255,128,9]");
    p.weights = "u8[6,4,3,3]";
    p.range = "0,255";
    EXPECT_EQ(products_after(p), 1);
    p = {"QuantizedMatMul(%x, %w) weight_scales=[1] weight_zero_points=[-90]", "u8[3,8]", "i8[8,5]",
         "-100,127"};
    EXPECT_EQ(products_after(p), 1);
    p = {"QuantizedMatMul(%x, %w) weight_scales=[1] weight_zero_points=[99] transpose_b=true",
         "u8[3,8]", "u8[5,8]", "0,255"};
    EXPECT_EQ(products_after(p), 1);
}

// 64 * 9 * 127 * 255 is beyond 2^24: two parts of the input channels.
TEST(SplitDynamicProducts, SumsThatF32DoesNotHoldAreMadeInParts) {
    Product p = convolution("strides=[1,1] pads_begin=[1,1] pads_end=[1,1]");
    p.src = "u8[1,64,3,3]";
    p.weights = "i8[6,64,3,3]";
    p.range = "120,127";
    EXPECT_EQ(products_after(p), 2);
    p = {"QuantizedMatMul(%x, %w) weight_scales=[1]", "u8[2,1500]", "i8[1500,3]", "125,127"};
    EXPECT_EQ(products_after(p), 3);
    p = {"QuantizedMatMul(%x, %w) weight_scales=[1]", "i8[2,6000]", "i8[6000,3]", "125,127"};
    EXPECT_EQ(products_after(p), 6);
    p = {"QuantizedMatMul(%x, %w) weight_scales=[1]", "i8[2,9000]", "i8[9000,3]", "125,127"};
    EXPECT_EQ(products_after(p), 0);
}

TEST(SplitDynamicProducts, LeavesScalesOfRows) {
    EXPECT_EQ(products_after({"QuantizedMatMul(%x, %w) weight_scales=[1]", "u8[5,8]", "i8[8,5]",
                              "-20,20", "f32[5,1]"}),
              0);
}

}  // namespace
}  // namespace fuseq::testing
