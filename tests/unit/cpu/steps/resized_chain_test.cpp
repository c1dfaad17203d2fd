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

// One value a channel of an image, or of all images, and one value a pixel; rows of one and of many
// parts.
TEST(ResizedChain, MultipliesByGates) {
    for (const std::string channels : {"1", "5", "64", "300"}) {
        for (const std::string& gate :
             {"2," + channels + ",1,1", "1," + channels + ",1,1", std::string("2,1,9,40")}) {
            const std::string rest = "%o = Parameter : f32[" + gate +
                                     "]\n%g = Multiply(%u, %o)\n"
                                     "%k = Const value=random(5,0.5,1.5) : f32[1," +
                                     channels + ",1,1]\n%y = Multiply(%g, %k)";
            const DeviceRun run =
                check_on_devices(text_of("u8[2," + channels + ",5,7]", rest), 11, kTolerance);
            expect_one_step(run, "y");
        }
    }
}

// Each reader computes the resize for itself.
TEST(ResizedChain, HasSeveralReaders) {
    const std::string rest =
        "%z = Const value={3} : f32[]\n%d = Subtract(%u, %z)\n%k = Const value={0.5} : f32[]\n"
        "%m = Multiply(%d, %k)\n%e = Elu(%m) alpha=1\n%b = Parameter : f32[2,5,9,40]\n"
        "%a2 = Add(%b, %m)\n%y = Concat(%e, %a2) axis=1";
    check_on_devices(text_of("u8[2,5,5,7]", rest), 11, kTolerance);
}

// Interpolates of different sources, one of floats, of different sizes, with zero points and scales.
// One reader quantizes, past the dequantization; the other multiplies what comes of the first one.
TEST(ResizedChain, MultipliesWhatAnotherReaderComputes) {
    const DeviceRun run = check_on_devices(R"(model "m"
        %x = Parameter : f32[1,3,12,12]
        %xl = Const value={-3.4304} : f32[]
        %xh = Const value={3.4036} : f32[]
        %q = FakeQuantize(%x, %xl, %xh, %xl, %xh) levels=256
        %s = Const value={24,24} : i64[2]
        %f = Const value={2,2} : f32[2]
        %a = Const value={2,3} : i64[2]
        %u = Interpolate.4(%q, %s, %f, %a) shape_calculation_mode=sizes mode=linear
        %l = Const value={-3.0336,-3.0848,-2.9312} : f32[1,3,1,1]
        %h = Const value={3.0099,3.0607,2.9083} : f32[1,3,1,1]
        %uq = FakeQuantize(%u, %l, %h, %l, %h) levels=256
        %w = Const value=random(3,-127,127) : i8[3,1,1,3,3]
        %wf = Convert(%w) destination_type=f32
        %ws = Const value={0.003} : f32[]
        %wm = Multiply(%wf, %ws)
        %g = GroupConvolution(%uq, %wm) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
        %other = Result(%g)
        %y = Multiply(%g, %u)
        %r = Result(%y))",
                                           13, kTolerance);
    EXPECT_EQ(run.report["totals"]["anchors_int8"], 1);
}

TEST(ResizedChain, AddsOtherResizedTensors) {
    const std::string rest =
        "%z = Const value={7} : f32[]\n%d = Subtract(%u, %z)\n%k = Const value={0.5} : f32[]\n"
        "%m = Multiply(%d, %k)\n%o = Parameter : i8[2,5,3,20]\n"
        "%oc = Convert(%o) destination_type=f32\n%v = Interpolate.4(%oc, %s, %f, %a) "
        "shape_calculation_mode=sizes mode=linear\n%kv = Const value={0.25} : f32[]\n"
        "%n = Multiply(%v, %kv)\n%sum = Add(%n, %m)\n%p = Parameter : f32[2,5,4,8]\n"
        "%w = Interpolate.4(%p, %s, %f, %a) shape_calculation_mode=sizes mode=linear_onnx\n"
        "%more = Subtract(%w, %sum)\n%same = Parameter : u8[2,5,9,40]\n"
        "%c = Convert(%same) destination_type=f32\n%all = Add(%c, %more)\n%y = ReLU(%all)";
    check_on_devices(text_of("u8[2,5,5,7]", rest), 13, kTolerance);
}

TEST(ResizedChain, IsNotForPixelsLargerThanItsMemory) {
    const std::string channels = std::to_string(cpu::ResizedChainStep::kMaxFloats + 1);
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
