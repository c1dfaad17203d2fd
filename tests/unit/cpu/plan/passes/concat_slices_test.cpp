// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Concats that matrix products write into: the values are those of REFERENCE and of a plan that
// copies.
#include "cpu/plan/passes/concat_slices.hpp"

#include <gtest/gtest.h>

#include "cpu/kernels/gemm/gemm_vnni.hpp"
#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

// A convolution of `kernel` from %x, which stores bytes: tensor %q<number>.
std::string convolution(const std::string& number, const std::string& channels, bool wide) {
    const std::string kernel = wide ? "3,3" : "1,1";
    const std::string pads = wide ? "[1,1]" : "[0,0]";
    return "%w" + number + " = Const value=random(" + number + ",-90,90) : i8[" + channels + ",8," +
           kernel + "]\n%c" + number + " = Convolution(%x, %w" + number +
           ") strides=[1,1] dilations=[1,1] pads_begin=" + pads + " pads_end=" + pads + "\n%k" +
           number + " = Const value={0.00101377} : f32[]\n%m" + number + " = Multiply(%c" + number +
           ", %k" + number + ")\n%a" + number + " = ReLU(%m" + number + ")\n%q" + number +
           " = FakeQuantize(%a" + number + ", %l, %h, %l, %h) levels=256\n";
}

constexpr const char* kHead = R"(model "m"
%x = Parameter : u8[2,8,12,14]
%l = Const value={0} : f32[]
%h = Const value={31.875} : f32[]
)";

// A convolution that reads %j, of `channels`.
std::string reader(const std::string& channels) {
    return "%w = Const value=random(4,-90,90) : i8[5," + channels +
           ",1,1]\n%wf = Convert(%w) destination_type=f32\n%o = Const value={0.01} : f32[]\n"
           "%ws = Multiply(%wf, %o)\n%d = Convolution(%j, %ws) strides=[1,1] dilations=[1,1]\n"
           "%r = Result(%d)\n";
}

std::size_t concats(const DeviceRun& run) {
    std::size_t count = 0;
    for (const auto& step : run.report["steps"]) {
        count += step["kind"] == "concat" ? 1 : 0;
    }
    return count;
}

std::string run_with(const std::string& text, const AnyMap& properties) {
    std::mt19937 random(3);
    Core core;
    CompiledModel compiled = core.compile_model(Model::from_text(text), "CPU", properties);
    InferRequest request = compiled.create_infer_request();
    request.set_input_tensor(0, random_tensor(ElementType::u8, {2, 8, 12, 14}, random));
    request.infer();
    const Tensor result = request.get_output_tensor(0);
    return {static_cast<const char*>(result.data()), result.get_byte_size()};
}

// On both devices, and with the plan's other forms.
DeviceRun check(const std::string& text) {
    DeviceRun run = check_on_devices(text, 1, 1e-3);
    const std::string bytes = run_with(text, {});
    EXPECT_EQ(bytes, run_with(text, {{"FUSEQ_OWN_GEMM", "NO"}}));
    EXPECT_EQ(bytes, run_with(text, {{"FUSEQ_TILE_GROUPS", "NO"}}));
    EXPECT_EQ(bytes, run_with(text, {{property::kKeepIntermediates, true}}));
    for (const int threads : {1, 2, 3}) {
        EXPECT_EQ(bytes, run_with(text, {{"INFERENCE_NUM_THREADS", threads}})) << threads;
    }
    return run;
}

TEST(SlicesOfConcats, NothingIsLeftToCopy) {
    for (const bool wide : {false, true}) {
        const DeviceRun run = check(kHead + convolution("1", "40", wide) +
                                    convolution("2", "16", wide) + convolution("3", "72", true) +
                                    "%j = Concat(%q1, %q2, %q3) axis=1\n" + reader("128"));
        EXPECT_EQ(concats(run), 0u);
        EXPECT_NE(run.step_of("j").find("fuseq:gemm_"), std::string::npos) << run.step_of("j");
    }
}

TEST(SlicesOfConcats, WhatOthersMakeIsCopied) {
    const DeviceRun run =
        check(kHead + convolution("1", "40", true) +
              "%p = MaxPool.1(%q1) strides=[1,1] kernel=[3,3] pads_begin=[1,1] "
              "pads_end=[1,1]\n" +
              convolution("2", "16", true) + "%j = Concat(%p, %q2) axis=1\n" + reader("56"));
    EXPECT_EQ(concats(run), 1u);
    EXPECT_NE(run.post_ops_of("q2").find("concat"), std::string::npos);
    EXPECT_EQ(run.post_ops_of("q1").find("concat"), std::string::npos);
}

// Who else reads a tensor would miss it.
TEST(SlicesOfConcats, TensorsOfSeveralReadersStay) {
    const DeviceRun run =
        check(kHead + convolution("1", "40", true) + convolution("2", "40", true) +
              "%j = Concat(%q1, %q2, %q1) axis=1\n" + reader("120") +
              "%e = MaxPool.1(%q2) strides=[2,2] kernel=[2,2]\n"
              "%r2 = Result(%e)\n");
    EXPECT_EQ(concats(run), 1u);
    EXPECT_EQ(run.post_ops_of("q1").find("concat"), std::string::npos);
    EXPECT_EQ(run.post_ops_of("q2").find("concat"), std::string::npos);
}

// Rows of an image are not side by side in a pixel.
TEST(SlicesOfConcats, OtherAxesAreCopied) {
    const DeviceRun run =
        check(kHead + convolution("1", "40", true) + convolution("2", "40", true) +
              "%j = Concat(%q1, %q2) axis=2\n" + reader("40"));
    EXPECT_EQ(concats(run), 1u);
    EXPECT_EQ(run.post_ops_of("q1").find("concat"), std::string::npos);
}

}  // namespace
}  // namespace fuseq::test
