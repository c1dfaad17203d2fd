// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The reason that the report gives for a FakeQuantize that is a pass of its own.
#include "cpu/plan/why_standalone.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fuseq/fuseq.hpp"
#include "support/quantized_convolution_text.hpp"

namespace fuseq::cpu {
namespace {

using ::testing::HasSubstr;

// Input, quantized; convolution "c"; what the test puts between it and the FakeQuantize "q2"; a
// convolution reads q2, so that its integers exist.
std::string model_with(const std::string& middle, const std::string& end = "") {
    return R"(model "m"
    %x = Parameter : f32[1,16,8,8]
    %z = Const value={0} : f32[]
    %h = Const value={15.9375} : f32[]
    %h2 = Const value={63.75} : f32[]
    %q = FakeQuantize(%x, %z, %h, %z, %h) levels=256
)" + testing::quantized_convolution("q", "16,16,3,3", "1") +
           middle +
           R"(
    %q2 = FakeQuantize(%r, %z, %h2, %z, %h2) levels=256
    %c2 = Convolution(%q2, %wd) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
    %out = Result(%c2)
)" + end;
}

struct Row {
    std::string verdict, code, reason;
};

Row row_of(const std::string& layer, const std::string& text, const AnyMap& properties = {}) {
    Core core;
    const auto model = Model::from_text(text);
    const CompiledModel compiled = core.compile_model(model, "CPU", properties);
    const auto report = nlohmann::json::parse(compiled.get_runtime_report());
    for (const auto& row : report["fake_quantize"]) {
        if (row["layer"] == layer) {
            return {row["verdict"], row["code"], row["reason"]};
        }
    }
    return {};
}

TEST(WhyStandalone, ThereIsNoReasonWhereItIsFused) {
    const Row row = row_of("q2", model_with("%r = ReLU(%c)"));
    EXPECT_EQ(row.verdict, "fused");
    EXPECT_EQ(row.code, "");
}

TEST(WhyStandalone, AtAnInput) {
    const Row row = row_of("q", model_with("%r = ReLU(%c)"));
    EXPECT_EQ(row.verdict, "standalone");
    EXPECT_EQ(row.code, "network_input");
}

TEST(WhyStandalone, AfterAStepThatIsNoAnchor) {
    const Row row = row_of("q2", model_with("%r = LogSoftmax(%c) axis=1"));
    EXPECT_EQ(row.code, "no_anchor");
    EXPECT_THAT(row.reason, HasSubstr("the step 'r' (LogSoftmax)"));
}

// The plugin's own matrix product would take it.
TEST(WhyStandalone, AfterAnAnchorThatCannotTakeAll) {
    const Row row = row_of("q2", model_with(R"(
    %slope = Const value=random(7,0.1,0.9) : f32[16]
    %r = PReLU(%c, %slope))"),
                           {{"FUSEQ_OWN_GEMM", "NO"}});
    EXPECT_EQ(row.code, "post_ops_rest");
    EXPECT_THAT(row.reason, HasSubstr("the convolution 'c' does not take all of what follows"));
    EXPECT_THAT(row.reason, HasSubstr("reference implementation"));
}

// The plugin's own matrix product would store both.
TEST(WhyStandalone, AfterAnAnchorThatOthersRead) {
    const Row row = row_of("q2", model_with("%r = ReLU(%c)", "    %out2 = Result(%r)\n"),
                           {{"FUSEQ_OWN_GEMM", "NO"}});
    EXPECT_EQ(row.code, "read_elsewhere");
    EXPECT_THAT(row.reason, HasSubstr("read the real numbers of 'c' too"));
}

TEST(WhyStandalone, IntegersOfAnotherRange) {
    const Row row = row_of("q2", model_with(R"(
    %r0 = FakeQuantize(%c, %z, %h, %z, %h) levels=256
    %c3 = Convolution(%r0, %wd) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
    %r = MaxPool.1(%r0) strides=[1,1] kernel=[3,3] pads_begin=[1,1] pads_end=[1,1])",
                                            "    %out2 = Result(%c3)\n"));
    EXPECT_EQ(row.code, "requantizes");
}

TEST(WhyStandalone, FusionIsOff) {
    const AnyMap off{{property::kFusion, "NO"}};
    EXPECT_EQ(row_of("q2", model_with("%r = ReLU(%c)"), off).code, "fusion_off");
    EXPECT_EQ(row_of("q", model_with("%r = ReLU(%c)"), off).code, "network_input");
}

}  // namespace
}  // namespace fuseq::cpu
