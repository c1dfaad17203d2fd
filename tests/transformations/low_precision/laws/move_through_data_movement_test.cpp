// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/pass_testing.hpp"
#include "transformations/low_precision/dequantize_text.hpp"
#include "transformations/low_precision/move_dequantize_down.hpp"

namespace fuseq::testing {
namespace {

using ::testing::StartsWith;

// The integer type of the operation's result, and the numbers of the DQ after the result `y`.
struct Found {
    ElementType type = ElementType::undefined;
    std::vector<float> scale;
    Shape shape;
};

Found after(const PassTest& test, const std::string& layer, std::size_t port) {
    Node* node = test.after->find(layer);
    Found found{node->port(port).type, {}, {}};
    for (const Use& use : node->port(port).uses) {
        const Node* at = use.node;
        while (!at->is("Multiply") && !at->is("Result")) {
            at = at->port().uses.at(0).node;
        }
        if (at->is("Multiply")) {
            found.scale = to_floats(at->input_node(1)->constant());
            found.shape = at->input(1).shape();
        }
    }
    return found;
}

const char* const kFour = "f32[1,4,1,1]";

struct Case {
    const char* name;
    const char* body;  // reads %x of four channels, makes %y
    std::vector<float> scale;
    Shape shape;
};

const Case kCases[] = {
    {"Split",
     "%a = Const value={1} : i64[]\n%y = Split(%x, %a) num_splits=2",
     {1, 2},
     {1, 2, 1, 1}},
    {"SplitAlongAnotherDimension",
     "%a = Const value={2} : i64[]\n%y = Split(%x, %a) num_splits=2",
     {1, 2, 3, 4},
     {1, 4, 1, 1}},
    {"VariadicSplit",
     "%a = Const value={1} : i64[]\n%n = Const value={3,1} : i64[2]\n%y = VariadicSplit(%x, %a, "
     "%n)",
     {1, 2, 3},
     {1, 3, 1, 1}},
    {"StridedSlice",
     "%b = Const value={0,3,0,0} : i64[4]\n%e = Const value={1,0,6,6} : i64[4]\n"
     "%t = Const value={1,-2,1,1} : i64[4]\n"
     "%y = StridedSlice(%x, %b, %e, %t) begin_mask=[0,0,0,0] end_mask=[0,0,0,0]",
     {4, 2},
     {1, 2, 1, 1}},
    {"Gather",
     "%i = Const value={3,0,0} : i64[3]\n%a = Const value={1} : i64[]\n%y = Gather.8(%x, %i, %a)",
     {4, 1, 1},
     {1, 3, 1, 1}},
    {"GatherDropsTheDimension",
     "%i = Const value={2} : i64[]\n%a = Const value={1} : i64[]\n%y = Gather.8(%x, %i, %a)",
     {3},
     {}},
    {"Tile",
     "%n = Const value={1,2,1,1} : i64[4]\n%y = Tile(%x, %n)",
     {1, 2, 3, 4, 1, 2, 3, 4},
     {1, 8, 1, 1}},
    {"Roll",
     "%n = Const value={1} : i64[1]\n%a = Const value={1} : i64[1]\n%y = Roll.7(%x, %n, %a)",
     {4, 1, 2, 3},
     {1, 4, 1, 1}},
    {"Reverse",
     "%a = Const value={1} : i64[1]\n%y = Reverse(%x, %a) mode=index",
     {4, 3, 2, 1},
     {1, 4, 1, 1}},
    {"ReshapeSplitsTheChannels",
     "%n = Const value={1,4,1,3,4} : i64[5]\n%y = Reshape(%x, %n)",
     {1, 2, 3, 4},
     {1, 4, 1, 1, 1}},
    {"ReshapeMergesTheChannels",
     "%n = Const value={1,48} : i64[2]\n%y = Reshape(%x, %n)",
     {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
      3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4},
     {1, 48}},
    {"Transpose",
     "%n = Const value={0,2,3,1} : i64[4]\n%y = Transpose(%x, %n)",
     {1, 2, 3, 4},
     {1, 1, 1, 4}},
};

class MoveThroughDataMovement : public ::testing::TestWithParam<Case> {};

TEST_P(MoveThroughDataMovement, TakesTheChannelsAlong) {
    const PassTest test =
        run_pass(move_dequantize_down,
                 model(dq("x", "u8[1,4,4,3]", "1,2,3,4", "3,0.5,1,2", kFour) + GetParam().body));
    EXPECT_TRUE(test.changed);
    const Found found = after(test, "y", 0);
    EXPECT_EQ(found.type, element::u8);
    EXPECT_EQ(found.scale, GetParam().scale);
    EXPECT_EQ(found.shape, GetParam().shape);
    EXPECT_EQ(largest_difference(test), 0.0);
}

INSTANTIATE_TEST_SUITE_P(All,
                         MoveThroughDataMovement,
                         ::testing::ValuesIn(kCases),
                         [](const auto& test) { return test.param.name; });

TEST(MoveThroughDataMovement, EveryOutputOfASplitGetsItsChannels) {
    const PassTest test =
        run_pass(move_dequantize_down,
                 "model \"m\"\n" + dq("x", "u8[1,4,4,3]", "1,2,3,4", "", kFour) +
                     "%a = Const value={1} : i64[]\n%n = Const value={1,3} : i64[2]\n"
                     "%y = VariadicSplit(%x, %a, %n)\n%r = Result(%y)\n%s = Result(%y:1)");
    EXPECT_EQ(after(test, "y", 0).scale, (std::vector<float>{1}));
    EXPECT_EQ(after(test, "y", 1).scale, (std::vector<float>{2, 3, 4}));
    EXPECT_EQ(largest_difference(test), 0.0);
}

// Concat of two scales, the channels then shuffled: the scales alternate.
TEST(MoveThroughDataMovement, ShuffledChannelsKeepTheirScales) {
    const PassTest test =
        run_pass(move_dequantize_down,
                 model(dq("a", "u8[1,2,2,2]", "0.5", "") + dq("b", "u8[1,2,2,2]", "2", "") +
                       "%c = Concat(%a, %b) axis=1\n%n = Const value={1,2,2,2,2} : i64[5]\n"
                       "%d = Reshape(%c, %n)\n%o = Const value={0,2,1,3,4} : i64[5]\n"
                       "%e = Transpose(%d, %o)\n%m = Const value={1,4,2,2} : i64[4]\n"
                       "%y = Reshape(%e, %m)"));
    EXPECT_EQ(after(test, "y", 0).scale, (std::vector<float>{0.5, 2, 0.5, 2}));
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(MoveThroughDataMovement, FollowsOpenDimensions) {
    const PassTest test = run_pass(
        move_dequantize_down, model(dq("x", "u8[?,4,?,3]", "1,2,3,4", "", kFour) +
                                    "%n = Const value={0,2,3,1} : i64[4]\n%y = Transpose(%x, %n)"));
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(after(test, "y", 0).shape, (Shape{1, 1, 1, 4}));
    EXPECT_EQ(largest_difference(test), 0.0);
}

// An index outside the axis reads a zero, which is the integer 0 without a zero point only.
TEST(MoveThroughDataMovement, GathersWhatIsThere) {
    const auto moves = [](const std::string& zero_point, const std::string& indices) {
        const PassTest test = run_pass(
            move_dequantize_down, model(dq("x", "u8[1,4,2,2]", "0.5", zero_point) + indices +
                                        "%a = Const value={1} : i64[]\n%y = Gather(%x, %i, %a)"));
        if (!test.changed) {
            EXPECT_THAT(refusal_at(test.context, "y"), StartsWith("pad_value: "));
        }
        return test.changed;
    };
    const std::string inside = "%i = Const value={3,-4,0} : i64[3]\n";
    const std::string outside = "%i = Const value={3,4,0} : i64[3]\n";
    EXPECT_TRUE(moves("7", inside));
    EXPECT_FALSE(moves("7", outside));
    EXPECT_FALSE(moves("7", "%i = Const value={-5} : i64[1]\n"));
    EXPECT_FALSE(moves("7", "%i = Parameter : i64[2]\n"));
    EXPECT_TRUE(moves("", outside));
}

TEST(MoveThroughDataMovement, RefusesOpenDimensionsThatChannelsMixWith) {
    const PassTest test = run_pass(move_dequantize_down,
                                   model(dq("x", "u8[?,4,2,3]", "1,2,3,4", "", kFour) +
                                         "%n = Const value={-1,6} : i64[2]\n%y = Reshape(%x, %n)"));
    EXPECT_FALSE(test.changed);
    EXPECT_THAT(refusal_at(test.context, "y"), StartsWith("shape_not_known: "));
}

}  // namespace
}  // namespace fuseq::testing
