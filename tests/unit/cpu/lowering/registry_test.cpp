// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/lowering/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "cpu/compile/make_plan.hpp"
#include "cpu/compile/plan_options.hpp"
#include "cpu/compile/transformed.hpp"
#include "cpu/machine/traits.hpp"
#include "cpu/plan/builder.hpp"
#include "support/quantized_convolution_text.hpp"

namespace fuseq::cpu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

MachineTraits avx2() {
    MachineTraits traits;
    traits.isa = IsaLevel::kAvx2;
    return traits;
}

// Intel's Golden Cove.
MachineTraits golden_cove() {
    MachineTraits traits;
    traits.isa = IsaLevel::kAvx512Vnni;
    traits.avx512_vnni = traits.avx512_vbmi = true;
    return traits;
}

MachineTraits zen4() {
    MachineTraits traits = golden_cove();
    traits.one_wide_load_a_cycle = true;
    traits.other_cores_lines_are_slow = false;
    return traits;
}

// Golden Cove in a server.
MachineTraits sapphire_rapids() {
    MachineTraits traits = golden_cove();
    traits.isa = IsaLevel::kAvx512Amx;
    traits.avx_vnni = traits.avx512_bf16 = traits.amx_int8 = true;
    return traits;
}

// Of the only anchor of a model, on a machine: "gemm: refused", ..., and the reasons by name.
struct Verdicts {
    std::vector<std::string> list;
    std::map<std::string, std::string> reasons;
    std::map<std::string, double> costs;
};

Verdicts verdicts_on(const MachineTraits& machine,
                     const std::string& text,
                     const AnyMap& set = {}) {
    const ScopedMachineTraits scope(machine);
    Config config;
    config.set(set);
    const Transformed transformed = transform_for_cpu(*Model::from_text(text), config);
    const auto layers = PlanBuilder(*transformed.model, transformed.ranges, build_options(config))
                            .anchor_verdicts();
    EXPECT_EQ(layers.size(), 1u);
    Verdicts verdicts;
    for (const CandidateVerdict& candidate : layers.begin()->second) {
        verdicts.list.push_back(candidate.name + ": " + candidate.verdict);
        verdicts.reasons[candidate.name] = candidate.reason;
        verdicts.costs[candidate.name] = candidate.cost;
        EXPECT_EQ(candidate.reason.empty(), candidate.verdict == "taken") << candidate.name;
    }
    return verdicts;
}

// Of u8 without a zero point.
std::string convolution(const std::string& src, const std::string& weights) {
    return "model \"m\"\n%x = Parameter : f32[" + src +
           "]\n%l = Const value={0} : f32[]\n%h = Const value={3.984375} : f32[]\n"
           "%q = FakeQuantize(%x, %l, %h, %l, %h) levels=256\n" +
           testing::quantized_convolution("q", weights, "1") + "%r = Result(%c)\n";
}

// The convolution's result as u8.
std::string quantized_after(std::string text) {
    const std::string result = "%r = Result(%c)\n";
    text.erase(text.find(result));
    return text +
           "%hq = Const value={31.875} : f32[]\n"
           "%y = FakeQuantize(%c, %l, %hq, %l, %hq) levels=256\n"
           "%z = MaxPool.1(%y) strides=[2,2] kernel=[2,2]\n%r = Result(%z)\n";
}

// The same after a sigmoid.
std::string with_sigmoid(const std::string& text) {
    std::string result = quantized_after(text);
    const std::string quantize = "FakeQuantize(%c,";
    result.replace(result.find(quantize), quantize.size(), "FakeQuantize(%g,");
    const std::string range = "%hq = ";
    return result.insert(result.find(range), "%g = Sigmoid(%c)\n");
}

std::string product(int rows, const std::string& weights) {
    return "model \"m\"\n%x = Parameter : f32[" + std::to_string(rows) +
           ",32]\n%w = Const value=" + weights +
           " : f32[32,48]\n%y = MatMul(%x, %w) transpose_a=false transpose_b=false\n"
           "%r = Result(%y)\n";
}

TEST(Registry, NamesAreUniqueAndPlacesHaveReasons) {
    std::set<std::string> names;
    for (const AnchorCandidate& candidate : anchor_candidates()) {
        EXPECT_TRUE(names.insert(candidate.name).second) << candidate.name;
        EXPECT_STRNE(candidate.place, "") << candidate.name;
    }
    EXPECT_EQ(anchor_candidates().back().name, std::string("onednn"));
    for (const NodeCandidate& candidate : node_candidates()) {
        EXPECT_TRUE(names.insert(candidate.name).second) << candidate.name;
        EXPECT_STRNE(candidate.place, "") << candidate.name;
    }
    for (const ChainCandidate& candidate : chain_candidates()) {
        EXPECT_TRUE(names.insert(candidate.name).second) << candidate.name;
        EXPECT_STRNE(candidate.place, "") << candidate.name;
    }
    EXPECT_EQ(chain_candidates().back().name, std::string("eltwise"));
}

// Of two computed tensors, where oneDNN saturates and where it does not.
TEST(Registry, AProductOfComputedIntegers) {
    const auto text = [](const std::string& attributes) {
        return "model \"m\"\n%a = Parameter : f32[2,4,4]\n%b = Parameter : f32[2,4,4]\n"
               "%l = Const value={0} : f32[]\n%h = Const value={3.984375} : f32[]\n"
               "%qa = FakeQuantize(%a, %l, %h, %l, %h) levels=256\n"
               "%qb = FakeQuantize(%b, %l, %h, %l, %h) levels=256\n"
               "%y = MatMul(%qa, %qb) " +
               attributes + "\n%r = Result(%y)\n";
    };
    const std::string plain = text("transpose_a=false transpose_b=true");
    EXPECT_THAT(verdicts_on(avx2(), plain).list, ::testing::Contains("data_product: taken"));
    EXPECT_EQ(verdicts_on(golden_cove(), plain).reasons.at("data_product"),
              "oneDNN does not saturate with AVX-512 VNNI");
    EXPECT_EQ(verdicts_on(avx2(), plain, {{"FUSEQ_OWN_GEMM", "NO"}}).reasons.at("data_product"),
              "FUSEQ_OWN_GEMM is NO");
    EXPECT_EQ(
        verdicts_on(avx2(), text("transpose_a=true transpose_b=false")).reasons.at("data_product"),
        "the columns of its first matrix are contiguous, and not the rows");
}

// What the same layer is computed by on three machines, without having them.
TEST(Registry, AConvolutionOnSeveralMachines) {
    const std::string text = convolution("1,64,56,56", "64,64,3,3");
    const Verdicts old = verdicts_on(avx2(), text);
    EXPECT_THAT(old.list, ElementsAre("small_conv: refused", "gemm: taken", "float_conv: refused",
                                      "onednn: taken"));
    EXPECT_EQ(old.reasons.at("small_conv"), "avx2: no AVX-512 with VNNI and VBMI");
    const Verdicts few = verdicts_on(avx2(), convolution("1,64,56,56", "7,64,3,3"));
    EXPECT_EQ(few.list.front(), "small_conv: taken");
    EXPECT_EQ(few.reasons.at("gemm"),
              "oneDNN is expected to be faster: 64 to 7 channels, 56x56 pixels, kernel 3x3");
    EXPECT_EQ(verdicts_on(avx2(), convolution("1,64,56,56", "8,64,3,3")).reasons.at("small_conv"),
              "pixels of more than 16 bytes");
    EXPECT_EQ(
        verdicts_on(avx2(), convolution("1,1024,56,56", "7,1024,3,3")).reasons.at("small_conv"),
        "not for 1024 to 7 channels, kernel 3x3, stride 1");
    EXPECT_EQ(old.reasons.at("float_conv"), "for f32 only");
    const Verdicts wide = verdicts_on(golden_cove(), text);
    EXPECT_THAT(wide.list, ElementsAre("small_conv: refused", "gemm: refused",
                                       "float_conv: refused", "onednn: taken"));
    EXPECT_THAT(wide.reasons.at("small_conv"), HasSubstr("64 to 64 channels"));
    EXPECT_EQ(wide.reasons.at("gemm"),
              "oneDNN is expected to be faster: 64 to 64 channels, 56x56 pixels, kernel 3x3");
    // Few pixels.
    EXPECT_THAT(
        verdicts_on(zen4(), convolution("1,64,14,14", "64,64,3,3")).list,
        ElementsAre("small_conv: refused", "gemm: taken", "float_conv: refused", "onednn: taken"));
}

// In parts of oneDNN's time: what is less is taken, what is more is a refusal.
TEST(Registry, CostsDecideBetweenTwoThatTakeALayer) {
    const Verdicts large = verdicts_on(golden_cove(), convolution("1,64,56,56", "64,64,3,3"));
    EXPECT_EQ(large.costs.at("onednn"), 1.0);
    EXPECT_GE(large.costs.at("gemm"), 1.0);
    EXPECT_EQ(large.costs.at("float_conv"), 0.0) << "it cannot";
    const Verdicts small = verdicts_on(golden_cove(), convolution("1,64,14,14", "64,64,3,3"));
    EXPECT_GT(small.costs.at("gemm"), 0.0);
    EXPECT_LT(small.costs.at("gemm"), 1.0);
    const Verdicts narrow = verdicts_on(avx2(), convolution("1,64,56,56", "7,64,3,3"));
    EXPECT_GE(narrow.costs.at("gemm"), 1.0);
    EXPECT_EQ(verdicts_on(avx2(), product(1, "random(3,-1,1)")).costs.at("half_matrix"), 0.0);
}

TEST(Registry, AFirstLayerOnSeveralMachines) {
    const std::string text = convolution("1,3,64,64", "16,3,3,3");
    EXPECT_THAT(
        verdicts_on(avx2(), text).list,
        ElementsAre("small_conv: refused", "gemm: taken", "float_conv: refused", "onednn: taken"));
    EXPECT_EQ(verdicts_on(golden_cove(), text).list.front(), "small_conv: refused")
        << "its result is one of the model, in planes";
    MachineTraits no_vbmi = golden_cove();
    no_vbmi.avx512_vbmi = false;
    const Verdicts without = verdicts_on(no_vbmi, text);
    EXPECT_EQ(without.reasons.at("small_conv"), "avx512_vnni: no AVX-512 with VNNI and VBMI");
    EXPECT_THAT(without.list, ElementsAre("small_conv: refused", "gemm: taken",
                                          "float_conv: refused", "onednn: taken"));
}

TEST(Registry, PropertiesRefuse) {
    const Verdicts verdicts = verdicts_on(golden_cove(), convolution("1,64,14,14", "64,64,3,3"),
                                          {{"FUSEQ_OWN_GEMM", "NO"}});
    EXPECT_EQ(verdicts.reasons.at("gemm"), "FUSEQ_OWN_GEMM is NO");
    EXPECT_EQ(verdicts.list.back(), "onednn: taken");
}

// What tiles are filled by, and pays for them. Nobody is told of AMX on other machines (the tests
// above).
TEST(Registry, AmxTakesProductsThatFillItsTiles) {
    const auto on_amx = [](const std::string& text) {
        return verdicts_on(sapphire_rapids(), text);
    };
    const Verdicts large = on_amx(convolution("1,64,56,56", "64,64,3,3"));
    EXPECT_THAT(large.list, ElementsAre("small_conv: refused", "amx: taken", "gemm: refused",
                                        "float_conv: refused", "onednn: taken"));
    // That the product by vectors would take without AMX.
    const Verdicts deep = on_amx(convolution("1,256,14,14", "256,256,1,1"));
    EXPECT_THAT(deep.list, ElementsAre("small_conv: refused", "amx: taken", "gemm: taken",
                                       "float_conv: refused", "onednn: taken"));
    EXPECT_EQ(on_amx(convolution("1,3,224,224", "64,3,7,7")).reasons.at("amx"),
              "21 contiguous bytes a pixel need tiles of 24, at least 32");
    EXPECT_EQ(on_amx(convolution("1,68,56,56", "64,68,1,1")).reasons.at("amx"),
              "68 contiguous bytes a pixel need tiles of 4, at least 32")
        << "17 fours, which is a prime";
    EXPECT_EQ(on_amx(convolution("1,32,56,56", "64,32,1,1")).reasons.at("amx"),
              "32 products a result, at least 64");
    EXPECT_EQ(on_amx(convolution("1,128,1,3", "128,128,1,1")).reasons.at("amx"),
              "15 pixels, at least 16");
    EXPECT_EQ(on_amx(convolution("1,128,2,2", "128,128,1,1")).list[1], "amx: taken");
    EXPECT_EQ(on_amx(with_sigmoid(convolution("1,128,56,56", "128,128,1,1"))).list[1],
              "amx: taken");
    EXPECT_EQ(on_amx(product(7, "random(3,-1,1)")).reasons.at("amx"),
              "for integers with constant weights");
}

// The plan that a machine with AMX would have, made on this one, where it is never run: the same
// epilogue in the same layout as by vectors.
TEST(Registry, AmxHasTheEpilogueOfTheOtherForms) {
    const auto product_step = [](const MachineTraits& machine) {
        const ScopedMachineTraits scope(machine);
        const Transformed transformed = transform_for_cpu(
            *Model::from_text(quantized_after(convolution("1,256,14,14", "256,256,1,1"))), {});
        const Plan plan = make_plan(*transformed.model, transformed.ranges, build_options({}));
        for (const auto& step : plan.steps) {
            if (step->info().kind == "convolution") {
                return step->info();
            }
        }
        return StepInfo{};
    };
    const StepInfo tiles = product_step(sapphire_rapids());
    EXPECT_EQ(tiles.implementation, "fuseq:gemm_amx:32x32:pool");
    ASSERT_FALSE(tiles.candidates.empty());
    EXPECT_EQ(tiles.candidates.back().name, "amx");
    EXPECT_EQ(tiles.candidates.back().verdict, "taken");
    const StepInfo vectors = product_step(golden_cove());
    EXPECT_EQ(vectors.candidates.back().name, "gemm");
    EXPECT_EQ(tiles.src_type, "u8");
    EXPECT_EQ(tiles.dst_type, "u8");
    EXPECT_EQ(tiles.layout, vectors.layout);
    EXPECT_EQ(tiles.layout, "channels_last");
    EXPECT_EQ(tiles.post_ops, vectors.post_ops);
}

// Weights of halves are read as such where two wide loads a cycle make that worth it.
TEST(Registry, MatrixProductsOfFloats) {
    const std::string halves = "random(3,-1,1)";
    EXPECT_EQ(verdicts_on(avx2(), product(1, halves)).reasons.at("half_matrix"),
              "avx2: no AVX-512 with VNNI");
    EXPECT_THAT(verdicts_on(zen4(), product(1, halves)).reasons.at("half_matrix"),
                HasSubstr("one wide load a cycle"));
    EXPECT_EQ(verdicts_on(golden_cove(), product(7, halves)).reasons.at("half_matrix"),
              "7 rows, for one");
    EXPECT_EQ(verdicts_on(golden_cove(), product(1, halves)).reasons.at("half_matrix"),
              "weights that are no halves");
    EXPECT_THAT(verdicts_on(golden_cove(), product(1, "fill(0.5)")).list,
                ElementsAre("gemm: refused", "half_matrix: taken", "onednn: taken"));
    EXPECT_EQ(verdicts_on(golden_cove(), product(1, halves)).reasons.at("gemm"),
              "for integers with constant weights");
}

TEST(Registry, DepthwiseConvolutionsOfVolumes) {
    const auto text = [](int groups, const std::string& wei, const std::string& src) {
        return "model \"m\"\n%x = Parameter : f32[" + src +
               "]\n%w = Const value=random(3,-1,1) : f32[" + std::to_string(groups) + "," + wei +
               "]\n%y = GroupConvolution(%x, %w) strides=[1,1,1] dilations=[1,1,1] "
               "pads_begin=[1,1,1] pads_end=[1,1,1]\n%r = Result(%y)\n";
    };
    const Verdicts one = verdicts_on(avx2(), text(4, "1,1,3,3,3", "1,4,6,6,6"));
    EXPECT_THAT(one.list,
                ElementsAre("gemm: refused", "depthwise: refused", "depthwise_3d: refused",
                            "grouped_gemm: refused", "depthwise_float: taken", "onednn: taken"));
    EXPECT_EQ(one.reasons.at("gemm"), "groups");
    EXPECT_EQ(one.reasons.at("depthwise"), "for integers only");
    const Verdicts two = verdicts_on(golden_cove(), text(2, "2,2,3,3,3", "1,4,6,6,6"));
    EXPECT_EQ(two.reasons.at("gemm"), "groups");
    EXPECT_EQ(two.reasons.at("depthwise_float"), "not one channel a group");
    EXPECT_EQ(two.list.back(), "onednn: taken");
}

TEST(Registry, AGroupedConvolutionOnSeveralMachines) {
    const std::string text =
        "model \"m\"\n%x = Parameter : f32[1,32,14,14]\n%l = Const value={0} : f32[]\n"
        "%h = Const value={3.984375} : f32[]\n%q = FakeQuantize(%x, %l, %h, %l, %h) levels=256\n"
        "%w = Const value=random(5,-127,127) : i8[8,4,4,3,3]\n"
        "%wf = Convert(%w) destination_type=f32\n%s = Const value={0.0078125} : f32[]\n"
        "%wd = Multiply(%wf, %s)\n%c = GroupConvolution(%q, %wd) strides=[1,1] dilations=[1,1] "
        "pads_begin=[1,1] pads_end=[1,1]\n%r = Result(%c)\n";
    const Verdicts old = verdicts_on(avx2(), text);
    EXPECT_EQ(old.reasons.at("gemm"), "groups");
    EXPECT_EQ(old.reasons.at("grouped_gemm"), "");
    EXPECT_EQ(verdicts_on(golden_cove(), text).reasons.at("grouped_gemm"),
              "oneDNN does not saturate with AVX-512 VNNI");
    EXPECT_EQ(verdicts_on(avx2(), text, {{"FUSEQ_OWN_GEMM", "NO"}}).reasons.at("grouped_gemm"),
              "FUSEQ_OWN_GEMM is NO");
}

// Of every step, by its name: "io_reorder: taken", or with the reason of a refusal.
std::map<std::string, std::vector<std::string>> asked_for(const std::string& text) {
    Config config;
    const Transformed transformed = transform_for_cpu(*Model::from_text(text), config);
    const Plan plan = make_plan(*transformed.model, transformed.ranges, build_options(config));
    std::map<std::string, std::vector<std::string>> asked;
    for (const auto& step : plan.steps) {
        for (const CandidateVerdict& one : step->info().candidates) {
            asked[step->info().name].push_back(one.name + ": " +
                                               (one.reason.empty() ? one.verdict : one.reason));
        }
    }
    return asked;
}

TEST(Registry, RunsOfElementWiseNodes) {
    const std::string x = "model \"m\"\n%x = Parameter : f32[1,3,8,8]\n";
    // From the planes of the input to the pixels that a convolution reads.
    EXPECT_THAT(asked_for(convolution("1,3,8,8", "16,3,3,3")).at("q"),
                ElementsAre("io_reorder: taken"));
    EXPECT_THAT(asked_for(x + "%a = ReLU(%x)\n%r = Result(%a)\n").at("a"),
                ElementsAre("io_reorder: what reads the result takes the layout of the source",
                            "eltwise: taken"));
    EXPECT_THAT(asked_for("model \"m\"\n%x = Parameter : f32[2,3]\n%a = ReLU(%x)\n"
                          "%r = Result(%a)\n")
                    .at("a"),
                ElementsAre("io_reorder: both layouts are one", "eltwise: taken"));
    // An activation of floats between planes and pixels.
    EXPECT_THAT(asked_for(x + "%a = Tanh(%x)\n%y = MaxPool.1(%a) strides=[2,2] kernel=[2,2] "
                              "pads_begin=[0,0] pads_end=[0,0]\n%r = Result(%y)\n")
                    .at("a"),
                ElementsAre("io_reorder: more than scales, shifts and one quantization",
                            "eltwise_io_reorder: taken"));
    EXPECT_THAT(asked_for(x + "%s = Const value={16,16} : i64[2]\n%f = Const value={1,1} : f32[2]\n"
                              "%d = Const value={2,3} : i64[2]\n%u = Interpolate.4(%x, %s, %f, %d) "
                              "shape_calculation_mode=sizes mode=linear_onnx\n%a = Tanh(%u)\n"
                              "%r = Result(%a)\n")
                    .at("u"),
                ElementsAre("resized_chain: taken"));
}

// What was asked is kept with the step, up to the candidate that took the layer.
TEST(Registry, StepsKnowWhoWasAsked) {
    Config config;
    const Transformed transformed = transform_for_cpu(
        *Model::from_text("model \"m\"\n%x = Parameter : f32[2,3,4]\n%y = LogSoftmax(%x) axis=1\n"
                          "%z = SoftMax(%y) axis=1\n%r = Result(%z)\n"),
        config);
    const Plan plan = make_plan(*transformed.model, transformed.ranges, build_options(config));
    std::map<std::string, std::vector<CandidateVerdict>> found;
    for (const auto& step : plan.steps) {
        found[step->info().name] = step->info().candidates;
    }
    ASSERT_THAT(found["z"], Not(IsEmpty()));
    EXPECT_EQ(found["z"].back().name, "softmax");
    EXPECT_EQ(found["z"].back().verdict, "taken");
    EXPECT_THAT(found["y"], IsEmpty()) << "no candidate is for a LogSoftmax";
}

}  // namespace
}  // namespace fuseq::cpu
