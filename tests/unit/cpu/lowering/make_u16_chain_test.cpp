// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs of element-wise nodes that end in integers of 16 bits, on CPU against REFERENCE.
#include <algorithm>

#include "unit/cpu/lowering/u16_text.hpp"
#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

constexpr const char* kOne = " strides=[1,1] pads_begin=[0,0] pads_end=[0,0] dilations=[1,1]\n";
constexpr const char* kThree = " strides=[1,1] pads_begin=[1,1] pads_end=[1,1] dilations=[1,1]\n";
constexpr const char* kChain = "eltwise fuseq:u16_eltwise";

std::string convolution(const std::string& shape, const std::string& channels) {
    return "model \"m\"\n%x = Parameter : f32" + shape + "\n" + quantized("q", "x") +
           weights("w", "[24," + channels + ",1,1]") + "%y = Convolution(%q, %w)" + kOne +
           "%r = Result(%y)";
}

// Of three channels, of others, of too many for tiles, and of planes of one element, where both
// layouts are one.
TEST(MakeU16Chain, PlanesBecomePixels) {
    for (const auto& [shape, channels] : {std::pair{"[2,3,41,37]", "3"},
                                          {"[2,5,41,37]", "5"},
                                          {"[1,64,9,5]", "64"},
                                          {"[2,20,1,1]", "20"}}) {
        const DeviceRun run = check_on_devices(convolution(shape, channels), 1, 2 * kStep);
        EXPECT_EQ(run.step_of("q"), kChain) << shape;
        EXPECT_NE(run.step_of("y").find("fuseq:u16_"), std::string::npos) << shape;
    }
    const DeviceRun run = check_on_devices(convolution("[1,70,9,5]", "70"), 2, 2 * kStep);
    EXPECT_NE(run.step_of("q"), kChain);
}

TEST(MakeU16Chain, RangesOfAChannel) {
    const DeviceRun run = check_on_devices(
        "model \"m\"\n%x = Parameter : f32[2,6,9,17]\n%l = Const value={0} : f32[]\n"
        "%h = Const value={255.99609375,127.998046875,63.9990234375,255.99609375,127.998046875,"
        "63.9990234375} : f32[1,6,1,1]\n%q = FakeQuantize(%x, %l, %h, %l, %h) levels=65536\n" +
            weights("d", "[6,1,1,3,3]") + "%y = GroupConvolution(%q, %d)" + kThree +
            "%r = Result(%y)",
        3, 2 * kStep);
    EXPECT_EQ(run.step_of("q"), kChain);
}

// A layer reads the integers, a sum the numbers: the integers come out of a step of their own, in
// the order of pixels that the layer before has made.
TEST(MakeU16Chain, PixelsStayPixels) {
    const DeviceRun run = check_on_devices(
        "model \"m\"\n%x = Parameter : f32[1,8,9,17]\n" + quantized("q", "x") +
            weights("w", "[8,8,1,1]") + "%c = Convolution(%q, %w)" + kOne + quantized("n", "c") +
            weights("v", "[8,8,1,1]") + "%d = Convolution(%n, %v)" + kOne +
            "%s = Add(%d, %n)\n%y = Sigmoid(%s)\n%r = Result(%y)",
        4, 4 * kStep);
    const auto& steps = run.report["steps"];
    EXPECT_TRUE(std::any_of(steps.begin(), steps.end(), [](const auto& step) {
        return step["implementation"] == "fuseq:u16_eltwise" && step["layout"] == "channels_last";
    })) << steps;
}

// Without rows there are no tiles.
TEST(MakeU16Chain, EmptyTensorsAreRefused) {
    const std::string product = "model \"m\"\n%x = Parameter : f32[0,50,40]\n" +
                                quantized("q", "x") + weights("w", "[40,33]") +
                                "%y = MatMul(%q, %w)\n%r = Result(%y)";
    for (const auto& [text, shape] :
         {std::pair{convolution("[0,5,41,37]", "5"), Shape{0, 5, 41, 37}},
          {product, Shape{0, 50, 40}}}) {
        const std::shared_ptr<const Model> model(Model::from_text(text));
        const DeviceRun run = run_on("CPU", model, {Tensor(ElementType::f32, shape)});
        EXPECT_NE(run.step_of("q"), kChain);
        EXPECT_EQ(run.outputs[0].get_shape()[0], 0u);
    }
}

TEST(MakeU16Chain, MatrixProducts) {
    const DeviceRun run =
        check_on_devices("model \"m\"\n%x = Parameter : f32[3,50,40]\n" + quantized("q", "x") +
                             weights("w", "[40,33]") + "%y = MatMul(%q, %w)\n%r = Result(%y)",
                         5, 2 * kStep);
    EXPECT_EQ(run.step_of("q"), kChain);
}

}  // namespace
}  // namespace fuseq::test
