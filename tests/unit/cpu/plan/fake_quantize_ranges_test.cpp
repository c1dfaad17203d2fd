// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/fake_quantize_ranges.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace fuseq::cpu {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class FakeQuantizeRangesTest : public ::testing::Test {
protected:
    // Limits of the FakeQuantize layers of a model with %x, %lo and %hi.
    std::map<std::string, FakeQuantizeResult> ranges(const std::string& lines,
                                                     const std::string& limits = kOne) {
        model_ = Model::from_text("%x = Parameter : f32[1,2,4,4]\n" + limits + lines +
                                  "%r = Result(%fq)");
        return fake_quantize_ranges(*model_, PassOptions{});
    }

    static constexpr const char* kOne =
        "%lo = Const value={-1} : f32[]\n%hi = Const value={4.1} : f32[]\n";
    std::shared_ptr<Model> model_;
};

TEST_F(FakeQuantizeRangesTest, TheStepIsTheRangeOverTheLevelsLessOne) {
    const auto found = ranges("%fq = FakeQuantize(%x, %lo, %hi, %lo, %hi) levels=256\n");
    ASSERT_EQ(found.size(), 1U);
    const FakeQuantizeResult& fq = found.at("fq");
    EXPECT_THAT(fq.output_low, ElementsAre(-1));
    ASSERT_EQ(fq.step.size(), 1U);
    EXPECT_NEAR(fq.step[0], 5.1 / 255, 1e-9);
    EXPECT_EQ(fq.shape, (PartialShape{1, 2, 4, 4}));
    EXPECT_THAT(fq.pool, IsEmpty());
}

TEST_F(FakeQuantizeRangesTest, LimitsOfChannelsHaveTheirDimension) {
    const auto found = ranges("%fq = FakeQuantize(%x, %lo, %hi, %lo, %hi) levels=5\n",
                              "%lo = Const value={0} : f32[]\n"
                              "%hi = Const value={4,8} : f32[2,1,1]\n");
    const FakeQuantizeResult& fq = found.at("fq");
    EXPECT_EQ(fq.axis, 1U);
    EXPECT_THAT(fq.step, ElementsAre(1, 2));
    EXPECT_THAT(fq.output_low, ElementsAre(0, 0));
}

TEST_F(FakeQuantizeRangesTest, LeavesOutWhatIsNoListOfOneDimension) {
    EXPECT_THAT(ranges("%fq = FakeQuantize(%x, %lo, %hi, %lo, %hi) levels=5\n",
                       "%lo = Const value={0} : f32[]\n%hi = Const value=fill(4) : f32[2,4,1]\n"),
                IsEmpty());
    EXPECT_THAT(ranges("%fq = FakeQuantize(%x, %lo, %hi, %lo, %hi) levels=5\n",
                       "%lo = Const value={0} : f32[]\n%hi = Parameter : f32[]\n"),
                IsEmpty());
}

TEST_F(FakeQuantizeRangesTest, KnowsThePoolingBeforeIt) {
    const auto found = ranges(
        "%pool = MaxPool(%x) kernel=[2,2] strides=[2,2]\n%relu = ReLU(%pool)\n"
        "%fq = FakeQuantize(%relu, %lo, %hi, %lo, %hi) levels=256\n");
    EXPECT_EQ(found.at("fq").pool, "pool");
}

TEST_F(FakeQuantizeRangesTest, ASecondLayerOfTheSameTensorAndLimitsIsATwin) {
    const auto found = ranges(
        "%fq = FakeQuantize(%x, %lo, %hi, %lo, %hi) levels=256\n"
        "%same = FakeQuantize(%x, %lo, %hi, %lo, %hi) levels=256\n"
        "%other = FakeQuantize(%x, %lo, %hi, %lo, %hi) levels=255\n"
        "%r2 = Result(%same)\n%r3 = Result(%other)\n");
    EXPECT_THAT(found.at("fq").twins, ElementsAre("same"));
    EXPECT_THAT(found.at("other").twins, IsEmpty());
}

// %q is what a pass made: the quantization, moved before the pooling.
TEST_F(FakeQuantizeRangesTest, AResultAfterAPoolingIsThatOfThePooling) {
    model_ = Model::from_text(R"(
        %x = Parameter : f32[1,2,4,4]
        %q = ReLU(%x)
        %pool = MaxPool(%q) kernel=[2,2] strides=[2,2]
        %r = Result(%pool))");
    FakeQuantizeResult fq;
    fq.pool = "pool";
    EXPECT_FALSE(holds_result(model_->find("q")->output(), fq));
    EXPECT_TRUE(holds_result(model_->find("pool")->output(), fq));
    fq.pool = "";
    EXPECT_TRUE(holds_result(model_->find("q")->output(), fq));
    EXPECT_FALSE(holds_result(model_->find("pool")->output(), fq));
}

}  // namespace
}  // namespace fuseq::cpu
