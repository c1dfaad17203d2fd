// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/io_reorder.hpp"

#include <gtest/gtest.h>

#include "fuseq/fuseq.hpp"
#include "support/quantized_convolution_text.hpp"

namespace fuseq::cpu {
namespace {

using post_ops::Chain;
using post_ops::Clip;
using post_ops::Scale;
using post_ops::Shift;

TEST(MatchIoReorder, TakesAScaleAndAShift) {
    const auto both = match_io_reorder(
        Chain{{Scale{2.0f}, Shift{std::vector<float>{1.0f, 3.0f}}}, ElementType::u8}, 2);
    ASSERT_TRUE(both.has_value());
    EXPECT_EQ(both->scale, (std::vector<float>{2, 2}));
    EXPECT_EQ(both->shift, (std::vector<float>{1, 3}));
    const auto none = match_io_reorder(Chain{{}, ElementType::i8}, 2);
    ASSERT_TRUE(none.has_value());
    EXPECT_TRUE(none->scale.empty() && none->shift.empty());
}

TEST(MatchIoReorder, TakesAQuantizationOnTheWay) {
    using post_ops::Round;
    const auto whole = match_io_reorder(Chain{{Scale{2.0f}, Round{}, Clip{0.0f, 255.0f},
                                               Scale{0.5f}, Shift{std::vector<float>{1.0f, 3.0f}}},
                                              ElementType::u8},
                                        2);
    ASSERT_TRUE(whole.has_value() && whole->levels.has_value());
    EXPECT_EQ(whole->scale, (std::vector<float>{2, 2}));
    EXPECT_EQ(whole->levels->high, 255.0f);
    EXPECT_EQ(whole->levels->scale, (std::vector<float>{0.5f, 0.5f}));
    EXPECT_EQ(whole->levels->shift, (std::vector<float>{1, 3}));
    EXPECT_FALSE(match_io_reorder(Chain{{Round{}}, ElementType::u8}, 2));
    EXPECT_FALSE(match_io_reorder(
        Chain{{Round{}, Clip{std::vector<float>{0.0f, 1.0f}, 255.0f}}, ElementType::u8}, 2));
    EXPECT_FALSE(match_io_reorder(
        Chain{{Round{}, Clip{0.0f, 255.0f}, Round{}, Clip{0.0f, 9.0f}}, ElementType::u8}, 2));
}

TEST(MatchIoReorder, TakesAClipOfIntegers) {
    const auto clipped =
        match_io_reorder(Chain{{Scale{2.0f}, Clip{0.0f, 6.0f}}, ElementType::u8}, 2);
    ASSERT_TRUE(clipped.has_value() && clipped->levels.has_value());
    EXPECT_EQ(clipped->levels->low, 0.0f);
    EXPECT_EQ(clipped->levels->high, 6.0f);
    EXPECT_TRUE(clipped->levels->scale.empty() && clipped->levels->shift.empty());
}

TEST(MatchIoReorder, LeavesEverythingElseToOthers) {
    EXPECT_FALSE(match_io_reorder(Chain{{Scale{2.0f}, Clip{0.0f, 6.5f}}, ElementType::u8}, 2));
    EXPECT_FALSE(match_io_reorder(Chain{{Scale{2.0f}, Clip{0.0f, 6.0f}}, ElementType::f32}, 2));
    EXPECT_FALSE(
        match_io_reorder(Chain{{Scale{2.0f}, Clip{0.0f, 6.0f}, Scale{2.0f}}, ElementType::u8}, 2));
    EXPECT_FALSE(match_io_reorder(Chain{{Shift{1.0f}, Scale{2.0f}}, ElementType::u8}, 2));
}

// An input that is quantized for a convolution, with scale, mean and zero point.
std::string model(const char* size) {
    return std::string(R"(model "border"
    %x = Parameter : f32[)") +
           size + R"(]
    %k = Const value={0.5,0.25,2} : f32[1,3,1,1]
    %m = Multiply(%x, %k)
    %b = Const value={-1,2,0.5} : f32[1,3,1,1]
    %a = Add(%m, %b)
)" + testing::quantized("a") +
           testing::quantized_convolution("q", "12,3,3,3", "1") + R"(
    %out = Result(%c))";
}

TEST(IoReorderStep, QuantizesAndTransposesInOnePass) {
    Core core;
    for (const char* size : {"1,3,7,5", "2,3,33,65", "1,3,1,9"}) {
        const auto network = Model::from_text(model(size));
        CompiledModel cpu = core.compile_model(network, "CPU");
        CompiledModel reference = core.compile_model(network, "REFERENCE");
        const std::string report = cpu.get_property(property::kReport).as_string();
        EXPECT_NE(report.find("\"io_reorder\""), std::string::npos) << report;
        EXPECT_NE(report.find("\"reorders\": 1"), std::string::npos) << "the one after it";
        InferRequest a = cpu.create_infer_request();
        InferRequest b = reference.create_infer_request();
        Tensor input(ElementType::f32, network->input().shape());
        for (std::size_t i = 0; i < input.get_size(); ++i) {
            input.data<float>()[i] = static_cast<float>(static_cast<int>(i * 29 % 200) - 100) / 32;
        }
        a.set_input_tensor(0, input);
        b.set_input_tensor(0, input);
        a.infer();
        b.infer();
        const auto got = to_floats(a.get_output_tensor(0));
        const auto expected = to_floats(b.get_output_tensor(0));
        ASSERT_EQ(got.size(), expected.size());
        for (std::size_t i = 0; i < got.size(); ++i) {
            EXPECT_NEAR(got[i], expected[i], 1e-4f * (1 + std::abs(expected[i]))) << size;
        }
    }
}

}  // namespace
}  // namespace fuseq::cpu
