// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The CPU device through the public API: dynamic shapes, the cache of plans, properties.
#include "cpu/plugin/compiled_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuseq/fuseq.hpp"
#include "support/quantized_convolution_text.hpp"

namespace fuseq::cpu {
namespace {

// A quantized convolution on images of any size and number.
const std::string kDynamic = R"(model "dynamic"
    %x = Parameter : f32[?,3,?,?]
)" + testing::quantized("x") +
                             testing::quantized_convolution("q", "8,3,3,3", "1") + R"(
    %r = ReLU(%c)
    %h2 = Const value={31.875} : f32[]
    %z = Const value={0} : f32[]
    %q2 = FakeQuantize(%r, %z, %h2, %z, %h2) levels=256
    %y = MaxPool.1(%q2) strides=[2,2] kernel=[2,2]
    %out = Result(%y))";

Tensor image(const Shape& shape) {
    Tensor tensor(ElementType::f32, shape);
    auto values = tensor.values<float>();
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(static_cast<int>(i * 37 % 256) - 128) / 64.0f;
    }
    return tensor;
}

std::vector<float> run(CompiledModel& model, const Tensor& input) {
    InferRequest request = model.create_infer_request();
    request.set_input_tensor(0, input);
    request.infer();
    return to_floats(request.get_output_tensor(0));
}

TEST(CpuCompiledModel, TakesANewShapeAtEachRequest) {
    Core core;
    const auto model = Model::from_text(kDynamic);
    CompiledModel cpu = core.compile_model(model, "CPU");
    CompiledModel reference = core.compile_model(model, "REFERENCE");
    for (const Shape& shape : {Shape{1, 3, 8, 8}, Shape{2, 3, 6, 10}, Shape{1, 3, 8, 8}}) {
        const Tensor input = image(shape);
        EXPECT_EQ(run(cpu, input), run(reference, input)) << to_string(shape);
    }
    EXPECT_EQ(cpu.get_property("FUSEQ_CACHED_PLANS").as_int(), 2);
}

// Passes see the sizes: a channel shuffle is one only when they are known.
std::string shuffle_of(const std::string& shape) {
    return "model \"shuffle\"\n%x = Parameter : f32" + shape + "\n" + testing::quantized("x") + R"(
    %n = ShapeOf.3(%q) output_type=i64
    %i = Const value={0} : i64[1]
    %a = Const value={0} : i64[]
    %n0 = Gather.1(%n, %i, %a)
    %mid = Const value={2,4,6,10} : i64[4]
    %to = Concat(%n0, %mid) axis=0
    %r1 = Reshape(%q, %to) special_zero=false
    %order = Const value={0,2,1,3,4} : i64[5]
    %t = Transpose(%r1, %order)
    %end = Const value={8,6,10} : i64[3]
    %back = Concat(%n0, %end) axis=0
    %r2 = Reshape(%t, %back) special_zero=false
)" + testing::quantized_convolution("r2", "8,8,1,1", "0") +
           R"(
    %out = Result(%c))";
}

TEST(CpuCompiledModel, OpenShapesGetThePlanOfFixedOnes) {
    Core core;
    const Tensor input = image(Shape{2, 8, 6, 10});
    CompiledModel fixed = core.compile_model(Model::from_text(shuffle_of("[2,8,6,10]")), "CPU");
    const std::vector<float> expected = run(fixed, input);
    for (const char* shape : {"[?,8,6,10]", "[1..4,8,6,10]", "[?,?,?,?]", "[?,8,1..,?]"}) {
        CompiledModel open = core.compile_model(Model::from_text(shuffle_of(shape)), "CPU");
        EXPECT_EQ(run(open, input), expected) << shape;
        EXPECT_EQ(open.get_runtime_report(), fixed.get_runtime_report()) << shape;
    }
}

TEST(CpuCompiledModel, OpenInputsMustBeSet) {
    CompiledModel model = Core().compile_model(Model::from_text(kDynamic), "CPU");
    InferRequest request = model.create_infer_request();
    EXPECT_EQ(to_string(request.get_input_tensor().get_shape()), "[0,3,0,0]");
    const auto refused = [&] {
        try {
            request.infer();
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    EXPECT_EQ(refused(),
              "infer: input 'x' has open dimensions, [?,3,?,?], and no tensor was set for it");
    request.set_input_tensor(image(Shape{1, 3, 8, 8}));
    EXPECT_EQ(refused(), "accepted");
}

TEST(CpuCompiledModel, OneRequestMayChangeItsShape) {
    Core core;
    const auto model = Model::from_text(kDynamic);
    CompiledModel cpu = core.compile_model(model, "CPU");
    CompiledModel reference = core.compile_model(model, "REFERENCE");
    InferRequest request = cpu.create_infer_request();
    for (const Shape& shape : {Shape{1, 3, 4, 4}, Shape{3, 3, 12, 6}, Shape{1, 3, 4, 4}}) {
        const Tensor input = image(shape);
        request.set_input_tensor(0, input);
        request.infer();
        const Tensor output = request.get_output_tensor(0);
        EXPECT_EQ(output.get_shape(), (Shape{shape[0], 8, shape[2] / 2, shape[3] / 2}));
        EXPECT_EQ(to_floats(output), run(reference, input)) << to_string(shape);
    }
}

TEST(CpuCompiledModel, KeepsNoMorePlansThanBytesAllow) {
    Core core;
    CompiledModel all = core.compile_model(Model::from_text(kDynamic), "CPU");
    CompiledModel few =
        core.compile_model(Model::from_text(kDynamic), "CPU", {{"FUSEQ_PLAN_CACHE_BYTES", 0}});
    for (const std::size_t size : {8ul, 16ul, 24ul}) {
        const Tensor input = image(Shape{1, 3, size, size});
        EXPECT_EQ(run(all, input), run(few, input));
    }
    EXPECT_EQ(all.get_property("FUSEQ_CACHED_PLANS").as_int(), 3);
    EXPECT_EQ(few.get_property("FUSEQ_CACHED_PLANS").as_int(), 1);
    EXPECT_LT(few.get_property("FUSEQ_CACHED_PLAN_BYTES").as_int(),
              all.get_property("FUSEQ_CACHED_PLAN_BYTES").as_int());
}

// A product by 1 MB of f32 weights, then one by quantized weights of as many elements.
std::string products_of(const std::string& rows) {
    return "model \"products\"\n%x = Parameter : f32[" + rows + R"(,512]
        %w = Const value=random(3,-1,1) : f32[512,512]
        %y = MatMul(%x, %w)
        %l = Const value={-16} : f32[]
        %h = Const value={15.875} : f32[]
        %q = FakeQuantize(%y, %l, %h, %l, %h) levels=256
        %k = Const value=random(5,-127,127) : i8[512,512]
        %kf = Convert(%k) destination_type=f32
        %s = Const value={0.0078125} : f32[]
        %kd = Multiply(%kf, %s)
        %z = MatMul(%q, %kd)
        %out = Result(%z))";
}

TEST(CpuCompiledModel, PlansForOtherShapesShareConvertedAndPackedWeights) {
    Core core;
    CompiledModel open = core.compile_model(Model::from_text(products_of("?")), "CPU");
    const auto bytes = [&] { return open.get_property("FUSEQ_CACHED_PLAN_BYTES").as_int(); };
    std::int64_t before = 0;
    for (const std::size_t rows : {24ul, 40ul, 24ul, 32ul}) {
        CompiledModel fixed =
            core.compile_model(Model::from_text(products_of(std::to_string(rows))), "CPU");
        const Tensor input = image(Shape{rows, 512});
        EXPECT_EQ(run(open, input), run(fixed, input)) << rows << " rows";
        constexpr std::int64_t kActivations = 400 << 10;
        if (before != 0) {
            EXPECT_LT(bytes() - before, kActivations) << rows << " rows";
        }
        before = bytes();
    }
    EXPECT_EQ(open.get_property("FUSEQ_CACHED_PLANS").as_int(), 3);
    EXPECT_GT(before, 512 * 512 * (4 + 1));
}

// Plans are made, used and thrown away while other streams run.
TEST(CpuCompiledModel, StreamsMayHaveDifferentShapes) {
    CompiledModel model =
        Core().compile_model(Model::from_text(kDynamic), "CPU",
                             {{property::kNumStreams, 3}, {"FUSEQ_PLAN_CACHE_BYTES", 0}});
    constexpr std::size_t kRequests = 6;
    constexpr std::size_t kSizes = 4;
    std::vector<Tensor> inputs;
    std::vector<std::vector<float>> expected;
    for (std::size_t size = 0; size < kSizes; ++size) {
        inputs.push_back(image(Shape{1 + size % 2, 3, 8 + 6 * size, 20 - 4 * size}));
        expected.push_back(run(model, inputs.back()));
    }
    std::vector<InferRequest> requests;
    for (std::size_t r = 0; r < kRequests; ++r) {
        requests.push_back(model.create_infer_request());
    }
    for (std::size_t round = 0; round < 10; ++round) {
        for (std::size_t r = 0; r < kRequests; ++r) {
            requests[r].set_input_tensor(0, inputs[(r + round) % kSizes]);
            requests[r].start_async();
        }
        for (std::size_t r = 0; r < kRequests; ++r) {
            requests[r].wait();
            EXPECT_EQ(to_floats(requests[r].get_output_tensor(0)), expected[(r + round) % kSizes])
                << "request " << r << ", round " << round;
        }
    }
    EXPECT_EQ(model.get_property("FUSEQ_CACHED_PLANS").as_int(), 1);
}

TEST(CpuCompiledModel, GivesTheSameBytesForAnyNumberOfThreads) {
    Core core;
    const Tensor input = image(Shape{2, 3, 30, 22});
    std::vector<float> expected;
    for (const int threads : {1, 2, 4}) {
        CompiledModel model = core.compile_model(Model::from_text(kDynamic), "CPU",
                                                 {{property::kInferenceNumThreads, threads}});
        const std::vector<float> got = run(model, input);
        if (expected.empty()) {
            expected = got;
        }
        EXPECT_EQ(got, expected) << threads << " threads";
    }
}

TEST(CpuCompiledModel, ReadsNoMemoryThatItDidNotWrite) {
    Core core;
    const Tensor input = image(Shape{2, 3, 30, 22});
    CompiledModel clean = core.compile_model(Model::from_text(kDynamic), "CPU");
    const std::vector<float> expected = run(clean, input);
    for (const int byte : {0, 255}) {
        CompiledModel poisoned =
            core.compile_model(Model::from_text(kDynamic), "CPU", {{"FUSEQ_POISON_MEMORY", byte}});
        EXPECT_EQ(run(poisoned, input), expected) << byte;
    }
}

// The zero point is no whole number: what pads miss of it depends on where the border is, so that
// shapes must be known. As exact as with a fixed shape.
TEST(CpuCompiledModel, CorrectsBordersOfOpenShapes) {
    const auto text = [](const std::string& shape) {
        return "model \"border\"\n%x = Parameter : f32[" + shape + R"(]
            %l = Const value={-0.3} : f32[]
            %h = Const value={1} : f32[]
            %q = FakeQuantize(%x, %l, %h, %l, %h) levels=256
            %w = Const value=random(5,-127,127) : i8[8,3,3,3]
            %wf = Convert(%w) destination_type=f32
            %s = Const value={0.0078125} : f32[]
            %wd = Multiply(%wf, %s)
            %c = Convolution(%q, %wd) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
            %out = Result(%c))";
    };
    Core core;
    const Tensor input = image(Shape{1, 3, 8, 10});
    CompiledModel fixed = core.compile_model(Model::from_text(text("1,3,8,10")), "CPU");
    CompiledModel open = core.compile_model(Model::from_text(text("?,3,?,?")), "CPU");
    EXPECT_EQ(run(open, input), run(fixed, input));
    CompiledModel reference = core.compile_model(Model::from_text(text("?,3,?,?")), "REFERENCE");
    const Tensor other = image(Shape{2, 3, 5, 4});
    EXPECT_THAT(run(open, other),
                ::testing::Pointwise(::testing::FloatNear(1e-5f), run(reference, other)));
}

// The length of the sums of the second product is open, as in attention over sentences of any
// length.
TEST(CpuCompiledModel, MultipliesActivationsOfOpenLength) {
    const char* const text = R"(model "attention"
        %a = Parameter : f32[?,?,8]
        %l = Const value={-2} : f32[]
        %h = Const value={1.984375} : f32[]
        %q = FakeQuantize(%a, %l, %h, %l, %h) levels=256
        %p = MatMul(%q, %q) transpose_b=true
        %l2 = Const value={-32} : f32[]
        %h2 = Const value={31.75} : f32[]
        %q2 = FakeQuantize(%p, %l2, %h2, %l2, %h2) levels=256
        %y = MatMul(%q2, %q)
        %out = Result(%y))";
    Core core;
    CompiledModel cpu = core.compile_model(Model::from_text(text), "CPU");
    CompiledModel reference = core.compile_model(Model::from_text(text), "REFERENCE");
    for (const Shape& shape : {Shape{1, 5, 8}, Shape{2, 12, 8}}) {
        EXPECT_EQ(run(cpu, image(shape)), run(reference, image(shape))) << to_string(shape);
    }
}

std::string refusal(const AnyMap& properties) {
    try {
        Core().compile_model(Model::from_text(kDynamic), "CPU", properties);
        return "accepted";
    } catch (const Error& error) {
        return error.what();
    }
}

TEST(CpuCompiledModel, RefusesPropertiesThatItDoesNotHave) {
    using ::testing::HasSubstr;
    EXPECT_THAT(refusal({{"NO_SUCH", 1}}), HasSubstr("has no property 'NO_SUCH'"));
    EXPECT_THAT(refusal({{"FUSEQ_PLAN_CACHE_BYTES", -1}}), HasSubstr("is -1, expected 0 or more"));
    EXPECT_THAT(refusal({{"FUSEQ_POISON_MEMORY", 256}}), HasSubstr("is 256, expected -1 (off)"));
    EXPECT_THAT(refusal({{property::kInferenceNumThreads, -2}}), HasSubstr("is -2, expected"));
    EXPECT_THAT(refusal({{property::kPerformanceHint, "FAST"}}), HasSubstr("is 'FAST', expected"));
    EXPECT_THAT(refusal({{property::kNumStreams, "many"}}),
                HasSubstr("NUM_STREAMS is 'many', expected AUTO or a value in [0, 1024]"));
    EXPECT_THAT(refusal({{"FUSEQ_DISABLE", "fold_constants,no_such_pass"}}),
                HasSubstr("FUSEQ_DISABLE: there is no pass 'no_such_pass'"));
    EXPECT_EQ(refusal({{"FUSEQ_DISABLE", "fold_constants"}}), "accepted");
    EXPECT_THAT(refusal({{"FUSEQ_KEEP_FLOAT", "q,c"}}),
                HasSubstr("FUSEQ_KEEP_FLOAT: there is no FakeQuantize 'c'"));
    EXPECT_EQ(refusal({{"FUSEQ_KEEP_FLOAT", "q"}}), "accepted");
}

// The first FQ stands in the middle of the chain of a convolution.
const char* const kMiddle = R"(model "middle"
    %x = Parameter : u8[1,4,6,6]
    %w = Const value=random(5,-127,127) : i8[8,4,1,1]
    %c = Convolution(%x, %w) strides=[1,1] dilations=[1,1]
    %k = Const value={0.0123} : f32[]
    %m = Multiply(%c, %k)
    %l = Const value={-500} : f32[]
    %h = Const value={500} : f32[]
    %ol = Const value={0} : f32[]
    %oh = Const value={255} : f32[]
    %q = FakeQuantize(%m, %l, %h, %l, %h) levels=256
    %b = Const value=random(6,-3,3) : f32[1,8,6,6]
    %s = Add(%q, %b)
    %l2 = Const value={-600} : f32[]
    %h2 = Const value={600} : f32[]
    %q2 = FakeQuantize(%s, %l2, %h2, %l2, %h2) levels=256
    %w2 = Const value=random(7,-127,127) : i8[8,8,1,1]
    %wf2 = Convert(%w2) destination_type=f32
    %k2 = Const value={0.01} : f32[]
    %wd2 = Multiply(%wf2, %k2)
    %c2 = Convolution(%q2, %wd2) strides=[1,1] dilations=[1,1]
    %out = Result(%c2))";

TEST(CpuCompiledModel, DropsRoundingsInTheMiddleWhenAsked) {
    Core core;
    const auto model = Model::from_text(kMiddle);
    const auto report = [&](bool drop) {
        return core.compile_model(model, "CPU", {{"FUSEQ_DROP_MIDDLE_ROUNDS", drop}})
            .get_property(property::kReport)
            .as_string();
    };
    EXPECT_THAT(report(false), ::testing::HasSubstr(" round clip"));
    EXPECT_THAT(report(true), ::testing::Not(::testing::HasSubstr(" round")));
    EXPECT_FALSE(
        core.compile_model(model, "CPU").get_property("FUSEQ_DROP_MIDDLE_ROUNDS").as_bool());
}

// One branch has a quantized matmul, the other one none.
std::string branches(const std::string& shape) {
    return R"(model "branches"
    %x = Parameter : f32[)" +
           shape + R"(]
    %go = Parameter : boolean[]
    %if = If.8(%go, %x) then_body={
        %a = Parameter : f32[)" +
           shape + R"(]
        %l = Const value={-2} : f32[]
        %h = Const value={1.984375} : f32[]
        %q = FakeQuantize(%a, %l, %h, %l, %h) levels=256
        %w = Const value=random(5,-127,127) : i8[8,4]
        %wf = Convert(%w) destination_type=f32
        %s = Const value={0.0078125} : f32[]
        %wd = Multiply(%wf, %s)
        %m = MatMul(%q, %wd)
        %ra = Result(%m)
    } else_body={
        %b = Parameter : f32[)" +
           shape + R"(]
        %two = Const value=random(6) : f32[8,4]
        %n = MatMul(%b, %two)
        %rb = Result(%n)
    } then_inputs=[1,0,0,0,0,-1,1,1] then_outputs=[0,0,0,0,0,-1,1,1] else_inputs=[1,0,0,0,0,-1,1,1] else_outputs=[0,0,0,0,0,-1,1,1]
    %r = Result(%if))";
}

std::vector<float> run_branch(CompiledModel& model, const Tensor& input, bool go) {
    InferRequest request = model.create_infer_request();
    Tensor condition(ElementType::boolean, {});
    condition.data<bool>()[0] = go;
    request.set_input_tensor(0, input);
    request.set_input_tensor(1, condition);
    request.infer();
    return to_floats(request.get_output_tensor(0));
}

TEST(CpuCompiledModel, BodiesHavePlansOfTheirOwn) {
    Core core;
    const auto model = Model::from_text(branches("3,8"));
    CompiledModel cpu = core.compile_model(model, "CPU");
    CompiledModel reference = core.compile_model(model, "REFERENCE");
    const std::string report = cpu.get_property(property::kReport).as_string();
    EXPECT_THAT(report, ::testing::HasSubstr("\"implementation\": \"fuseq:body\""));
    EXPECT_THAT(report, ::testing::HasSubstr("1 of 1 convolutions and matmuls on integers"));
    EXPECT_THAT(report, ::testing::HasSubstr("0 of 1 convolutions and matmuls on integers"));
    const Tensor input = image({3, 8});
    for (const bool go : {true, false}) {
        const std::vector<float> got = run_branch(cpu, input, go);
        const std::vector<float> want = run_branch(reference, input, go);
        ASSERT_EQ(got.size(), want.size());
        for (std::size_t i = 0; i < got.size(); ++i) {
            EXPECT_NEAR(got[i], want[i], 1e-4) << "go " << go << " element " << i;
        }
    }
}

// The number of values above zero is known only when it runs.
TEST(CpuCompiledModel, BodiesOfOpenShapesRunOnReferenceKernels) {
    Core core;
    const auto model = Model::from_text(R"(model "open"
        %x = Parameter : f32[6]
        %go = Parameter : boolean[]
        %positive = ReLU(%x)
        %where = NonZero(%positive) output_type=i64
        %real = Convert(%where) destination_type=f32
        %if = If.8(%go, %real) then_body={
            %a = Parameter : f32[1,?]
            %s = Sigmoid(%a)
            %ra = Result(%s)
        } else_body={
            %b = Parameter : f32[1,?]
            %t = Tanh(%b)
            %rb = Result(%t)
        } then_inputs=[1,0,0,0,0,-1,1,1] then_outputs=[0,0,0,0,0,-1,1,1] else_inputs=[1,0,0,0,0,-1,1,1] else_outputs=[0,0,0,0,0,-1,1,1]
        %r = Result(%if))");
    CompiledModel cpu = core.compile_model(model, "CPU");
    CompiledModel reference = core.compile_model(model, "REFERENCE");
    EXPECT_THAT(cpu.get_property(property::kReport).as_string(),
                ::testing::Not(::testing::HasSubstr("fuseq:body")));
    const Tensor input = Tensor::of<float>({6}, {1, -1, 2, 0, 3, -5});
    for (const bool go : {true, false}) {
        EXPECT_EQ(run_branch(cpu, input, go), run_branch(reference, input, go));
    }
}

}  // namespace
}  // namespace fuseq::cpu
