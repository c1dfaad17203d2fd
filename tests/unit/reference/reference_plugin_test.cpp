// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The REFERENCE device through the public API.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fuseq/fuseq.hpp"

namespace fuseq {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kDevice = "REFERENCE";

InferRequest request_for(const std::string& text, const AnyMap& properties = {}) {
    Core core;
    return core.compile_model(Model::from_text(text), kDevice, properties).create_infer_request();
}

// 1x2x2 image, 1x1 kernel of two channels, hand-made numbers.
constexpr const char* kQuantizedConvolution = R"(model "conv"
    %x = Parameter.1 : f32[1,2,1,2]
    %low = Const.1 value={0} : f32[]
    %high = Const.1 value={255} : f32[]
    %fq = FakeQuantize.1(%x, %low, %high, %low, %high) levels=256 : f32[1,2,1,2]
    %w = Const.1 value={2,3} : f32[1,2,1,1]
    %y = Convolution.1(%fq, %w) strides=[1,1] dilations=[1,1] : f32[1,1,1,2]
    %r = Result.1(%y) : f32[1,1,1,2])";

TEST(ReferencePlugin, RunsByDefinition) {
    InferRequest request = request_for(
        kQuantizedConvolution, {{"FUSEQ_KEEP_INTERMEDIATES", "YES"}, {"PERF_COUNT", "YES"}});
    request.set_input_tensor(Tensor::of<float>({1, 2, 1, 2}, {0.5f, 1.5f, 2.4f, -3}));
    request.infer();
    // round half to even: 0, 2, 2, 0
    EXPECT_THAT(to_floats(request.get_output_tensor()), ElementsAre(6, 4));
    const auto kept = request.get_intermediates();
    ASSERT_EQ(kept.size(), 1u);
    EXPECT_EQ(kept[0].first, "fq");
    EXPECT_THAT(to_floats(kept[0].second), ElementsAre(0, 2, 2, 0));
    EXPECT_EQ(request.get_profiling_info().size(), 2u);
}

TEST(ReferencePlugin, ShowsAndRunsHalfPrecisionModels) {
    InferRequest request = request_for(R"(model "half"
        %x = Parameter.1 : f16[2]
        %w = Const.1 value={0.5,3} : f16[2]
        %y = Multiply.1(%x, %w) : f16[2]
        %r = Result.1(%y) : f16[2])");
    EXPECT_EQ(request.get_compiled_model().input().type(), ElementType::f16);
    request.set_input_tensor(Tensor::of<Float16>({2}, {Float16(5.0f), Float16(-2.0f)}));
    request.infer();
    EXPECT_EQ(request.get_output_tensor().get_element_type(), ElementType::f16);
    EXPECT_THAT(to_floats(request.get_output_tensor()), ElementsAre(2.5f, -6));
}

TEST(ReferencePlugin, TakesAnyShapeThatTheModelAllows) {
    InferRequest request = request_for(R"(model "open"
        %x = Parameter.1 : f32[?,2]
        %y = ReLU.1(%x) : f32[?,2]
        %r = Result.1(%y) : f32[?,2])");
    EXPECT_EQ(request.get_input_tensor().get_shape(), (Shape{0, 2}));
    EXPECT_EQ(request.get_output_tensor().get_shape(), (Shape{0, 2}));
    for (const std::size_t rows : {3u, 1u, 4u}) {
        request.set_input_tensor(
            Tensor::of<float>({rows, 2}, std::vector<float>(rows * 2, -1.0f + float(rows))));
        request.infer();
        EXPECT_EQ(request.get_output_tensor().get_shape(), (Shape{rows, 2}));
        EXPECT_EQ(to_floats(request.get_output_tensor()).back(), float(rows) - 1);
    }
}

TEST(ReferencePlugin, WritesIntoTheUsersMemory) {
    InferRequest request = request_for(kQuantizedConvolution);
    request.set_input_tensor(Tensor::of<float>({1, 2, 1, 2}, {1, 2, 3, 4}));
    float memory[2] = {-1, -1};
    request.set_output_tensor(Tensor(ElementType::f32, {1, 1, 1, 2}, memory));
    request.infer();
    EXPECT_THAT(memory, ElementsAre(11, 16));
}

TEST(ReferencePlugin, SaysThatAUsersMemoryIsTooSmall) {
    InferRequest request = request_for(R"(model "open"
        %x = Parameter.1 : f32[?]
        %y = ReLU.1(%x) : f32[?]
        %r = Result.1(%y) : f32[?])");
    float memory[2] = {};
    request.set_output_tensor(Tensor(ElementType::f32, {2}, memory));
    request.set_input_tensor(Tensor(ElementType::f32, {3}));
    try {
        request.infer();
        FAIL() << "nothing was thrown";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("[2] cannot grow to [3]"));
    }
}

TEST(ReferencePlugin, RequestsDoNotShareTensors) {
    Core core;
    const CompiledModel compiled =
        core.compile_model(Model::from_text(kQuantizedConvolution), kDevice);
    InferRequest a = compiled.create_infer_request();
    InferRequest b = compiled.create_infer_request();
    a.get_input_tensor().data<float>()[0] = 1;
    a.start_async();
    b.start_async();
    a.wait();
    b.wait();
    EXPECT_THAT(to_floats(a.get_output_tensor()), ElementsAre(2, 0));
    EXPECT_THAT(to_floats(b.get_output_tensor()), ElementsAre(0, 0));
}

TEST(ReferencePlugin, ReportsItsSteps) {
    Core core;
    const CompiledModel compiled =
        core.compile_model(Model::from_text(kQuantizedConvolution), kDevice);
    const auto report = nlohmann::json::parse(compiled.get_runtime_report());
    EXPECT_EQ(report["device"], "REFERENCE");
    ASSERT_EQ(report["steps"].size(), 2u);
    EXPECT_EQ(report["steps"][1]["name"], "y");
    EXPECT_EQ(report["steps"][1]["kind"], "Convolution");
    EXPECT_EQ(report["steps"][1]["implementation"], "reference");
    EXPECT_EQ(report["steps"][1]["src_type"], "f32");
}

TEST(ReferencePlugin, RefusesPropertiesItDoesNotHave) {
    Core core;
    const auto model = Model::from_text(kQuantizedConvolution);
    const auto message_of = [&](const AnyMap& properties) -> std::string {
        try {
            core.compile_model(model, kDevice, properties);
        } catch (const Error& error) {
            return error.what();
        }
        return "no error";
    };
    EXPECT_EQ(message_of({{"PREF_COUNT", "YES"}}),
              "property: REFERENCE has no property 'PREF_COUNT'; the nearest is 'PERF_COUNT'");
    EXPECT_EQ(message_of({{"PERF_COUNT", "red"}}), "property: 'red' is not YES or NO");
    EXPECT_EQ(message_of({{"PERFORMANCE_HINT", "LATENC"}}),
              "property: PERFORMANCE_HINT is 'LATENC', expected one of LATENCY, THROUGHPUT, "
              "CUMULATIVE_THROUGHPUT, NONE");
    EXPECT_EQ(message_of({{"NUM_STREAMS", "x"}}),
              "property: NUM_STREAMS is 'x', expected AUTO or a value in [0, 1024]");
    EXPECT_EQ(message_of({{"ENABLE_CPU_PINNING", "x"}}), "property: 'x' is not YES or NO");
    EXPECT_THAT(message_of({{"SCHEDULING_CORE_TYPE", "P"}}),
                testing::HasSubstr("expected one of ANY_CORE, PCORE_ONLY, ECORE_ONLY"));
    EXPECT_EQ(message_of({{"INFERENCE_NUM_THREADS", 4}, {"NUM_STREAMS", "AUTO"}}), "no error");
    for (const std::string& name : core.get_property(kDevice, "SUPPORTED_PROPERTIES").as_list()) {
        EXPECT_NO_THROW((void)core.get_property(kDevice, name)) << name;
    }
    const CompiledModel compiled = core.compile_model(model, kDevice);
    EXPECT_THAT([&] { (void)core.get_property(kDevice, "FULL_NAME"); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("'FULL_DEVICE_NAME'")));
    EXPECT_THAT([&] { (void)compiled.get_property("LOADED_FROM_CACH"); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("'LOADED_FROM_CACHE'")));
    for (const std::string& name : compiled.get_property("SUPPORTED_PROPERTIES").as_list()) {
        EXPECT_NO_THROW((void)compiled.get_property(name)) << name;
    }
}

}  // namespace
}  // namespace fuseq
