// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/graph_hash.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fuseq::quantizer {
namespace {

using testing::HasSubstr;

constexpr const char* kText = R"(
    %x = Parameter : f32[1,3,8,8]
    %w = Const value=random(1) : f32[4,3,1,1]
    %conv = Convolution(%x, %w) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
    %relu = ReLU(%conv)
    %tanh = Tanh(%conv)
    %r0 = Result(%relu)
    %r1 = Result(%tanh))";

// The text with one part replaced.
GraphHash hash_with(const std::string& from = "", const std::string& to = "") {
    std::string text = kText;
    if (!from.empty()) {
        text.replace(text.find(from), from.size(), to);
    }
    return hash_graph(*Model::from_text(text));
}

TEST(GraphHash, IsTheSameForAnotherBatchAndOrder) {
    const GraphHash hash = hash_with();
    EXPECT_EQ(hash.value, hash_with("f32[1,3,8,8]", "f32[5,3,16,16]").value);
    const std::string two = "%relu = ReLU(%conv)\n    %tanh = Tanh(%conv)";
    const GraphHash other = hash_with(two, "%tanh = Tanh(%conv)\n    %relu = ReLU(%conv)");
    EXPECT_EQ(hash.value, other.value);
    EXPECT_EQ(first_difference(hash, other), "");
}

TEST(GraphHash, NamesTheFirstLayerThatDiffers) {
    const GraphHash hash = hash_with();
    const auto difference = [&](const char* from, const char* to) {
        return first_difference(hash, hash_with(from, to));
    };
    const char* changed = "its layer 'conv' has another operation";
    EXPECT_THAT(difference("random(1)", "random(2)"), HasSubstr(changed));
    EXPECT_THAT(difference("pads_end=[0,0]", "pads_end=[1,1]"), HasSubstr(changed));
    EXPECT_THAT(difference("Tanh(%conv)", "Tanh(%relu)"), HasSubstr("its layer 'tanh'"));
    EXPECT_THAT(difference("ReLU(%conv)", "Abs(%conv)"), HasSubstr("its layer 'relu'"));
    EXPECT_THAT(difference("\n    %r1 = Result(%tanh)", ""), HasSubstr("no layer 'r1'"));
    EXPECT_THAT(difference("%r1 = Result(%tanh)", "%r1 = Result(%tanh)\n    %r2 = Result(%x)"),
                HasSubstr("one more layer, 'r2'"));
}

}  // namespace
}  // namespace fuseq::quantizer
