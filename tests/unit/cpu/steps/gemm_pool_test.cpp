// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Max poolings that the own matrix product takes, and those that it leaves alone: the bytes are
// those of a plan without it.
#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::cpu {
namespace {

using fuseq::test::random_tensor;

constexpr const char* kPool = "%y = MaxPool.1(%q) strides=[2,2] kernel=[2,2]\n%r = Result(%y)\n";

// A convolution of 40 channels on 9 x 10 pixels, what is after it up to the quantization %q, and
// the rest.
std::shared_ptr<Model> model_with(const std::string& activation, const std::string& rest) {
    return Model::from_text(
        "%x = Parameter : u8[2,8,9,10]\n"
        "%w = Const value=random(3,-127,127) : i8[40,8,3,3]\n"
        "%c = Convolution(%x, %w) strides=[1,1] dilations=[1,1] "
        "pads_begin=[1,1] pads_end=[1,1]\n"
        "%k = Const value=random(5,0.0001,0.0009) : f32[1,40,1,1]\n"
        "%m = Multiply(%c, %k)\n" +
        activation +
        "%l = Const value={-10} : f32[]\n"
        "%h = Const value={41} : f32[]\n"
        "%q = FakeQuantize(%a, %l, %h, %l, %h) levels=256\n" +
        rest);
}

struct Run {
    std::vector<float> values;
    nlohmann::json steps;
    std::map<std::string, std::vector<float>> shown;  // with FUSEQ_KEEP_INTERMEDIATES
    // Steps whose implementation ends with this.
    std::size_t count(const std::string& end) const {
        std::size_t found = 0;
        for (const auto& step : steps) {
            found += step.at("implementation").get<std::string>().ends_with(end) ? 1 : 0;
        }
        return found;
    }
};

Run run(const std::shared_ptr<Model>& model, const AnyMap& properties) {
    std::mt19937 random(7);
    Core core;
    CompiledModel compiled = core.compile_model(model, "CPU", properties);
    InferRequest request = compiled.create_infer_request();
    request.set_input_tensor(0, random_tensor(ElementType::u8, {2, 8, 9, 10}, random));
    request.infer();
    Run result{.values = to_floats(request.get_output_tensor(0)),
               .steps = nlohmann::json::parse(compiled.get_runtime_report()).at("steps"),
               .shown = {}};
    if (properties.contains(property::kKeepIntermediates)) {
        for (const auto& [name, tensor] : request.get_intermediates()) {
            result.shown[name] = to_floats(tensor);
        }
    }
    return result;
}

// How many poolings became part of a matrix product.
std::size_t pooled(const std::string& activation, const std::string& rest) {
    SCOPED_TRACE(activation + rest);
    const auto model = model_with(activation, rest);
    const Run own = run(model, {{"FUSEQ_OWN_GEMM", "YES"}});
    const Run other = run(model, {{"FUSEQ_OWN_GEMM", "NO"}});
    EXPECT_EQ(own.values, other.values);
    EXPECT_EQ(other.count(":pool"), 0u);
    EXPECT_EQ(own.count(":max_pool") + own.count(":pool"), other.count(":max_pool"));
    return own.count(":pool");
}

TEST(GemmPool, OfWhatRises) {
    EXPECT_EQ(pooled("%a = ReLU(%m)\n", kPool), 1u);
    EXPECT_EQ(pooled("%s = Const value={0.1} : f32[1]\n%a = PReLU(%m, %s)\n", kPool), 1u);
    EXPECT_EQ(pooled("%a = Clamp(%m) min=-1 max=6\n", kPool), 1u);
}

TEST(GemmPool, NotOfOtherActivations) {
    EXPECT_EQ(pooled("%a = Elu(%m) alpha=1\n", kPool), 0u);
    EXPECT_EQ(pooled("%s = Const value={-0.1} : f32[1]\n%a = PReLU(%m, %s)\n", kPool), 0u);
}

TEST(GemmPool, NotInOtherWindows) {
    const std::string relu = "%a = ReLU(%m)\n";
    const std::string result = "%r = Result(%y)\n";
    for (const char* attributes :
         {"strides=[2,2] kernel=[3,3]", "strides=[1,1] kernel=[2,2]", "strides=[2,1] kernel=[2,2]",
          "strides=[2,2] kernel=[2,2] pads_begin=[1,0]",
          "strides=[2,2] kernel=[2,2] rounding_type=ceil"}) {
        EXPECT_EQ(pooled(relu, "%y = MaxPool.1(%q) " + std::string(attributes) + "\n" + result),
                  0u);
    }
}

// To show what is pooled changes nothing in the step that pools it.
TEST(GemmPool, OfIntegersThatAreShown) {
    const auto model = model_with("%a = ReLU(%m)\n", kPool);
    const auto plain = run(model, {{"FUSEQ_OWN_GEMM", "YES"}});
    const auto own = run(model, {{"FUSEQ_OWN_GEMM", "YES"}, {property::kKeepIntermediates, true}});
    const auto other = run(model, {{"FUSEQ_OWN_GEMM", "NO"}, {property::kKeepIntermediates, true}});
    EXPECT_EQ(own.count(":pool"), 1u);
    EXPECT_EQ(own.values, plain.values);
    ASSERT_TRUE(other.shown.contains("q"));
    ASSERT_TRUE(own.shown.contains("q"));
    EXPECT_EQ(own.shown.at("q"), other.shown.at("q"));
}

TEST(GemmPool, NotWhenOthersReadTheConvolution) {
    EXPECT_EQ(pooled("%a = ReLU(%m)\n", std::string(kPool) + "%r2 = Result(%q)\n"), 0u);
}

}  // namespace
}  // namespace fuseq::cpu
