// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/profiler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "fuseq/error.hpp"
#include "support/small_model.hpp"

namespace fuseq::quantizer {
namespace {

using testing::HasSubstr;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

Profile profile_of(const char* text,
                   std::size_t count,
                   const CalibrationInputs& inputs,
                   std::size_t streams = 1) {
    Profile profile;
    profile.histogram_bins = 64;
    Profiler(*Model::from_text(text), "CPU", streams).run(profile, count, inputs, {});
    return profile;
}

TEST(Profiler, LeavesOutTheInfiniteValuesOfMasks) {
    const Profile profile =
        profile_of(R"(
        %x = Parameter : f32[1,4]
        %mask = Parameter : f32[1,4]
        %masked = Add(%x, %mask)
        %shares = SoftMax(%masked) axis=1
        %r = Result(%shares))",
                   1, [](std::size_t) {
                       return std::vector<Tensor>{Tensor::of<float>({1, 4}, {1, 2, 3, 4}),
                                                  Tensor::of<float>({1, 4}, {0, -kInfinity, 0, 0})};
                   });
    EXPECT_EQ(profile.tensors.at("masked").range.min, 1);
    EXPECT_EQ(profile.tensors.at("masked").range.max, 4);
    EXPECT_EQ(profile.tensors.at("mask").range.min, 0);
    EXPECT_EQ(profile.tensors.at("shares").range.min, 0);
}

TEST(Profiler, RefusesInfiniteValuesOfWhatBecomesIntegersAndOfOutputs) {
    const auto message = [](const char* text) {
        return test::message_of([&] {
            profile_of(text, 2, [](std::size_t i) {
                return std::vector<Tensor>{
                    Tensor::of<float>({1, 4}, {1, 2, i == 1 ? kInfinity : 3, 4})};
            });
        });
    };
    EXPECT_THAT(
        message(R"(
        %x = Parameter : f32[1,4]
        %w = Const value=fill(1) : f32[2,4]
        %fc = MatMul(%x, %w) transpose_a=false transpose_b=true
        %r = Result(%fc))"),
        testing::AllOf(HasSubstr("'x'"), HasSubstr("input 1: has the value inf at position 2")));
    // The product is infinite before the sum is NaN: the first one is named.
    EXPECT_THAT(message(R"(
        %x = Parameter : f32[1,4]
        %large = Const value=fill(3e38) : f32[1,4]
        %product = Multiply(%x, %large)
        %difference = Subtract(%product, %product)
        %r = Result(%difference))"),
                HasSubstr("'product'"));
    // A mask that is an output of the model as well.
    EXPECT_THAT(message(R"(
        %x = Parameter : f32[1,4]
        %n = Negative(%x)
        %shares = SoftMax(%n) axis=1
        %r = Result(%shares)
        %masked = Result(%n))"),
                testing::AllOf(HasSubstr("'n'"), HasSubstr("the value -inf")));
}

// Each input is a first one, whichever request ran others before it: the sum stays below 9.
TEST(Profiler, VariablesBeginAnewWithEachInput) {
    for (const std::size_t streams : {1, 2}) {
        const Profile profile = profile_of(
            R"(
        %x = Parameter : f32[1,1]
        %begin = Const value={1} : f32[1,1]
        %before = ReadValue.6(%begin) variable_id=v variable_type=f32 variable_shape=[1,1]
        %sum = Add(%x, %before)
        %after = Assign.6(%sum) variable_id=v
        %r = Result(%sum))",
            8,
            [](std::size_t i) {
                return std::vector<Tensor>{Tensor::of<float>({1, 1}, {static_cast<float>(i)})};
            },
            streams);
        EXPECT_EQ(profile.tensors.at("sum").range.max, 8);
        EXPECT_EQ(profile.tensors.at("before").range.max, 1);
    }
}

}  // namespace
}  // namespace fuseq::quantizer
