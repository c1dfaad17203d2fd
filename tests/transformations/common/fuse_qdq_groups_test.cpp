// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/common/fuse_qdq_groups.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/interpreter.hpp"
#include "support/pass_testing.hpp"
#include "transformations/qdq/qdq_value.hpp"

namespace fuseq::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Sources x and y of scale 1, an operation, a quantizer of scale `step` and zero point 101. All
// grids are u8 with odd zero points: where a FakeQuantize rounds ties differs from where ONNX
// Runtime does.
std::string group(const std::string& operation, const std::string& step = "2") {
    const auto limits = [](const std::string& name, float low, float high) {
        return "%" + name + "l = Const value={" + std::to_string(low) + "} : f32[]\n%" + name +
               "h = Const value={" + std::to_string(high) + "} : f32[]\n";
    };
    const float scale = std::stof(step);
    return "model \"m\"\n%x = Parameter : f32[1,1,1,4]\n%y = Parameter : f32[1,1,1,4]\n" +
           limits("s", -127, 128) + limits("d", -101 * scale, 154 * scale) +
           "%xq = FakeQuantize(%x, %sl, %sh, %sl, %sh) levels=256\n"
           "%yq = FakeQuantize(%y, %sl, %sh, %sl, %sh) levels=256\n" +
           operation +
           "\n%q = FakeQuantize(%o, %dl, %dh, %dl, %dh) levels=256\n%r = Result(%q)\n"
           "%k = Result(%y)\n";
}

std::vector<float> run(const PassTest& test,
                       const std::vector<float>& x,
                       const std::vector<float>& y) {
    const std::vector<Tensor> inputs{Tensor::of<float>({1, 1, 1, 4}, x),
                                     Tensor::of<float>({1, 1, 1, 4}, y)};
    const Tensor result = Interpreter(*test.after).run(inputs)[0];
    const auto values = result.values<float>();
    return {values.begin(), values.end()};
}

std::size_t count(const PassTest& test, const std::string& type) {
    return test.after->find_all(type).size();
}

const std::vector<float> kOdd{1, 3, -1, -3};
const std::vector<float> kZero{0, 0, 0, 0};

const std::string kConvolution =
    "%w = Const value={1} : i8[1,1,1,1]\n%wf = Convert(%w) destination_type=f32\n"
    "%ws = Const value={1} : f32[]\n%wd = Multiply(%wf, %ws)\n"
    "%c = Convolution(%xq, %wd) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]\n";

// rint(x / 2) + 101: 0.5 goes to 0, 1.5 to 2. FakeQuantize gives 2, 2, 0, -4.
TEST(FuseQdqGroups, ConvolutionsRoundBeforeTheZeroPoint) {
    const PassTest test =
        run_pass(fuse_qdq_groups, group(kConvolution + "%b = Const value={0} : f32[1,1,1,1]\n"
                                                       "%o = Add(%c, %b)"));
    EXPECT_EQ(count(test, "QuantizedConvolution"), 1);
    EXPECT_EQ(count(test, "FakeQuantize"), 0);
    EXPECT_THAT(run(test, kOdd, kZero), ElementsAre(0, 4, 0, -4));
    EXPECT_NE(test.after->find("q"), nullptr) << "the names of outputs stay";
}

// A bias of real numbers becomes integers in the scale of the product: rint(2.6) = 3.
TEST(FuseQdqGroups, RealBiasesAreRounded) {
    const PassTest test =
        run_pass(fuse_qdq_groups, group(kConvolution + "%b = Const value={2.6} : f32[1,1,1,1]\n"
                                                       "%o = Add(%c, %b)"));
    EXPECT_THAT(run(test, kOdd, kZero), ElementsAre(4, 6, 2, 0));
}

TEST(FuseQdqGroups, MatrixProductsThroughAReshape) {
    const PassTest test = run_pass(
        fuse_qdq_groups,
        group("%s = Const value={4,1} : i64[2]\n%xr = Reshape(%xq, %s) special_zero=false\n"
              "%w = Const value={1} : i8[1,1]\n%wf = Convert(%w) destination_type=f32\n"
              "%ws = Const value={1} : f32[]\n%wd = Multiply(%wf, %ws)\n%p = MatMul(%xr, %wd)\n"
              "%t = Const value={1,1,1,4} : i64[4]\n%o = Reshape(%p, %t) special_zero=false"));
    EXPECT_EQ(count(test, "QuantizedMatMul"), 1);
    EXPECT_EQ(count(test, "MatMul"), 0);
    EXPECT_THAT(run(test, kOdd, kZero), ElementsAre(0, 4, 0, -4));
}

// rint(0.5 + 101) = 102: sums and products add the zero point first.
TEST(FuseQdqGroups, SumsAndProductsRoundAfterTheZeroPoint) {
    const PassTest sum = run_pass(fuse_qdq_groups, group("%o = Add(%xq, %yq)"));
    EXPECT_EQ(count(sum, "QuantizedAdd"), 1);
    EXPECT_THAT(run(sum, kOdd, kZero), ElementsAre(2, 2, -2, -2));
    const PassTest product = run_pass(fuse_qdq_groups, group("%o = Multiply(%xq, %yq)"));
    EXPECT_EQ(count(product, "QuantizedMultiply"), 1);
    EXPECT_THAT(run(product, kOdd, {1, 1, 1, 1}), ElementsAre(2, 2, -2, -2));
}

TEST(FuseQdqGroups, OperationsOfOneSource) {
    const auto fused = [](const std::string& operation, const std::string& type) {
        const PassTest test = run_pass(fuse_qdq_groups, group(operation));
        return count(test, type) == 1 && count(test, "FakeQuantize") == 0;
    };
    EXPECT_TRUE(fused("%o = Concat(%xq, %yq) axis=3", "QuantizedConcat"));
    EXPECT_TRUE(
        fused("%o = AvgPool(%xq) kernel=[1,2] strides=[1,1] pads_begin=[0,0] "
              "pads_end=[0,0] exclude-pad=true",
              "QuantizedAveragePool"));
    EXPECT_TRUE(fused("%a = Const value={2,3} : i64[2]\n%o = ReduceMean(%xq, %a) keep_dims=true",
                      "QuantizedMean"));
    EXPECT_TRUE(
        fused("%a = Const value={0.25} : f32[1]\n%o = PReLU(%xq, %a)", "QuantizedLeakyRelu"));
    EXPECT_TRUE(fused("%o = Sigmoid(%xq)", "QuantizedTable"));
    EXPECT_TRUE(fused("%o = SoftMax(%xq) axis=3", "QuantizedSoftmax"));
}

// 0.5 goes to 0 here too: x / 2 is rounded, then 101 is added.
TEST(FuseQdqGroups, WhatIsNotFusedIsQuantizedAsOnnxDoes) {
    const PassTest test = run_pass(fuse_qdq_groups, group("%o = Abs(%xq)"));
    EXPECT_EQ(count(test, "FakeQuantize"), 0);
    EXPECT_EQ(count(test, "Quantize"), 2);
    EXPECT_THAT(run(test, kOdd, kZero), ElementsAre(0, 4, 0, 4));
    EXPECT_EQ(refusal_at(test.context, "o"),
              "not_fused: Abs 'o': ONNX Runtime has no fused kernel of Abs");
}

TEST(FuseQdqGroups, SaysWhyAGroupIsNone) {
    const auto reason = [](const std::string& operation) {
        return refusal_at(run_pass(fuse_qdq_groups, group(operation)).context, "o");
    };
    EXPECT_THAT(reason("%o = Add(%xq, %y)"), HasSubstr("a source is not quantized"));
    EXPECT_THAT(reason("%o = Add(%xq, %yq)\n%more = Result(%o)"),
                HasSubstr("something else reads its result"));
    EXPECT_THAT(reason("%a = Const value={3} : i64[1]\n%o = ReduceMean(%xq, %a) keep_dims=true"),
                HasSubstr("no fused kernel of ReduceMean"));
    EXPECT_THAT(reason(kConvolution + "%o = Add(%c, %y)"), HasSubstr("its bias is no constant"));
    const std::string wide =
        "%wl = Const value={-32768} : f32[]\n%wh = Const value={32767} : f32[]\n"
        "%yw = FakeQuantize(%y, %wl, %wh, %wl, %wh) levels=65536\n%o = Sigmoid(%yw)";
    EXPECT_THAT(reason(wide), HasSubstr("integers of 16 bits"));
}

// ONNX Runtime makes u8 of i8 that has one reader, and fuses nothing where types then differ.
TEST(FuseQdqGroups, SignedIntegersOfOneReaderHaveNoSign) {
    const auto reason = [](const std::string& text) {
        const auto model = Model::from_text(text);
        for (const char* name : {"xq", "yq", "q"}) {
            model->find(name)->rt_info[kQdqType] = "i8";
        }
        PassContext context;
        fuse_qdq_groups(*model, context);
        return refusal_at(context, "o");
    };
    EXPECT_EQ(reason(group("%o = Add(%xq, %yq)")), "");
    EXPECT_THAT(reason(group("%o = Add(%xq, %yq)\n%more = Result(%yq)")),
                HasSubstr("its source is i8, its result u8"));
}

// -1.3 is no whole number of steps of 3.3 / 255.
TEST(FuseQdqGroups, LeavesLimitsThatAreNoGrid) {
    const PassTest test = run_pass(fuse_qdq_groups, R"(model "m"
        %x = Parameter : f32[2,3]
        %l = Const value={-1.3} : f32[]
        %h = Const value={2} : f32[]
        %q = FakeQuantize(%x, %l, %h, %l, %h) levels=256
        %r = Result(%q))");
    EXPECT_FALSE(test.changed);
    EXPECT_EQ(count(test, "FakeQuantize"), 1);
}

TEST(FuseQdqGroups, TakesLimitsOfChannels) {
    const PassTest test = run_pass(fuse_qdq_groups, R"(model "m"
        %x = Parameter : f32[2,3]
        %l = Const value={-127,0,-12.8} : f32[1,3]
        %h = Const value={128,255,12.7} : f32[1,3]
        %q = FakeQuantize(%x, %l, %h, %l, %h) levels=256
        %r = Result(%q))");
    ASSERT_EQ(count(test, "Quantize"), 1);
    const auto grid = quantizer_grid(*test.after->find_all("Quantize")[0]);
    ASSERT_TRUE(grid);
    EXPECT_EQ(grid->axis, 1);
    EXPECT_THAT(grid->scales, ElementsAre(1, 1, 0.1F));
    EXPECT_THAT(grid->zero_points, ElementsAre(127, 0, 128));
}

}  // namespace
}  // namespace fuseq::testing
