// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/compile/plan_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cpu/compile/make_plan.hpp"
#include "cpu/compile/transformed.hpp"
#include "cpu/kernels/gemm/gemm_vnni.hpp"
#include "support/quantized_convolution_text.hpp"
#include "transformations/support/anchor_zero_points.hpp"

namespace fuseq::cpu {
namespace {

BuildOptions options_with(const char* name, const char* value) {
    Config config;
    config.set(name, value);
    return build_options(config);
}

// Each property changes what it is for, and not what another one is for.
TEST(BuildOptions, FollowTheProperties) {
    const auto as_text = [](const BuildOptions& o) {
        std::string text;
        for (const bool flag : {o.fuse, o.own_gemm, o.tile_groups, o.drop_middle_rounds,
                                o.dump_intermediates, o.release_weights}) {
            text += flag ? '1' : '0';
        }
        return text;
    };
    EXPECT_EQ(as_text(build_options(Config())), "111000");
    EXPECT_EQ(as_text(options_with("FUSEQ_FUSION", "NO")), "011000");
    EXPECT_EQ(as_text(options_with("FUSEQ_OWN_GEMM", "NO")), "101000");
    EXPECT_EQ(as_text(options_with("FUSEQ_TILE_GROUPS", "NO")), "110000");
    EXPECT_EQ(as_text(options_with("FUSEQ_DISABLE", "tile_groups")), "110000");
    EXPECT_EQ(as_text(options_with("FUSEQ_DISABLE", "concat_slices")), "111000");
    EXPECT_THAT(options_with("FUSEQ_DISABLE", "concat_slices").disabled_passes,
                ::testing::ElementsAre("concat_slices"));
    EXPECT_EQ(options_with("FUSEQ_DUMP_DIR", "/tmp/d").dump_dir, "/tmp/d");
    EXPECT_EQ(as_text(options_with("FUSEQ_DROP_MIDDLE_ROUNDS", "YES")), "111100");
    EXPECT_EQ(as_text(options_with("FUSEQ_KEEP_INTERMEDIATES", "YES")), "111010");
    EXPECT_EQ(options_with("FUSEQ_COMPILE_THREADS", "7").threads, 7u);
    EXPECT_EQ(build_options(Config()).packed, nullptr);
}

// A convolution with a quantized sigmoid after it and a fused tile group: a bit of all.
std::shared_ptr<Model> network() {
    return Model::from_text(
        "model \"m\"\n%x = Parameter : f32[1,16,30,30]\n" + testing::quantized("x") +
        testing::quantized_convolution("q", "32,16,3,3", "1") +
        "%r1 = ReLU(%c)\n%z = Const value={0} : f32[]\n%b = Const value={4} : f32[]\n"
        "%p = FakeQuantize(%r1, %z, %b, %z, %b) levels=256\n"
        "%w2 = Const value=random(6,-127,127) : i8[16,32,1,1]\n"
        "%f2 = Convert(%w2) destination_type=f32\n%v2 = Multiply(%f2, %s)\n"
        "%c2 = Convolution(%p, %v2) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]\n"
        "%g = Sigmoid(%c2)\n%o = Result(%g)\n");
}

Plan plan_of(const Config& config) {
    const Transformed made = transform_for_cpu(*network(), config);
    // Steps refer to the model.
    static std::vector<std::shared_ptr<Model>> kept;
    kept.push_back(made.model);
    static std::vector<std::shared_ptr<std::map<std::string, FakeQuantizeResult>>> ranges;
    ranges.push_back(std::make_shared<std::map<std::string, FakeQuantizeResult>>(made.ranges));
    return make_plan(*made.model, *ranges.back(), build_options(config));
}

std::vector<std::string> kinds_of(const Plan& plan) {
    std::vector<std::string> kinds;
    for (const auto& step : plan.steps) {
        kinds.push_back(step->info().kind);
    }
    return kinds;
}

Config with(const char* name, const char* value) {
    Config config;
    config.set(name, value);
    return config;
}

bool uses_own_gemm(const Plan& plan) {
    return std::any_of(plan.steps.begin(), plan.steps.end(), [](const auto& step) {
        return step->info().implementation.starts_with(kOwnGemm);
    });
}

TEST(BuildOptions, DecideThePlan) {
    const Plan usual = plan_of(Config());
    EXPECT_TRUE(uses_own_gemm(usual));
    EXPECT_FALSE(uses_own_gemm(plan_of(with("FUSEQ_OWN_GEMM", "NO"))));
    EXPECT_FALSE(usual.tile_groups.empty());
    EXPECT_TRUE(plan_of(with("FUSEQ_TILE_GROUPS", "NO")).tile_groups.empty());
    EXPECT_TRUE(plan_of(with("FUSEQ_DISABLE", "tile_groups")).tile_groups.empty());
    EXPECT_GT(plan_of(with("FUSEQ_FUSION", "NO")).steps.size(), usual.steps.size());
    EXPECT_THAT(kinds_of(usual), ::testing::Not(::testing::Contains("dump")));
}

// The same steps for any number of threads that make them.
TEST(BuildOptions, ThreadsThatCompileChangeNothing) {
    const auto text = [](const Plan& plan) {
        std::string all;
        for (const auto& step : plan.steps) {
            all += step->info().name + " " + step->info().implementation + " " +
                   step->info().post_ops + "\n";
        }
        return all;
    };
    EXPECT_EQ(text(plan_of(with("FUSEQ_COMPILE_THREADS", "1"))),
              text(plan_of(with("FUSEQ_COMPILE_THREADS", "4"))));
}

// Zero points of weights go into an operand where the plugin's kernel takes them, and only then.
TEST(TransformForCpu, LeavesZeroPointsOfWeightsOnlyToTheKernelThatTakesThem) {
    const char* const text = R"(model "m"
        %x = Parameter : u8[1,6]
        %w = Const value=random(3,-127,127) : i8[6,4]
        %z = Const value={0} : i32[]
        %k = Const value={0.5,-1,0,9} : f32[4]
        %y = MatMul(%x, %w, %z, %k)
        %r = Result(%y))";
    const auto zero_points_of_product = [&](const char* own) {
        const Transformed made =
            transform_for_cpu(*Model::from_text(text), with("FUSEQ_OWN_GEMM", own));
        return wei_zero_points(*made.model->find("y")).size();
    };
    EXPECT_EQ(zero_points_of_product("YES"), 4u);
    EXPECT_EQ(zero_points_of_product("NO"), 0u);
}

// Bodies are planned as the model is, but write no files and measure nothing.
TEST(BuildOptions, BodiesAreCompiledWithTheSameProperties) {
    Config config;
    config.set("CACHE_DIR", "/nonexistent/fuseq");
    const BuildOptions options = build_options(config);
    const auto body = Model::from_text(R"(model "body"
        %x = Parameter : f32[3]
        %r = ReLU(%x)
        %o = Result(%r))");
    const auto compiled = options.compile_body(*body);
    ASSERT_TRUE(compiled);
    const std::vector<Tensor> inputs{Tensor::of<float>({3}, {-1, 0, 2})};
    const std::vector<Tensor> outputs = compiled->bind()(inputs);
    ASSERT_EQ(outputs.size(), 1u);
    EXPECT_THAT(to_floats(outputs[0]), ::testing::ElementsAre(0, 0, 2));
    const auto open = Model::from_text(R"(model "body"
        %x = Parameter : f32[?]
        %r = ReLU(%x)
        %o = Result(%r))");
    EXPECT_FALSE(options.compile_body(*open));
}

}  // namespace
}  // namespace fuseq::cpu
