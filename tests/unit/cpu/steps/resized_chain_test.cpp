// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/resized_chain.hpp"

#include <gmock/gmock.h>

#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

constexpr double kTolerance = 1e-5;

// Integers `i` as floats, resized to 9 x 40 as layer u, and what stands in `rest`.
std::string text_of(const std::string& shape,
                    const std::string& rest,
                    const std::string& mode = "linear_onnx") {
    return "model \"m\"\n%i = Parameter : " + shape +
           "\n%x = Convert(%i) destination_type=f32\n%s = Const value={9,40} : i64[2]\n"
           "%f = Const value={1,1} : f32[2]\n%a = Const value={-2,-1} : i64[2]\n"
           "%u = Interpolate.4(%x, %s, %f, %a) shape_calculation_mode=sizes mode=" +
           mode + "\n" + rest + "\n%r = Result(%y)\n";
}

void expect_one_step(const DeviceRun& run, const std::string& last) {
    for (const std::string layer : {"x", "u", last.c_str()}) {
        EXPECT_EQ(run.step_of(layer), "interpolate fuseq:resize_linear") << layer;
    }
    EXPECT_NE(run.post_ops_of("u"), "");
    EXPECT_EQ(run.post_ops_of("u"), run.post_ops_of(last));
}

// Channels below, at and above those of a vector; rows of one and of many parts; pixels larger than
// a part; several images.
TEST(ResizedChain, ValuesPerChannelOfIntegers) {
    const unsigned seed = std::random_device()();
    for (const std::string channels : {"1", "3", "17", "64", "300", "4500"}) {
        for (const std::string type : {"u8", "i8"}) {
            const std::string per_channel = "f32[1," + channels + ",1,1]";
            const DeviceRun run = check_on_devices(
                text_of(type + "[2," + channels + ",5,7]",
                        "%z = Const value=random(3,100,130) : " + per_channel +
                            "\n%d = Subtract(%u, %z)\n%k = Const value=random(5,0.01,0.1) : " +
                            per_channel + "\n%m = Multiply(%d, %k)\n%w = Const value={0.1} : " +
                            "f32[1]\n%y = PReLU(%m, %w)"),
                seed, kTolerance);
            expect_one_step(run, "y");
        }
    }
}

TEST(ResizedChain, AddsOtherTensors) {
    const std::string rest =
        "%o = Parameter : u8[2,5,9,40]\n%c = Convert(%o) destination_type=f32\n"
        "%k = Const value={0.25} : f32[]\n%t = Multiply(%c, %k)\n%sum = Add(%t, %u)\n"
        "%b = Parameter : f32[2,5,9,40]\n%more = Add(%sum, %b)\n%y = ReLU(%more)";
    for (const std::string mode : {"linear", "linear_onnx"}) {
        const DeviceRun run = check_on_devices(text_of("i8[2,5,5,7]", rest, mode), 7, kTolerance);
        expect_one_step(run, "y");
        EXPECT_THAT(run.post_ops_of("u"), testing::HasSubstr("add(#0 u8 *0.25) add(#1 f32"));
    }
}

// One value a pixel or a channel of an image, two readers, a sum of a tensor with itself: the resize
// stands alone.
TEST(ResizedChain, IsNotForOtherReaders) {
    for (const std::string rest :
         {"%o = Parameter : f32[2,5,1,1]\n%y = Multiply(%u, %o)", "%y = Add(%u, %u)",
          "%e = Elu(%u) alpha=1\n%b = Abs(%u)\n%y = Concat(%e, %b) axis=1"}) {
        const DeviceRun run = check_on_devices(text_of("u8[2,5,5,7]", rest), 11, kTolerance);
        EXPECT_EQ(run.step_of("u"), "interpolate fuseq:resize_linear");
        EXPECT_EQ(run.post_ops_of("u"), "") << rest;
    }
}

TEST(ResizedChain, IsNotForPixelsLargerThanItsMemory) {
    const std::string channels = std::to_string(cpu::ResizedChainStep::kMaxChannels + 1);
    const std::string rest =
        "%z = Const value=random(3,100,130) : f32[1," + channels + ",1,1]\n%y = Subtract(%u, %z)";
    std::string text = text_of("u8[1," + channels + ",2,2]", rest);
    text.replace(text.find("{9,40}"), 6, "{3,1}");
    const DeviceRun run = check_on_devices(text, 13, kTolerance);
    EXPECT_EQ(run.post_ops_of("u"), "");
}

// Three and five dimensions: the one, or the last two of the three, that are resized.
TEST(ResizedChain, OfOtherRanks) {
    for (const std::string shape : {"u8[2,6,7]", "i8[2,6,3,5,7]"}) {
        std::string text = text_of(shape,
                                   "%w = Const value=random(3,-1,1) : f32[6]\n"
                                   "%y = PReLU(%u, %w)");
        if (shape == "u8[2,6,7]") {
            text.replace(text.find("{9,40} : i64[2]"), 15, "{40} : i64[1]");
            text.replace(text.find("{1,1} : f32[2]"), 14, "{1} : f32[1]");
            text.replace(text.find("{-2,-1} : i64[2]"), 16, "{-1} : i64[1]");
        }
        expect_one_step(check_on_devices(text, 17, kTolerance), "y");
    }
}

}  // namespace
}  // namespace fuseq::test
