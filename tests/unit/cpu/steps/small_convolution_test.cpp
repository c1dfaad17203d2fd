// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/small_convolution.hpp"

#include <gmock/gmock.h>

#include "cpu/machine/instructions.hpp"
#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

bool has_kernel() {
    kernels::SmallConvShape shape;
    shape.src_channels = shape.dst_channels = 1;
    shape.src_height = shape.src_width = shape.dst_height = shape.dst_width = 8;
    return kernels::SmallConv::takes(shape);
}

std::string text_of(const std::string& tail) {
    return R"(model "m"
        %x = Parameter : u8[2,4,19,300]
        %w = Const value=random(3,-90,90) : i8[3,4,3,3]
        %c = Convolution(%x, %w) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
        %k = Const value={0.001,0.002,0.003} : f32[1,3,1,1]
        %m = Multiply(%c, %k)
        %b = Const value={0.5,-1,0.25} : f32[1,3,1,1]
        %a = Add(%m, %b)
        )" +
           tail;
}

void expect_step(const DeviceRun& run, const std::string& layer) {
    if (has_kernel()) {
        EXPECT_EQ(run.step_of(layer), "convolution fuseq:small_conv");
    }
}

TEST(SmallConvolutionStep, WritesResultsPlain) {
    const DeviceRun run = check_on_devices(text_of("%r = Result(%a)"), 1, 1e-5);
    expect_step(run, "c");
    if (has_kernel()) {
        EXPECT_EQ(run.report["steps"].back()["layout"], "plain");
    }
}

// The head of a segmentation network: more than 16 channels, 1x1; and others, which stay where they
// were.
TEST(SmallConvolutionStep, WritesHeadsOfMoreChannelsPlain) {
    const auto head = [](const std::string& source, const std::string& kernel,
                         const std::string& tail) {
        return "model \"m\"\n%x = Parameter : " + source +
               "[2,32,19,70]\n%w = Const value=random(3,-90,90) : i8[4,32," + kernel +
               "]\n%c = Convolution(%x, %w) strides=[1,1] dilations=[1,1]\n"
               "%k = Const value={0.001,0.002,0.003,0.004} : f32[1,4,1,1]\n"
               "%m = Multiply(%c, %k)\n"
               "%b = Const value={0.5,-1,0.25,2} : f32[1,4,1,1]\n"
               "%a = Add(%m, %b)\n" +
               tail;
    };
    const char* const result = "%r = Result(%a)";
    // Without VNNI the integers are added up in f32, beginning at the bias: fractions of 1/64 are
    // lost at sums of 2^18.
    const double tolerance = has_kernel() ? 1e-5 : 1e-4;
    for (const char* source : {"u8", "i8"}) {
        const DeviceRun run = check_on_devices(head(source, "1,1", result), 1, 1e-5);
        expect_step(run, "c");
        if (has_kernel()) {
            EXPECT_EQ(run.report["steps"].back()["layout"], "plain");
        }
    }
    expect_step(check_on_devices(head("u8", "1,1", "%s = Sigmoid(%a)\n%r = Result(%s)"), 2, 1e-5),
                "s");
    EXPECT_NE(check_on_devices(head("u8", "3,3", result), 3, tolerance).step_of("c"),
              "convolution fuseq:small_conv");
    EXPECT_NE(check_on_devices(head("u8", "1,1",
                                    "%s = MaxPool.1(%a) strides=[1,1] kernel=[2,2]\n"
                                    "%r = Result(%s)"),
                               4, 1e-5)
                  .step_of("c"),
              "convolution fuseq:small_conv");
}

TEST(SmallConvolutionStep, TakesActivationsAlong) {
    expect_step(check_on_devices(text_of("%s = Sigmoid(%a)\n%r = Result(%s)"), 2, 1e-5), "s");
}

TEST(SmallConvolutionStep, FeedsTheNextConvolution) {
    const DeviceRun run = check_on_devices(text_of(R"(%s = ReLU(%a)
        %v = Const value=random(4,-1,1) : f32[5,3,1,1]
        %d = Convolution(%s, %v) strides=[1,1] dilations=[1,1]
        %r = Result(%d))"),
                                           3, 1e-4);
    expect_step(run, "s");
}

TEST(SmallConvolutionStep, LeavesASecondTensorToAChain) {
    const DeviceRun run = check_on_devices(text_of(R"(%y = Parameter : f32[2,3,19,300]
        %s = Add(%a, %y)
        %t = Tanh(%s)
        %r = Result(%t))"),
                                           4, 1e-5);
    expect_step(run, "c");
    if (has_kernel()) {  // oneDNN takes it along elsewhere
        EXPECT_EQ(run.step_of("t"), "eltwise fuseq:eltwise");
    }
}

// Sixteen channels: tiles are channels-last, and other tensors are read in the step.
TEST(SmallConvolutionStep, AddsATensorOfItsSize) {
    for (const char* channels : {"4", "8", "5"}) {
        const std::string c = channels;
        const std::string text = R"(model "m"
            %x = Parameter : u8[2,16,19,150]
            %y = Parameter : f32[2,)" +
                                 c + R"(,19,150]
            %w = Const value=random(3,-90,90) : i8[)" +
                                 c + R"(,16,3,3]
            %c = Convolution(%x, %w) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
            %k = Const value={0.001} : f32[]
            %m = Multiply(%c, %k)
            %s = Add(%m, %y)
            %v = Const value=random(4,-1,1) : f32[5,)" +
                                 c + R"(,1,1]
            %d = Convolution(%s, %v) strides=[1,1] dilations=[1,1]
            %r = Result(%d))";
        expect_step(check_on_devices(text, 6, 1e-4), "s");
    }
}

TEST(SmallConvolutionStep, StoresBytes) {
    const std::string tail = R"(%o = Const value={1} : f32[]
        %l = Const value={-9.5} : f32[]
        %h = Const value={6.4375} : f32[]
        %q = FakeQuantize(%a, %l, %h, %l, %h) levels=256
        %v = Const value=random(4,-90,90) : i8[5,3,1,1]
        %vf = Convert(%v) destination_type=f32
        %vs = Multiply(%vf, %o)
        %d = Convolution(%q, %vs) strides=[1,1] dilations=[1,1]
        %r = Result(%d))";
    const DeviceRun run = check_on_devices(text_of(tail), 7, 1e-4);
    if (has_kernel()) {
        EXPECT_THAT(run.post_ops_of("q"), ::testing::HasSubstr("-> u8"));
    }
}

// The zero point of the source is between two integers: what padding lacks is a tensor that differs
// at the edges only, and a product with the sum of each window.
TEST(SmallConvolutionStep, CorrectsFractionalZeroPoints) {
    for (const char* channels : {"8", "16", "24", "32"}) {
        const std::string c = channels;
        const std::string text = R"(model "m"
            %x = Parameter : f32[2,16,19,150]
            %l = Const value={-1.31} : f32[]
            %h = Const value={2.7} : f32[]
            %q = FakeQuantize(%x, %l, %h, %l, %h) levels=256
            %w = Const value=random(3,-90,90) : i8[)" +
                                 c + R"(,16,3,3]
            %f = Convert(%w) destination_type=f32
            %k = Const value={0.00101377} : f32[]
            %m = Multiply(%f, %k)
            %c = Convolution(%q, %m) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
            %s = ReLU(%c)
            %v = Const value=random(4,-1,1) : f32[5,)" +
                                 c + R"(,1,1]
            %d = Convolution(%s, %v) strides=[1,1] dilations=[1,1]
            %r = Result(%d))";
        const DeviceRun run = check_on_devices(text, 8, 1e-3);
        if (c != "24" || !kernels::loads_one_wide_vector_a_cycle()) {
            expect_step(run, "c");
        }
    }
}

// Maxima of four pixels, and the same where somebody else reads the pixels too.
TEST(SmallConvolutionStep, TakesAMaxPoolAlong) {
    for (const std::string channels : {"16", "24", "32", "64"}) {
        const std::string text = R"(model "m"
            %x = Parameter : i8[2,3,19,131]
            %w = Const value=random(3,-90,90) : i8[)" +
                                 channels + R"(,3,3,3]
            %c = Convolution(%x, %w) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
            %k = Const value={0.00201377} : f32[]
            %m = Multiply(%c, %k)
            %s = Const value={0.125} : f32[1]
            %p = PReLU(%m, %s)
            %l = Const value={-9.5} : f32[]
            %h = Const value={22.375} : f32[]
            %q = FakeQuantize(%p, %l, %h, %l, %h) levels=256
            %y = MaxPool.1(%q) strides=[2,2] kernel=[2,2]
            %r = Result(%y)
            )";
        const DeviceRun run = check_on_devices(text, 9, 1e-4);
        const bool pools = channels != "64" && !kernels::loads_one_wide_vector_a_cycle();
        if (has_kernel() && pools) {
            EXPECT_EQ(run.step_of("y"), "convolution fuseq:small_conv:pool") << channels;
        }
        const DeviceRun both = check_on_devices(text + "%t = Result(%q)", 9, 1e-4);
        if (has_kernel() && pools) {
            EXPECT_EQ(both.step_of("y"), "max_pool fuseq:max_pool") << channels;
        }
    }
}

}  // namespace
}  // namespace fuseq::test
