// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The chain after a deconvolution of stride 2 x 2 to two channels of 2 x 4 pixels.
#include "cpu/lowering/subpixel_chain.hpp"

#include <gtest/gtest.h>

namespace fuseq::cpu {
namespace {

using post_ops::Binary;
using post_ops::Chain;
using post_ops::Scale;
using post_ops::Shift;

constexpr const char* kRepeated =
    "%t = Const value={1,2,1,2, 3,4,3,4, 5,6,5,6, 7,8,7,8} : f32[1,2,2,4]\n%r = Result(%t)\n";

struct Case {
    std::shared_ptr<Model> model;
    Group group;
    GemmProblem problem;

    explicit Case(const char* text) : model(Model::from_text(text)) {
        problem.kind = post_ops::AnchorKind::kDeconvolution;
        problem.shape = {.dst_channels = 2,
                         .dst_height = 2,
                         .dst_width = 4,
                         .stride_height = 2,
                         .stride_width = 2};
        group.binary_sources = {model->find("t")->output()};
        group.chain.ops = {Scale{{{2.0f, 3.0f}}}, Binary{}};
        group.chain.dst_type = ElementType::u8;
    }
    std::optional<Chain> chain() const { return subpixel_chain(group, problem); }
};

TEST(SubpixelChain, AConstantThatRepeatsIsAValueASubpixelAndChannel) {
    const Chain expected{
        .ops = {Scale{{{2, 3, 2, 3, 2, 3, 2, 3}}}, Shift{{{1, 5, 2, 6, 3, 7, 4, 8}}}},
        .dst_type = ElementType::u8};
    EXPECT_EQ(Case(kRepeated).chain(), expected);
}

TEST(SubpixelChain, TheConstantIsReadAsTheOperationReadsIt) {
    Case c(kRepeated);
    c.group.chain.ops = {Binary{.scale = 0.5f, .zero_point = 1.0f}};
    const Chain expected{.ops = {Shift{{{0, 2, 0.5f, 2.5f, 1, 3, 1.5f, 3.5f}}}},
                         .dst_type = ElementType::u8};
    EXPECT_EQ(c.chain(), expected);
}

TEST(SubpixelChain, OthersStayTensors) {
    // The last pixel differs.
    EXPECT_EQ(Case("%t = Const value={1,2,1,2, 3,4,3,4, 5,6,5,6, 7,8,7,9} : f32[1,2,2,4]\n"
                   "%r = Result(%t)\n")
                  .chain(),
              std::nullopt);
    EXPECT_EQ(Case("%t = Parameter : f32[1,2,2,4]\n%r = Result(%t)\n").chain(), std::nullopt);
    Case product(kRepeated);
    product.group.chain.ops = {Binary{.kind = post_ops::BinaryKind::kMul}};
    EXPECT_EQ(product.chain(), std::nullopt);
    Case batch(kRepeated);  // of which the constant is one image
    batch.problem.shape.batch = 2;
    EXPECT_EQ(batch.chain(), std::nullopt);
}

}  // namespace
}  // namespace fuseq::cpu
