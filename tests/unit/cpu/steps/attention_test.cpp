// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Attention on integers: the bytes of its three steps, and the numbers of the reference device.
#include "cpu/steps/attention.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "cpu/machine/isa_limit.hpp"
#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

struct Case {
    const char* name;
    std::size_t images, queries, keys, heads, depth;
    const char* mask;  // its shape; null: none
    bool scaled = true;
    bool swapped = false;  // the mask stands first
};

// Heads side by side in memory, as after projections.
std::string model_of(const Case& c) {
    const auto tensor = [&](const char* name, std::size_t rows) {
        return fmt::format("%{} = Parameter : f32[{},{},{},{}]\n", name, c.images, rows, c.heads,
                           c.depth);
    };
    std::string text = tensor("q", c.queries) + tensor("k", c.keys) + tensor("v", c.keys);
    text += c.mask == nullptr ? "" : fmt::format("%mask = Parameter : f32{}\n", c.mask);
    text += R"(
        %l = Const value={-4} : f32[]
        %h = Const value={3.96875} : f32[]
        %pl = Const value={0} : f32[]
        %ph = Const value={0.99609375} : f32[]
        %heads = Const value={0,2,1,3} : i64[4]
        %qq = FakeQuantize(%q, %l, %h, %l, %h) levels=256
        %qk = FakeQuantize(%k, %l, %h, %l, %h) levels=256
        %qv = FakeQuantize(%v, %l, %h, %l, %h) levels=256
        %tq = Transpose(%qq, %heads)
        %tk = Transpose(%qk, %heads)
        %tv = Transpose(%qv, %heads)
        %scores = MatMul(%tq, %tk) transpose_b=true
        )";
    std::string scores = "%scores";
    if (c.scaled) {
        text += "%scale = Const value={0.2} : f32[]\n%s = Multiply(%scores, %scale)\n";
        scores = "%s";
    }
    if (c.mask != nullptr) {
        text +=
            c.swapped ? "%m = Add(%mask, " + scores + ")\n" : "%m = Add(" + scores + ", %mask)\n";
        scores = "%m";
    }
    text += "%p = SoftMax.8(" + scores + ") axis=-1\n";
    text += R"(%qp = FakeQuantize(%p, %pl, %ph, %pl, %ph) levels=256
        %y = MatMul(%qp, %tv)
        %qy = FakeQuantize(%y, %l, %h, %l, %h) levels=256
        %t = Transpose(%qy, %heads)
        %r = Result(%t))";
    return "model \"m\"\n" + text;
}

struct Inference {
    Tensor output;
    nlohmann::json report;
};

Inference run_with(const std::shared_ptr<const Model>& model,
                   const std::vector<Tensor>& inputs,
                   const AnyMap& config) {
    CompiledModel compiled = Core().compile_model(model, "CPU", config);
    InferRequest request = compiled.create_infer_request();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        request.set_input_tensor(i, inputs[i]);
    }
    request.infer();
    request.infer();  // on memory that the first run has written
    return {request.get_output_tensor(0), nlohmann::json::parse(compiled.get_runtime_report())};
}

std::size_t count(const nlohmann::json& report, const char* kind) {
    return static_cast<std::size_t>(
        std::count_if(report["steps"].begin(), report["steps"].end(),
                      [&](const auto& step) { return step["kind"] == kind; }));
}

std::vector<Tensor> random_inputs(const Model& model, std::mt19937& random) {
    std::vector<Tensor> inputs;
    for (const Node* parameter : model.parameters()) {
        inputs.push_back(
            random_tensor(parameter->port(0).type, parameter->port(0).shape.to_shape(), random));
    }
    return inputs;
}

// At least 64 rows and columns, or oneDNN's products would be left alone.
constexpr Case kCases[] = {
    {"no mask", 1, 70, 70, 3, 16, nullptr},
    {"not scaled", 2, 65, 65, 2, 64, nullptr, false},
    {"several blocks of rows", 1, 300, 260, 2, 32, nullptr},
    {"odd sizes", 2, 197, 197, 3, 20, nullptr},
    {"other numbers of keys", 1, 64, 95, 2, 24, nullptr},
    {"a mask of all images", 2, 70, 70, 3, 16, "[70]"},
    {"a mask of each image", 2, 70, 70, 3, 16, "[2,1,1,70]"},
    {"a mask of rows", 2, 70, 70, 3, 16, "[70,70]"},
    {"a mask of heads", 2, 70, 70, 3, 16, "[1,3,70,70]"},
    {"a mask of everything", 2, 70, 70, 3, 64, "[2,3,70,70]"},
    {"a mask that stands first", 2, 70, 70, 3, 16, "[2,1,70,70]", true, true},
    {"one head", 1, 64, 64, 1, 64, "[64,64]"},
};

// Numbers of the two are those of the same kernels; where oneDNN multiplies, its sums are as exact.
TEST(Attention, GivesTheBytesOfItsThreeSteps) {
    std::mt19937 random(1);
    for (const Case& c : kCases) {
        SCOPED_TRACE(testing::Message() << c.name << ", seed 1");
        const std::shared_ptr<const Model> model(Model::from_text(model_of(c)));
        const std::vector<Tensor> inputs = random_inputs(*model, random);
        for (const char* threads : {"1", "2", "5"}) {
            const Inference one = run_with(model, inputs, {{"INFERENCE_NUM_THREADS", threads}});
            const Inference three = run_with(
                model, inputs,
                {{"INFERENCE_NUM_THREADS", threads}, {"FUSEQ_DISABLE", "attention_by_heads"}});
            EXPECT_EQ(count(one.report, "attention"), 1u);
            EXPECT_EQ(count(one.report, "matmul"), 0u);
            EXPECT_EQ(count(three.report, "attention"), 0u);
            EXPECT_EQ(count(three.report, "matmul"), 2u);
            ASSERT_EQ(one.output.get_byte_size(), three.output.get_byte_size());
            EXPECT_EQ(
                std::memcmp(one.output.data(), three.output.data(), one.output.get_byte_size()), 0)
                << threads << " threads";
        }
    }
}

// Ties of probabilities may fall the other way: a step of the result.
TEST(Attention, GivesTheNumbersOfTheReference) {
    constexpr double kStep = 1.0 / 32;
    unsigned seed = 2;
    for (const Case& c : kCases) {
        SCOPED_TRACE(c.name);
        const DeviceRun run = check_on_devices(model_of(c), seed++, kStep * 1.001);
        EXPECT_EQ(run.step_of("scores"), run.step_of("y"));
        EXPECT_EQ(run.step_of("p"), run.step_of("y"));
    }
}

TEST(Attention, CountsAsProductsOfIntegers) {
    const DeviceRun run = check_on_devices(model_of(kCases[0]), 1, 1.0);
    const auto& totals = run.report["totals"];
    EXPECT_EQ(totals["macs"], 2 * 3 * 70 * 70 * 16);
    EXPECT_EQ(totals["int8_macs_share"], 1.0);
    EXPECT_EQ(totals["reorders"], 0);
}

}  // namespace
}  // namespace fuseq::test
