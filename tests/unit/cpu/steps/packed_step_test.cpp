// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/packed_step.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "cpu/compile/make_plan.hpp"
#include "cpu/compile/plan_options.hpp"
#include "cpu/compile/transformed.hpp"
#include "cpu/plan/packed_table.hpp"
#include "support/quantized_convolution_text.hpp"

namespace fuseq::cpu {
namespace {

// Three convolutions of one shape, by oneDNN.
class StoredWeights : public ::testing::Test {
protected:
    StoredWeights() {
        config_.set("FUSEQ_OWN_GEMM", "NO");
        const auto model = Model::from_text(
            "model \"m\"\n%x = Parameter : f32[1,64,20,20]\n" + fuseq::testing::quantized("x") +
            "%i1 = Const value=random(1,-127,127) : i8[64,64,3,3]\n" + convolution("1", "q") +
            "%i2 = Const value=random(2,-127,127) : i8[64,64,3,3]\n" + convolution("2", "q") +
            "%i3 = Const value=random(3,-127,127) : i8[64,64,3,3]\n" + convolution("3", "q"));
        transformed_ = transform_for_cpu(*model, config_);
    }

    static std::string convolution(const std::string& number, const std::string& source) {
        return "%k" + number + " = Const value={0.01} : f32[1,1,1,1]\n%f" + number +
               " = Convert(%i" + number + ") destination_type=f32\n%w" + number + " = Multiply(%f" +
               number + ", %k" + number + ")\n%c" + number + " = Convolution(%" + source + ", %w" +
               number + ") strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]\n%r" +
               number + " = Result(%c" + number + ")\n";
    }

    Plan plan(const PackedTable* stored) const {
        BuildOptions options = build_options(config_);
        options.packed = stored;
        return make_plan(*transformed_.model, transformed_.ranges, options);
    }

    static std::vector<const void*> places(const PackedTable& table) {
        std::vector<const void*> all;
        for (const PackedWeights& packed : table) {
            all.push_back(packed.bytes.data());
        }
        return all;
    }

    Config config_;
    Transformed transformed_;
};

// A plan that is made of a stored model may have its steps in another order.
TEST_F(StoredWeights, AreThoseOfTheStepOfTheirName) {
    const Plan made = plan(nullptr);
    const PackedTable table = packed_table(made);
    ASSERT_EQ(table.size(), 3u);
    const Plan same = plan(&table);
    EXPECT_EQ(places(packed_table(same)), places(table));

    PackedTable turned = table;
    std::reverse(turned.begin(), turned.end());
    const Plan other = plan(&turned);
    EXPECT_EQ(places(packed_table(other)), places(table));
}

// Weights of another step, though of the same shape, are never taken.
TEST_F(StoredWeights, ThatAreNotThereArePackedAnew) {
    const Plan made = plan(nullptr);
    const PackedTable table = packed_table(made);
    ASSERT_EQ(table.size(), 3u);
    const PackedTable two(table.begin() + 1, table.end());
    const Plan other = plan(&two);
    const PackedTable again = packed_table(other);
    ASSERT_EQ(again.size(), 3u);
    EXPECT_NE(again[0].bytes.data(), table[0].bytes.data());
    const std::size_t size = table[0].bytes.get_byte_size();
    ASSERT_EQ(again[0].bytes.get_byte_size(), size);
    EXPECT_EQ(std::memcmp(again[0].bytes.data(), table[0].bytes.data(), size), 0);
    EXPECT_EQ(again[1].bytes.data(), table[1].bytes.data());
    EXPECT_EQ(again[2].bytes.data(), table[2].bytes.data());
}

// Which steps end the team of threads of the steps around them: those that other threads can help.
std::vector<bool> starts_regions(const std::string& text) {
    Config config;
    config.set("FUSEQ_OWN_GEMM", "NO");
    const auto model = Model::from_text(text);
    Transformed transformed = transform_for_cpu(*model, config);
    const Plan plan = make_plan(*transformed.model, transformed.ranges, build_options(config));
    std::vector<bool> all;
    for (const auto& step : plan.steps) {
        if (step->info().kind == "convolution" || step->info().kind == "matmul") {
            all.push_back(step->starts_regions());
        }
    }
    return all;
}

TEST(SmallPrimitives, ConvolutionsOfFewProductsStayOnOneThread) {
    // 256 * 512 products, and twice as many.
    EXPECT_EQ(starts_regions("model \"m\"\n%x = Parameter : f32[1,256,1,1]\n"
                             "%w = Const value=random(1,-1,1) : f32[512,256,1,1]\n"
                             "%v = Const value=random(2,-1,1) : f32[512,512,1,1]\n"
                             "%a = Convolution(%x, %w) strides=[1,1] dilations=[1,1] "
                             "pads_begin=[0,0] pads_end=[0,0]\n"
                             "%b = Convolution(%a, %v) strides=[1,1] dilations=[1,1] "
                             "pads_begin=[0,0] pads_end=[0,0]\n%r = Result(%b)\n"),
              (std::vector<bool>{false, true}));
}

TEST(SmallPrimitives, MatrixProductsOfFewProductsStayOnOneThread) {
    EXPECT_EQ(starts_regions("model \"m\"\n%x = Parameter : f32[8,32,32]\n"
                             "%y = Parameter : f32[8,32,16]\n%z = Parameter : f32[8,16,64]\n"
                             "%a = MatMul(%x, %y) transpose_a=false transpose_b=false\n"
                             "%b = MatMul(%a, %z) transpose_a=false transpose_b=false\n"
                             "%r = Result(%b)\n"),
              (std::vector<bool>{false, true}));
}

}  // namespace
}  // namespace fuseq::cpu
