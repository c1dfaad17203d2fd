// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Products with weights of 8 and 4 bits: the CPU device, which keeps them, against the reference
// device, which does what the model says.
#include "cpu/steps/compressed_matmul.hpp"

#include <memory>
#include <sstream>

#include "cpu/compile/make_plan.hpp"
#include "cpu/plan/builder.hpp"
#include "transformations/pass.hpp"
#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::cpu {
namespace {

using fuseq::test::check_on_devices;
using fuseq::test::DeviceRun;
using fuseq::test::random_tensor;
using fuseq::test::run_on;

constexpr double kTolerance = 2e-4;  // sums of some hundred products up to 60
constexpr const char* kStep = "matmul fuseq:compressed_matrix";

// [rows..., 96] by 70 channels in groups of 32.
std::string grouped(const std::string& src, const std::string& type) {
    const bool has_zero_point = type == "u4" || type == "u8";
    const std::string shift = has_zero_point ? "%zq = Const value=random(2,0,15) : " + type +
                                                   "[70,3,1]\n"
                                                   "%z = Convert(%zq) destination_type=f16\n"
                                                   "%d = Subtract(%f, %z)\n"
                                             : "";
    return "%x = Parameter : f32[" + src +
           "]\n"
           "%q = Const value=random(1) : " +
           type +
           "[70,3,32]\n"
           "%f = Convert(%q) destination_type=f16\n" +
           shift +
           "%s = Const value=random(3,-1,1) : f16[70,3,1]\n"
           "%m = Multiply(%" +
           (has_zero_point ? "d" : "f") +
           ", %s)\n"
           "%shape = Const value={70,96} : i64[2]\n"
           "%v = Reshape(%m, %shape) special_zero=false\n"
           "%w = Convert(%v) destination_type=f32\n"
           "%y = MatMul(%x, %w) transpose_b=true\n";
}

TEST(CompressedMatMulStep, IsTheProductOfEveryTypeAndNumberOfRows) {
    for (const std::string type : {"i8", "u8", "i4", "u4", "nf4"}) {
        for (const std::string src : {"1,96", "96", "2,2,96", "7,96", "3,70,96"}) {
            const DeviceRun run =
                check_on_devices(grouped(src, type) + "%r = Result(%y)\n", 1, kTolerance * 10);
            EXPECT_EQ(run.step_of("y"), kStep) << type << " [" << src << "]";
            EXPECT_EQ(run.step_of("m"), kStep);
        }
    }
}

TEST(CompressedMatMulStep, IsFollowedByAChain) {
    const DeviceRun run = check_on_devices(grouped("5,96", "i4") +
                                               "%bias = Const value=random(7,-9,9) : f32[1,70]\n"
                                               "%b = Add(%y, %bias)\n"
                                               "%g = Gelu(%b)\n"
                                               "%c = Const value=random(8,-1,1) : f32[5,70]\n"
                                               "%t = Multiply(%g, %c)\n"
                                               "%r = Result(%t)\n",
                                           1, kTolerance * 10);
    EXPECT_EQ(run.step_of("y"), kStep);
    EXPECT_EQ(run.step_of("b"), run.step_of("g"));
}

TEST(CompressedMatMulStep, TakesBytesWithAScaleAChannel) {
    for (const std::string type : {"i8", "u8"}) {
        const DeviceRun run = check_on_devices(
            "%x = Parameter : f32[2,50]\n"
            "%q = Const value=random(1) : " +
                type +
                "[50,33]\n"
                "%f = Convert(%q) destination_type=f32\n"
                "%z = Const value=random(2,0,90) : f32[1,33]\n"
                "%d = Subtract(%f, %z)\n"
                "%s = Const value=random(3,-1,1) : f32[1,33]\n"
                "%w = Multiply(%d, %s)\n"
                "%y = MatMul(%x, %w)\n"
                "%r = Result(%y)\n",
            1, kTolerance * 10);
        EXPECT_EQ(run.step_of("y"), kStep);
        EXPECT_EQ(run.step_of("w"), kStep);
    }
}

// A source of open shape: one plan for each.
TEST(CompressedMatMulStep, TakesOpenShapes) {
    std::string text = grouped("?,96", "u4") + "%r = Result(%y)\n";
    const std::shared_ptr<const Model> model(Model::from_text(text));
    Core core;
    CompiledModel compiled = core.compile_model(model, "CPU");
    InferRequest request = compiled.create_infer_request();
    std::mt19937 random(5);
    for (const std::size_t rows : {1, 9, 2}) {
        const Tensor x = random_tensor(ElementType::f32, {rows, 96}, random);
        request.set_input_tensor(0, x);
        request.infer();
        const DeviceRun want = run_on("REFERENCE", model, {x});
        const Tensor got = request.get_output_tensor(0);
        ASSERT_EQ(got.get_shape(), (Shape{rows, 70}));
        for (std::size_t i = 0; i < got.get_size(); ++i) {
            const double y = want.outputs[0].data<float>()[i];
            ASSERT_NEAR(got.data<float>()[i], y, 10 * kTolerance * std::max(1.0, std::fabs(y)));
        }
    }
}

TEST(CompressedMatMulStep, SurvivesExportAndImport) {
    const std::shared_ptr<const Model> model(
        Model::from_text(grouped("2,96", "nf4") + "%r = Result(%y)\n"));
    std::mt19937 random(6);
    const std::vector<Tensor> inputs{random_tensor(ElementType::f32, {2, 96}, random)};
    const DeviceRun want = run_on("CPU", model, inputs);
    Core core;
    std::stringstream file;
    core.compile_model(model, "CPU").export_model(file);
    CompiledModel imported = core.import_model(file, "CPU");
    InferRequest request = imported.create_infer_request();
    request.set_input_tensor(0, inputs[0]);
    request.infer();
    const Tensor got = request.get_output_tensor(0);
    EXPECT_EQ(std::memcmp(got.data(), want.outputs[0].data(), got.get_byte_size()), 0);
    const auto report = nlohmann::json::parse(imported.get_runtime_report());
    EXPECT_NE(report.dump().find("fuseq:compressed_matrix"), std::string::npos);
}

// 70 channels are 5 panels of 16; the depth is 96, in 3 groups.
TEST(CompressedMatMulStep, KeepsTheMemoryOfTheCodes) {
    for (const std::string type : {"i8", "u4"}) {
        const std::shared_ptr<Model> model(
            Model::from_text(grouped("1,96", type) + "%r = Result(%y)\n"));
        PassContext context;
        transform(*model, context);
        BuildOptions options;
        options.release_weights = true;
        const Plan plan = make_plan(*model, {}, options);
        const Step* product = nullptr;
        for (const auto& step : plan.steps) {
            product =
                step->info().implementation == "fuseq:compressed_matrix" ? step.get() : product;
        }
        ASSERT_NE(product, nullptr);
        const std::size_t codes = std::size_t{80} * 96 / (type == "u4" ? 2 : 1);
        const std::size_t tables = (type == "u4" ? 2u : 1u) * 80 * 3 * sizeof(float);
        EXPECT_EQ(product->packed_bytes(), codes + tables);
        EXPECT_EQ(product->info().wei_type, type);
        for (const Node* node : model->ordered_nodes()) {
            EXPECT_TRUE(!node->is_constant() || node->port().type == ElementType::f32 ||
                        node->constant().get_size() == 0)
                << node->name() << " is still there";
        }
    }
}

}  // namespace
}  // namespace fuseq::cpu
