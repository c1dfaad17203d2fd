// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/low_precision/split_joint_projection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

using ::testing::StartsWith;

// A projection of 4 to 12 columns with weights as NNCF spells them, and constants that cuts read.
const std::string kHead = R"(model "m"
    %x = Parameter : f32[2,3,4]
    %w8 = Const value=random(1,-127,127) : i8[12,4]
    %wf = Convert(%w8) destination_type=f32
    %ws = Const value=random(2,0.01,0.02) : f32[12,1]
    %w = Multiply(%wf, %ws)
    %bias = Const value=random(3,-1,1) : f32[1,1,12]
    %low = Const value={-2} : f32[]
    %high = Const value={1.984375} : f32[]
    %m0 = Const value={0} : i64[]
    %m1 = Const value={1} : i64[]
    %m2 = Const value={2} : i64[]
    %l0 = Const value={0} : i64[1]
    %l1 = Const value={1} : i64[1]
    %l2 = Const value={2} : i64[1]
    %l3 = Const value={3} : i64[1]
    %last = Const value={-1} : i64[]
    %heads = Const value={0,0,3,2,2} : i64[5]
    %order = Const value={2,0,3,1,4} : i64[5]
)";

const std::string kJoint = R"(
    %p = MatMul(%x, %w) transpose_b=true
    %j = Add(%p, %bias)
)";

// Quantizes %q, %k and %v, each by a range of its own.
const std::string kQuantized = R"(
    %qq = FakeQuantize(%q, %low, %high, %low, %high) levels=256
    %three = Const value={3} : f32[]
    %minus = Const value={-3} : f32[]
    %kq = FakeQuantize(%k, %minus, %three, %minus, %three) levels=255
    %r0 = Result(%qq)
    %r1 = Result(%kq)
    %r2 = Result(%v)
)";

const std::string kTurned = R"(
    %h = Reshape(%j, %heads) special_zero=true
    %t = Transpose(%h, %order)
)";

PassTest split(const std::string& body, PassOptions options = {}) {
    return run_pass(split_joint_projection, kHead + body, std::move(options));
}

std::size_t count(const Model& model, const char* type) {
    return model.find_all(type).size();
}

struct Spelling {
    const char* name;
    const char* text;  // %q, %k and %v of the transposed heads %t
    friend std::ostream& operator<<(std::ostream& out, const Spelling& s) { return out << s.name; }
};

const Spelling kSpellings[] = {
    {"GatherOfAnIndex", R"(
        %q = Gather.8(%t, %m0, %m0) batch_dims=0
        %k = Gather.8(%t, %m1, %m0) batch_dims=0
        %v0 = Gather.8(%t, %m2, %m0) batch_dims=0)"},
    {"GatherFromTheEnd", R"(
        %q = Gather.1(%t, %m0, %m0)
        %k = Gather.1(%t, %m1, %m0)
        %v0 = Gather.1(%t, %last, %m0))"},
    {"SplitAndSqueeze", R"(
        %s = Split(%t, %m0) num_splits=3
        %q = Squeeze(%s:0, %m0)
        %k = Squeeze(%s:1, %m0)
        %v0 = Squeeze(%s:2, %m0))"},
    {"SliceAndReshape", R"(
        %shape = Const value={2,2,3,2} : i64[4]
        %a = Slice.8(%t, %l0, %l1, %l1, %l0)
        %q = Reshape(%a, %shape)
        %b = Slice.8(%t, %l1, %l2, %l1, %l0)
        %k = Reshape(%b, %shape)
        %c = Slice.8(%t, %l2, %l3, %l1, %l0)
        %v0 = Reshape(%c, %shape))"},
    {"StridedSlice", R"(
        %q = StridedSlice(%t, %l0, %l1, %l1) begin_mask=[0] end_mask=[0] shrink_axis_mask=[1]
        %k = StridedSlice(%t, %l1, %l2, %l1) begin_mask=[0] end_mask=[0] shrink_axis_mask=[1]
        %v0 = StridedSlice(%t, %l2, %l3, %l1) begin_mask=[0] end_mask=[1] shrink_axis_mask=[1])"},
};

class SplitJointProjectionOf : public ::testing::TestWithParam<Spelling> {};

TEST_P(SplitJointProjectionOf, HeadsThatAreTransposed) {
    const PassTest test =
        split(kJoint + kTurned + GetParam().text + "\n%v = ReLU(%v0)" + kQuantized);
    ASSERT_TRUE(test.changed);
    EXPECT_EQ(largest_difference(test), 0);
    const Model& after = *test.after;
    EXPECT_EQ(count(after, "MatMul"), 3U);
    for (const char* cut : {"Split", "Slice", "StridedSlice", "Gather", "Squeeze"}) {
        EXPECT_EQ(count(after, cut), 0U) << cut;
    }
    for (const Node* transpose : after.find_all("Transpose")) {
        EXPECT_EQ(transpose->port().shape, PartialShape(Shape{2, 2, 3, 2}));
    }
}

INSTANTIATE_TEST_SUITE_P(Spellings,
                         SplitJointProjectionOf,
                         ::testing::ValuesIn(kSpellings),
                         [](const auto& spelling) { return spelling.param.name; });

// As GPT-2 does it.
TEST(SplitJointProjection, OfTheLastDimension) {
    const PassTest test = split(kJoint + R"(
        %axis = Const value={2} : i64[]
        %sizes = Const value={4,2,6} : i64[3]
        %s = VariadicSplit(%j, %axis, %sizes)
        %q = ReLU(%s:0)
        %qq = FakeQuantize(%s:1, %low, %high, %low, %high) levels=256
        %v = ReLU(%s:2)
        %r0 = Result(%q)
        %r1 = Result(%qq)
        %r2 = Result(%v))");
    ASSERT_TRUE(test.changed);
    EXPECT_EQ(largest_difference(test), 0);
    EXPECT_EQ(count(*test.after, "MatMul"), 3U);
}

// As GPT-NeoX does it: query, key and value of a head beside each other.
TEST(SplitJointProjection, OfPartsWithinEachHead) {
    const PassTest test = split(kJoint + R"(
        %pattern = Const value={2,3,2,6} : i64[4]
        %h = Reshape(%j, %pattern)
        %turn = Const value={0,2,1,3} : i64[4]
        %t = Transpose(%h, %turn)
        %s = Split(%t, %last) num_splits=3
        %q = ReLU(%s:0)
        %qq = FakeQuantize(%s:1, %low, %high, %low, %high) levels=256
        %r0 = Result(%q)
        %r1 = Result(%qq))");
    ASSERT_TRUE(test.changed);
    EXPECT_EQ(largest_difference(test), 0);
    EXPECT_EQ(count(*test.after, "MatMul"), 2U) << "nothing reads the third part";
}

// FakeQuantize of the weights, which are not transposed, and one bias for all.
TEST(SplitJointProjection, OfOtherSpellingsOfTheWeights) {
    const PassTest test = split(R"(
        %w2 = Const value=random(4,-1,1) : f32[4,12]
        %l = Const value=random(5,-1.2,-1) : f32[1,12]
        %h = Const value=random(6,1,1.2) : f32[1,12]
        %fq = FakeQuantize(%w2, %l, %h, %l, %h) levels=255
        %p = MatMul(%x, %fq)
        %one = Const value={0.5} : f32[1]
        %j = Multiply(%p, %one)
        %axis = Const value={-1} : i64[]
        %s = Split(%j, %axis) num_splits=2
        %q = FakeQuantize(%s:0, %low, %high, %low, %high) levels=256
        %k = FakeQuantize(%s:1, %low, %high, %low, %high) levels=256
        %r0 = Result(%q)
        %r1 = Result(%k))");
    ASSERT_TRUE(test.changed);
    EXPECT_EQ(largest_difference(test), 0);
}

// The number of rows is open: the pattern of the Reshape is computed.
TEST(SplitJointProjection, OfOpenShapes) {
    const std::string open = R"(model "m"
        %x = Parameter : f32[?,?,4]
        %w8 = Const value=random(1,-127,127) : i8[12,4]
        %w = Convert(%w8) destination_type=f32
        %p = MatMul(%x, %w) transpose_b=true
        %low = Const value={-200} : f32[]
        %high = Const value={198.4375} : f32[]
        %m0 = Const value={0} : i64[]
        %m1 = Const value={1} : i64[]
        %shape = ShapeOf(%x)
        %two = Const value={0,1} : i64[2]
        %leading = Gather.8(%shape, %two, %m0) batch_dims=0
        %rest = Const value={3,2,2} : i64[3]
        %pattern = Concat(%leading, %rest) axis=0
        %h = Reshape(%p, %pattern)
        %order = Const value={2,0,3,1,4} : i64[5]
        %t = Transpose(%h, %order)
        %q = Gather.8(%t, %m0, %m0) batch_dims=0
        %k = Gather.8(%t, %m1, %m0) batch_dims=0
        %qq = FakeQuantize(%q, %low, %high, %low, %high) levels=256
        %kq = FakeQuantize(%k, %low, %high, %low, %high) levels=256
        %r0 = Result(%qq)
        %r1 = Result(%kq))";
    PassTest test = run_pass(split_joint_projection, open);
    ASSERT_TRUE(test.changed);
    EXPECT_EQ(count(*test.after, "MatMul"), 2U);
    for (const auto& model : {test.before, test.after}) {
        model->reshape({{"x", PartialShape(Shape{2, 5, 4})}});
    }
    EXPECT_EQ(largest_difference(test), 0);
}

TEST(SplitJointProjection, RefusesWeightsOfAnotherForm) {
    const PassTest test = split(R"(
        %turn = Const value={1,0} : i64[2]
        %wt = Transpose(%w, %turn)
        %j = MatMul(%x, %wt)
        %s = Split(%j, %last) num_splits=3
        %q = ReLU(%s:2)
        %qq = FakeQuantize(%s:0, %low, %high, %low, %high) levels=256
        %r0 = Result(%q)
        %r1 = Result(%qq))");
    EXPECT_FALSE(test.changed);
    EXPECT_THAT(refusal_at(test.context, "j"), StartsWith("weights_form: the 2 parts"));
}

struct Other {
    const char* name;
    std::string text;
    friend std::ostream& operator<<(std::ostream& out, const Other& o) { return out << o.name; }
};

const std::string kParts = "%s = Split(%j, %last) num_splits=3\n";
const std::string kQuantizedPart =
    "%qq = FakeQuantize(%s:0, %low, %high, %low, %high) levels=256\n%r0 = Result(%qq)\n";

const Other kOthers[] = {
    {"OnePart", kJoint + kParts + kQuantizedPart},
    {"NoneQuantized", kJoint + kParts + R"(
        %a = ReLU(%s:0)
        %b = ReLU(%s:1)
        %r0 = Result(%a)
        %r1 = Result(%b))"},
    {"AnotherReader", kJoint + kParts + kQuantizedPart + R"(
        %a = ReLU(%s:1)
        %r1 = Result(%a)
        %b = ReLU(%j)
        %r2 = Result(%b))"},
    {"ResultOfAPart", kJoint + kParts + kQuantizedPart + "%r1 = Result(%s:1)"},
    {"PartsOfRows", kJoint + R"(
        %s = Split(%j, %m1) num_splits=3
        %a = ReLU(%s:1)
        %r1 = Result(%a)
        )" + kQuantizedPart},
    {"FloatWeights", R"(
        %wx = Const value=random(7,-1,1) : f32[12,4]
        %j = MatMul(%x, %wx) transpose_b=true
        %s = Split(%j, %last) num_splits=3
        %a = ReLU(%s:1)
        %r1 = Result(%a)
        )" + kQuantizedPart},
};

class SplitJointProjectionLeaves : public ::testing::TestWithParam<Other> {};

TEST_P(SplitJointProjectionLeaves, InSilence) {
    const PassTest test = split(GetParam().text);
    EXPECT_FALSE(test.changed);
    EXPECT_TRUE(test.context.remarks().empty());
}

INSTANTIATE_TEST_SUITE_P(Models,
                         SplitJointProjectionLeaves,
                         ::testing::ValuesIn(kOthers),
                         [](const auto& spelling) { return spelling.param.name; });

}  // namespace
}  // namespace fuseq::testing
