// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/choices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantizer/judge.hpp"

namespace fuseq::quantizer {
namespace {

using testing::UnorderedElementsAre;

std::vector<std::string> chosen_of(const Model& model) {
    std::vector<std::string> names;
    for (const Node* node : after_choices(model)) {
        names.push_back(node->name());
    }
    return names;
}

// A list of boxes as detectors make it: the best of what one product says, of another one.
constexpr const char* kDetector = R"(model "m"
    %x = Parameter : f32[1,100]
    %w = Const value=random(1) : f32[100,200]
    %scores = MatMul(%x, %w) transpose_a=false transpose_b=false
    %boxes = MatMul(%x, %w) transpose_a=false transpose_b=false
    %k = Const value={70} : i64[]
    %best = TopK(%scores, %k) axis=1 mode=max sort=value index_element_type=i64
    %axis = Const value={1} : i64[]
    %taken = Gather(%boxes, %best:1, %axis) batch_dims=0
    %clipped = ReLU(%taken)
    %r = Result(%clipped))";

TEST(Choices, AllThatComesAfterAChoice) {
    EXPECT_THAT(chosen_of(*Model::from_text(kDetector)),
                UnorderedElementsAre("best", "taken", "clipped", "r"));
}

TEST(Choices, AreJudgedByWhatGoesIntoThem) {
    std::vector<std::string> compared;
    for (const ComparedInput& input : compared_inputs(*Model::from_text(kDetector))) {
        compared.push_back(detail::cat(input.layer, ':', input.index));
    }
    EXPECT_THAT(compared, UnorderedElementsAre("taken:0", "best:0"));
}

// The same in the float and in the quantized model: what comes after it can be compared.
TEST(Choices, OfInputsAloneDoNotCount) {
    EXPECT_TRUE(chosen_of(*Model::from_text(R"(model "m"
        %x = Parameter : f32[1,100]
        %k = Const value={70} : i64[]
        %best = TopK(%x, %k) axis=1 mode=max sort=value index_element_type=i64
        %w = Const value=random(1) : f32[70,80]
        %y = MatMul(%best:0, %w) transpose_a=false transpose_b=false
        %r = Result(%y))"))
                    .empty());
}

}  // namespace
}  // namespace fuseq::quantizer
