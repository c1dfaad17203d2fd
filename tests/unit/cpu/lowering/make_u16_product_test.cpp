// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Layers of activations of 16 bits on CPU against REFERENCE, with what stands around them.
#include "unit/cpu/lowering/u16_text.hpp"
#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

constexpr const char* kWindows = " strides=[1,1] pads_begin=[1,1] pads_end=[1,1] dilations=[1,1]\n";

// Nothing stands between two layers but integers of 16 bits.
TEST(MakeU16Product, StoresWhatTheNextLayerReads) {
    const DeviceRun run = check_on_devices(
        "model \"m\"\n%x = Parameter : f32[2,8,9,17]\n" + quantized("q", "x") +
            weights("w", "[24,8,3,3]") + "%c = Convolution(%q, %w)" + kWindows +
            "%b = Const value=random(4,-2,2) : f32[1,24,1,1]\n%cb = Add(%c, %b)\n%a = ReLU(%cb)\n" +
            quantized("p", "a") + weights("d", "[24,1,1,3,3]") + "%g = GroupConvolution(%p, %d)" +
            kWindows + quantized("o", "g") + weights("e", "[5,24,1,1]") +
            "%y = Convolution(%o, %e) strides=[1,1] pads_begin=[0,0] pads_end=[0,0] "
            "dilations=[1,1]\n%r = Result(%y)",
        1, 8 * kStep);
    for (const char* layer : {"c", "g", "y"}) {
        EXPECT_NE(run.step_of(layer).find("convolution fuseq:u16_"), std::string::npos)
            << run.step_of(layer);
    }
    EXPECT_EQ(run.step_of("p"), run.step_of("c"));
    EXPECT_EQ(run.step_of("o"), run.step_of("g"));
}

// A bound, then a range a channel of its own: some end below the bound. The last layer's floats are
// the result.
TEST(MakeU16Product, ScalesAfterABound) {
    std::string high;
    for (int c = 0; c < 24; ++c) {
        high +=
            (c == 0 ? "" : ",") + std::string(c % 2 == 0 ? "3.999938964843750" : "7.9998779296875");
    }
    const DeviceRun run = check_on_devices(
        "model \"m\"\n%x = Parameter : f32[1,8,9,17]\n" + quantized("q", "x") +
            weights("w", "[24,8,1,1]") +
            "%c = Convolution(%q, %w) strides=[1,1] pads_begin=[0,0] pads_end=[0,0] "
            "dilations=[1,1]\n%b = Const value=random(4,-2,2) : f32[1,24,1,1]\n%cb = Add(%c, %b)\n"
            "%a = Clamp(%cb) min=0 max=6\n%p_l = Const value={0} : f32[]\n%p_h = Const value={" +
            high +
            "} : f32[1,24,1,1]\n%p = FakeQuantize(%a, %p_l, %p_h, %p_l, %p_h) levels=65536\n" +
            weights("d", "[24,1,1,3,3]") + "%g = GroupConvolution(%p, %d)" + kWindows +
            "%e = Const value=random(5,-2,2) : f32[1,24,1,1]\n%y = Add(%g, %e)\n%r = Result(%y)",
        6, 8 * kStep);
    EXPECT_NE(run.step_of("c").find("convolution fuseq:u16_"), std::string::npos);
    EXPECT_EQ(run.step_of("p"), run.step_of("c"));
    EXPECT_NE(run.step_of("g").find("convolution fuseq:u16_"), std::string::npos);
    EXPECT_EQ(run.step_of("y"), run.step_of("g"));
}

// The first reads a tensor that is not the product's, the second is an activation without a form of
// its own, the third leaves the integers to a pooling and to a layer in float.
TEST(MakeU16Product, TakesWhatFollows) {
    const std::string begin = "model \"m\"\n%x = Parameter : f32[1,8,6,6]\n" + quantized("q", "x") +
                              weights("w", "[8,8,3,3]") + "%c = Convolution(%q, %w)" + kWindows;
    const std::string end = weights("v", "[4,8,1,1]") +
                            "%y = Convolution(%p, %v) strides=[1,1] pads_begin=[0,0] "
                            "pads_end=[0,0] dilations=[1,1]\n%r = Result(%y)";
    const auto check = [&](const std::string& middle, unsigned seed) {
        const DeviceRun run = check_on_devices(begin + middle + end, seed, 4 * kStep);
        EXPECT_NE(run.step_of("c").find("fuseq:u16_"), std::string::npos) << run.step_of("c");
        EXPECT_NE(run.step_of("y").find("fuseq:u16_"), std::string::npos) << run.step_of("y");
    };
    check("%s = Add(%c, %x)\n" + quantized("p", "s"), 2);
    check("%s = Elu(%c) alpha=0.5\n" + quantized("p", "s"), 3);
    check(quantized("n", "c") +
              "%p = MaxPool.1(%n) strides=[2,2] pads_begin=[0,0] pads_end=[0,0] kernel=[2,2]\n"
              "%t = Sigmoid(%n)\n%r2 = Result(%t)\n",
          4);
}

TEST(MakeU16Product, MatrixProducts) {
    for (const char* transposed : {"", " transpose_b=true"}) {
        const DeviceRun run =
            check_on_devices("model \"m\"\n%x = Parameter : f32[2,7,20]\n" + quantized("q", "x") +
                                 weights("w", *transposed == 0 ? "[20,33]" : "[33,20]") +
                                 "%y = MatMul(%q, %w)" + transposed + "\n%r = Result(%y)",
                             5, 2 * kStep);
        EXPECT_NE(run.step_of("y").find("matmul fuseq:u16_"), std::string::npos);
    }
}

}  // namespace
}  // namespace fuseq::test
