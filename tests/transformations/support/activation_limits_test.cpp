// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/activation_limits.hpp"

#include <gtest/gtest.h>

namespace fuseq::testing {
namespace {

// An FQ of 256 levels of a tensor of two channels with four lists of limits.
class ActivationLimitsTest : public ::testing::Test {
protected:
    std::string read(const std::string& il,
                     const std::string& ih,
                     const std::string& ol,
                     const std::string& oh,
                     const std::string& shape = "1,2,1,1") {
        const auto constant = [&](const char* name, const std::string& values) {
            const bool list = values.find(',') != std::string::npos;
            return "%" + std::string(name) + " = Const value={" + values + "} : f32[" +
                   (list ? shape : "") + "]\n";
        };
        return read("model \"m\"\n%x = Parameter : f32[1,2,3,2]\n" + constant("il", il) +
                    constant("ih", ih) + constant("ol", ol) + constant("oh", oh) +
                    "%fq = FakeQuantize(%x, %il, %ih, %ol, %oh) levels=256\n%r = Result(%fq)");
    }
    // The code of the refusal; empty when there is none.
    std::string read(const std::string& text) {
        model_ = Model::from_text(text);
        const auto refusal = read_activation_integers(*model_->find("fq"), integers_);
        return refusal ? refusal->code : "";
    }

    std::shared_ptr<Model> model_;
    ActivationIntegers integers_;
};

TEST_F(ActivationLimitsTest, GiveScaleAndZeroPoint) {
    ASSERT_EQ(read("-1", "1", "-51,0", "76.5,127.5"), "");
    EXPECT_EQ(integers_.scale, ChannelValues(0.5f));
    EXPECT_EQ(integers_.zero, (std::vector<double>{102, 0}));
    EXPECT_EQ(integers_.dead, (std::vector<bool>{false, false}));
    EXPECT_EQ(integers_.il, ChannelValues(-1.0f));
    EXPECT_EQ(integers_.zero_points(256, 0), (std::vector<float>{102, 0}));
    EXPECT_EQ(integers_.zero_points(256, -128), (std::vector<float>{-26, -128}));
}

TEST_F(ActivationLimitsTest, ZeroPointsCloserToWholeThanNoiseAreWhole) {
    integers_.zero = {10.00005, 10.0002, 7.5};
    integers_.dead = {false, false, true};
    const std::vector<float> zero_points = integers_.zero_points(256, 0);
    EXPECT_EQ(zero_points[0], 10.0f);
    EXPECT_EQ(zero_points[1], 10.0002f);
    EXPECT_EQ(zero_points[2], 0.0f);  // of a dead channel
}

TEST_F(ActivationLimitsTest, ChannelsThatAreAlwaysZeroAreDead) {
    ASSERT_EQ(read("0,3", "1,3", "0,0", "255,0"), "");
    EXPECT_EQ(integers_.dead, (std::vector<bool>{false, true}));
    EXPECT_EQ(integers_.scale[0], 1.0f);
}

TEST_F(ActivationLimitsTest, RefuseWhatGivesNoIntegers) {
    EXPECT_EQ(read("0", "1", "2", "2"), "degenerate_output_range");
    EXPECT_EQ(read("0,0", "1,1", "0,3", "1,3"), "degenerate_output_range");
    EXPECT_EQ(read("0", "1", "0", "0"), "degenerate_output_range");
    EXPECT_EQ(read("1", "1", "0", "1"), "degenerate_input_range");
    EXPECT_EQ(read("2", "1", "0", "1"), "inverted_input_range");
    EXPECT_EQ(read("0", "inf", "0", "1"), "limits_not_finite");
    EXPECT_EQ(read("0,1", "2", "0", "1", "1,1,1,2"), "limits_not_per_channel");
}

TEST_F(ActivationLimitsTest, RefuseLimitsThatAreComputed) {
    EXPECT_EQ(read(R"(model "m"
        %x = Parameter : f32[1,2,3,2]
        %il = Parameter : f32[]
        %one = Const value={1} : f32[]
        %fq = FakeQuantize(%x, %il, %one, %il, %one) levels=256
        %r = Result(%fq))"),
              "limits_not_constant");
}

}  // namespace
}  // namespace fuseq::testing
