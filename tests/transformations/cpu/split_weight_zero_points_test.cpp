// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/cpu/split_weight_zero_points.hpp"

#include <gmock/gmock.h>

#include "support/pass_testing.hpp"
#include "transformations/support/anchor_zero_points.hpp"
#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::testing {
namespace {

using fuseq::test::random_tensor;
using fuseq::test::run_on;

struct Case {
    const char* name;
    std::string body;  // of %x u8 to %y, the anchor
    Shape src;
};

const char* const kWindow = " strides=[1,1] dilations=[1,1] pads_begin=[1,0] pads_end=[0,1]";

const Case kCases[] = {
    {"Convolution",
     std::string("%w = Const value=random(3,-127,127) : i8[4,3,3,3]\n%z = Const value={7} : i32[]\n"
                 "%k = Const value={0.5,-1,0,9} : f32[4]\n%y = Convolution(%x, %w, %z, %k)") +
         kWindow,
     {1, 3, 5, 6}},
    {"ConvolutionOneValue",
     std::string("%w = Const value=random(3,-127,127) : i8[4,3,3,3]\n"
                 "%k = Const value={0.5} : f32[]\n%y = Convolution(%x, %w, _, %k)") +
         kWindow,
     {2, 3, 5, 6}},
    {"ConvolutionInGroups",
     std::string("%w = Const value=random(3,-127,127) : i8[2,2,2,3,3]\n"
                 "%z = Const value={7} : i32[]\n%k = Const value={0.5,-1,0,9} : f32[4]\n"
                 "%y = GroupConvolution(%x, %w, %z, %k)") +
         kWindow,
     {1, 4, 5, 6}},
    {"Depthwise",
     std::string("%w = Const value=random(3,-127,127) : i8[4,1,1,3,3]\n"
                 "%z = Const value={7,8,9,10} : i32[4]\n%k = Const value={0.5,-1,0,9} : f32[4]\n"
                 "%y = GroupConvolution(%x, %w, %z, %k)") +
         kWindow,
     {1, 4, 5, 6}},
    {"Deconvolution",
     "%w = Const value=random(3,-127,127) : i8[3,4,3,3]\n%z = Const value={7} : i32[]\n"
     "%k = Const value={0.5,-1,0,9} : f32[4]\n"
     "%y = ConvolutionBackpropData(%x, %w, _, %z, %k) strides=[2,2] pads_begin=[1,0]",
     {1, 3, 5, 6}},
    {"DeconvolutionInGroups",
     "%w = Const value=random(3,-127,127) : i8[2,2,2,3,3]\n%k = Const value={0.5,-1,0,9} : f32[4]\n"
     "%y = GroupConvolutionBackpropData(%x, %w, _, _, %k) strides=[2,2]",
     {1, 4, 5, 6}},
    {"MatMul",
     "%w = Const value=random(3,-127,127) : i8[6,4]\n%z = Const value={7} : i32[]\n"
     "%k = Const value={0.5,-1,0,9} : f32[4]\n%y = MatMul(%x, %w, %z, %k)",
     {1, 3, 5, 6}},
    {"MatMulTransposed",
     "%w = Const value=random(3,-127,127) : i8[2,4,5]\n%z = Const value={7} : i32[]\n"
     "%k = Const value={0.5,-1,0,9} : f32[4]\n"
     "%y = MatMul(%x, %w, %z, %k) transpose_a=true transpose_b=true",
     {2, 5, 6}},
    {"MatMulByAVector",
     "%w = Const value=random(3,-127,127) : i8[6]\n%z = Const value={7} : i32[]\n"
     "%k = Const value={0.5} : f32[]\n%y = MatMul(%x, %w, %z, %k)",
     {3, 5, 6}},
};

class SplitWeightZeroPoints : public ::testing::TestWithParam<Case> {};

TEST_P(SplitWeightZeroPoints, GivesTheSameNumbers) {
    const Case& c = GetParam();
    const std::string text = "model \"m\"\n%x = Parameter : u8" + to_string(c.src) + "\n" + c.body +
                             "\n%s = Const value={0.25} : f32[]\n%m = Multiply(%y, %s)\n" +
                             "%r = Result(%m)";
    const PassTest test = run_pass(split_weight_zero_points, text);
    const std::shared_ptr<Model> before = test.before;
    const std::shared_ptr<Model> after = test.after;
    ASSERT_NE(weight_zero_points(*before->find("y")), 0u);
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(weight_zero_points(*after->find("y")), 0u);
    EXPECT_EQ(after->find("m")->input_node(0)->type(), "Add");
    ASSERT_EQ(test.context.remarks().size(), 1u);
    EXPECT_EQ(test.context.remarks()[0].layer, "y");
    std::mt19937 random(5);
    const std::vector<Tensor> inputs = {random_tensor(ElementType::u8, c.src, random)};
    const auto want = run_on("REFERENCE", before, inputs);
    const auto got = run_on("REFERENCE", after, inputs);
    // The device takes the node whole where it has a kernel, and splits it itself elsewhere.
    const auto device = run_on("CPU", before, inputs);
    ASSERT_EQ(got.outputs[0].get_shape(), want.outputs[0].get_shape());
    for (std::size_t i = 0; i < want.outputs[0].get_size(); ++i) {
        const float expected = want.outputs[0].data<float>()[i];
        ASSERT_EQ(got.outputs[0].data<float>()[i], expected) << i;
        ASSERT_EQ(device.outputs[0].data<float>()[i], expected) << i;
    }
}

INSTANTIATE_TEST_SUITE_P(All,
                         SplitWeightZeroPoints,
                         ::testing::ValuesIn(kCases),
                         [](const auto& test) { return test.param.name; });

TEST(SplitWeightZeroPointsTest, LeavesWhatAKernelTakes) {
    PassOptions options;
    options.device.takes_weight_zero_points = [](const Node& node) {
        return node.is("Convolution");
    };
    const PassTest test = run_pass(
        split_weight_zero_points,
        "model \"m\"\n%x = Parameter : u8[1,3,5,6]\n" + kCases[0].body + "\n%r = Result(%y)",
        options);
    EXPECT_FALSE(test.changed);
    const std::shared_ptr<Model> model = test.after;
    EXPECT_EQ(weight_zero_points(*model->find("y")), 3u);
    EXPECT_EQ(model->find("r"), model->results().at(0));
    EXPECT_EQ(model->results().at(0)->input_node(0), model->find("y"));
}

// What is left to no kernel is an error of the compilation, which names the pass.
TEST(SplitWeightZeroPointsTest, DisabledItLeavesWhatNoKernelTakes) {
    const std::shared_ptr<Model> model = Model::from_text(
        "model \"m\"\n%x = Parameter : u8[1,4,5,6]\n" + kCases[3].body + "\n%r = Result(%y)");
    Core core;
    try {
        core.compile_model(model, "CPU", {{"FUSEQ_DISABLE", "split_weight_zero_points"}});
        FAIL() << "the device took zero points in groups";
    } catch (const Error& error) {
        EXPECT_EQ(error.info().layer, "y");
        EXPECT_THAT(error.info().rule,
                    ::testing::HasSubstr("split_weight_zero_points, which splits them off"));
    }
}

}  // namespace
}  // namespace fuseq::testing
