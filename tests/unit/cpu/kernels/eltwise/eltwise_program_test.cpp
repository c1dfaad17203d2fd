// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/eltwise/eltwise_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuseq/error.hpp"

namespace fuseq::kernels {
namespace {

using post_ops::Binary;
using post_ops::BinaryKind;
using post_ops::Chain;
using post_ops::Clip;
using post_ops::Eltwise;
using post_ops::EltwiseKind;
using post_ops::Prelu;
using post_ops::Round;
using post_ops::Scale;
using post_ops::Shift;
using post_ops::Values;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using Kind = ProgramOp::Kind;

constexpr auto kRows = EltwiseLayout::kRows;
constexpr auto kPlanes = EltwiseLayout::kPlanes;

EltwiseProgram program(std::vector<post_ops::BasicOp> ops,
                       std::size_t channels = 3,
                       EltwiseLayout layout = kRows) {
    return make_chain_program({std::move(ops), ElementType::u8}, ElementType::f32, channels,
                              layout);
}

std::vector<Kind> kinds(const EltwiseProgram& of) {
    std::vector<Kind> out;
    for (const ProgramOp& op : of.ops) {
        out.push_back(op.kind);
    }
    return out;
}

TEST(EltwiseProgram, JoinsAScaleWithTheShiftAfterIt) {
    const EltwiseProgram p = program({Scale{2.0f}, Shift{3.0f}});
    ASSERT_THAT(kinds(p), ElementsAre(Kind::kAffine));
    EXPECT_EQ(p.ops[0].a.values[0], 2.0f);
    EXPECT_EQ(p.ops[0].b.values[0], 3.0f);
    // (x + 3) * 2 is something else, and a second shift would be a third rounding.
    EXPECT_THAT(kinds(program({Shift{3.0f}, Scale{2.0f}})),
                ElementsAre(Kind::kShift, Kind::kScale));
    EXPECT_THAT(kinds(program({Scale{2.0f}, Shift{3.0f}, Shift{4.0f}})),
                ElementsAre(Kind::kAffine, Kind::kShift));
}

TEST(EltwiseProgram, KnowsAnEluOfWhichBytesRemain) {
    const Eltwise elu{EltwiseKind::kElu, 0.7f, 0.0f, 3.0f};
    const EltwiseProgram p = program({elu, Shift{3.0f}});
    ASSERT_THAT(kinds(p), ElementsAre(Kind::kEltwise, Kind::kShift));
    EXPECT_TRUE(p.ops[0].is_coarse_elu);
    EXPECT_EQ(p.ops[0].a.values[0], 0.7f);
    EXPECT_EQ(p.ops[0].b.values[0], 3.0f);
    const EltwiseProgram floats =
        make_chain_program({{elu}, ElementType::f32}, ElementType::f32, 3, kRows);
    EXPECT_THAT(kinds(floats), ElementsAre(Kind::kEltwise));
    EXPECT_FALSE(floats.ops[0].is_coarse_elu);
}

TEST(EltwiseProgram, JoinsARoundWithTheClipAfterIt) {
    const EltwiseProgram p = program({Round{}, Clip{-1.0f, 6.0f}});
    ASSERT_THAT(kinds(p), ElementsAre(Kind::kRoundClip));
    EXPECT_EQ(p.ops[0].a.values[0], -1.0f);
    EXPECT_EQ(p.ops[0].b.values[0], 6.0f);
    const EltwiseProgram other = program({Clip{-1.0f, 6.0f}, Round{}, Round{}});
    EXPECT_THAT(kinds(other), ElementsAre(Kind::kClip, Kind::kRound, Kind::kRound));
    EXPECT_EQ(other.ops[0].a.values[0], -1.0f);
    EXPECT_EQ(other.ops[0].b.values[0], 6.0f);
}

// 341 rows of 3 channels are worked on at once: 1023 elements, the most that fit in 1024.
TEST(EltwiseProgram, ConstantsOfRowsAreRepeated) {
    const EltwiseProgram p = program({Scale{Values({1.0f, 2.0f, 4.0f})}, Shift{0.5f}});
    EXPECT_EQ(p.repeated_row, 1023u);
    EXPECT_TRUE(p.per_channel);
    const EltwiseParameter& a = p.ops[0].a;
    EXPECT_TRUE(a.per_channel);
    ASSERT_EQ(a.values.size(), 1023 + kChainPadding);
    for (std::size_t i = 0; i < 1023; i += 3) {
        ASSERT_THAT(std::vector<float>(&a.values[i], &a.values[i] + 3),
                    ElementsAre(1.0f, 2.0f, 4.0f));
    }
    EXPECT_THAT(std::vector<float>(a.values.begin() + 1023, a.values.end()), Each(0.0f));
    const EltwiseParameter& b = p.ops[0].b;
    EXPECT_FALSE(b.per_channel);
    ASSERT_EQ(b.values.size(), 1 + kChainPadding);
    EXPECT_EQ(b.values[0], 0.5f);
}

TEST(EltwiseProgram, LongRowsAndPlanesAreNotRepeated) {
    const std::vector<float> many(1500, 2.0f);
    std::vector<float> slopes = many;
    slopes[1499] = 7.0f;
    const EltwiseProgram rows = program({Prelu{Values(slopes)}}, 1500);
    EXPECT_EQ(rows.repeated_row, 1500u);
    ASSERT_EQ(rows.ops[0].a.values.size(), 1500 + kChainPadding);
    EXPECT_EQ(rows.ops[0].a.values[1499], 7.0f);
    const EltwiseProgram planes = program({Prelu{Values({1.0f, 2.0f, 4.0f})}}, 3, kPlanes);
    EXPECT_EQ(planes.layout, kPlanes);
    ASSERT_EQ(planes.ops[0].a.values.size(), 3 + kChainPadding);
    EXPECT_EQ(planes.ops[0].a.values[2], 4.0f);
}

TEST(EltwiseProgram, KnowsWhatItReads) {
    EXPECT_EQ(program({}).source_count, 0u);
    EXPECT_FALSE(program({Scale{2.0f}, Eltwise{EltwiseKind::kTanh}}).per_channel);
    const Binary full{BinaryKind::kAdd, 2, ElementType::i8, 0.5f};
    const EltwiseProgram p = program({full});
    EXPECT_EQ(p.source_count, 3u);
    EXPECT_FALSE(p.per_channel);
    EXPECT_FALSE(p.per_plane);
    EXPECT_EQ(p.ops[0].binary, full);
    Binary gate{BinaryKind::kMul, 0};
    gate.per_plane = true;
    EXPECT_TRUE(program({gate}).per_plane);
    EXPECT_TRUE(program({gate}).per_channel);
    Binary mask{BinaryKind::kMul, 0};
    mask.per_pixel = true;
    EXPECT_FALSE(program({mask}).per_plane);
    EXPECT_TRUE(program({mask}).per_channel);
}

std::string refusal(std::vector<post_ops::BasicOp> ops, ElementType src, std::size_t channels) {
    try {
        make_chain_program({std::move(ops), ElementType::u8}, src, channels, kRows);
        return "accepted";
    } catch (const Error& error) {
        return error.what();
    }
}

TEST(EltwiseProgram, Refuses) {
    EXPECT_EQ(refusal({Scale{Values({1.0f, 2.0f})}}, ElementType::i32, 2), "accepted");
    EXPECT_THAT(refusal({}, ElementType::i64, 1),
                HasSubstr("fused eltwise: src is i64, expected u8, i8, i32 or f32"));
    EXPECT_THAT(refusal({}, ElementType::u8, 0), HasSubstr("the tensor has 0 channels"));
    EXPECT_THAT(refusal({Scale{Values({1.0f, 2.0f})}}, ElementType::u8, 3),
                HasSubstr("an operation has values for 2 channels, the tensor has 3"));
    EXPECT_THAT(refusal({Binary{BinaryKind::kAdd, 0, ElementType::f16}}, ElementType::u8, 1),
                HasSubstr("a binary source is f16"));
}

}  // namespace
}  // namespace fuseq::kernels
