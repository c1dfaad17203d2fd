// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/common/gather_before_dequantize.hpp"

#include <gtest/gtest.h>

#include "ops/interpreter.hpp"
#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

constexpr const char* kHead = R"(model "m"
    %i = Parameter : i64[2,3]
    %q = Const value={-8,7,6,-5,4,3,-2,1} : i8[4,2]
    %c = Convert(%q) destination_type=f32
    %axis = Const value={0} : i64[]
)";

PassTest rewritten(const std::string& body) {
    return run_pass(gather_before_dequantize, kHead + body + "\n%r = Result(%y)");
}

// Both models on rows that there are, that count from the end, and that are outside of the table.
void expect_same_numbers(const PassTest& test) {
    const Tensor rows = Tensor::of<std::int64_t>({2, 3}, {0, 3, -1, 1, 9, 2});
    const auto run = [&](const Model& model) {
        return to_floats(Interpreter(model).run(std::vector{rows})[0]);
    };
    EXPECT_EQ(run(*test.before), run(*test.after));
}

TEST(GatherBeforeDequantize, PicksScalesOfRowsToo) {
    const PassTest test = rewritten(R"(
        %s = Const value={1,2,0.5,4} : f32[4,1]
        %m = Multiply(%c, %s)
        %y = Gather.8(%m, %i, %axis))");
    EXPECT_EQ(differs_from(test, R"(model "m"
        %i = Parameter : i64[2,3]
        %q = Const value={-8,7,6,-5,4,3,-2,1} : i8[4,2]
        %axis = Const value={0} : i64[]
        %rows = Gather.8(%q, %i, %axis)
        %c = Convert(%rows) destination_type=f32
        %s = Const value={1,2,0.5,4} : f32[4,1]
        %scales = Gather.8(%s, %i, %axis)
        %y = Multiply(%c, %scales)
        %r = Result(%y))"),
              "");
    expect_same_numbers(test);
}

TEST(GatherBeforeDequantize, KeepsWhatIsTheSameForAllRows) {
    const PassTest test = rewritten(R"(
        %s = Const value={0.5,3} : f32[2]
        %m = Multiply(%s, %c)
        %y = Gather.1(%m, %i, %axis))");
    ASSERT_EQ(test.after->find_all("Multiply").size(), 1u);
    EXPECT_EQ(test.after->find_all("Multiply")[0]->input(1).shape(), (Shape{1, 1, 2}));
    EXPECT_EQ(test.after->find_all("Gather").size(), 1u);
    expect_same_numbers(test);
}

// An index outside of the table reads zeros, not the zero point.
TEST(GatherBeforeDequantize, PicksTheZeroPointWhereTheScaleIsNotPicked) {
    const PassTest one = rewritten(R"(
        %z = Const value={3} : i8[]
        %zf = Convert(%z) destination_type=f32
        %d = Subtract(%c, %zf)
        %s = Const value={0.5} : f32[]
        %m = Multiply(%d, %s)
        %y = Gather.8(%m, %i, %axis))");
    EXPECT_EQ(one.after->find_all("Gather").size(), 2u);
    expect_same_numbers(one);
    const PassTest columns = rewritten(R"(
        %z = Const value={3,-2} : f32[1,2]
        %y0 = Subtract(%c, %z)
        %y = Gather.8(%y0, %i, %axis))");
    EXPECT_EQ(columns.after->find_all("Gather").size(), 2u);
    expect_same_numbers(columns);
    const PassTest rows = rewritten(R"(
        %z = Const value={3,1,0,-7} : f32[4,1]
        %d = Subtract(%c, %z)
        %s = Const value={1,2,0.5,4} : f32[4,1]
        %m = Multiply(%d, %s)
        %y = Gather.8(%m, %i, %axis))");
    EXPECT_EQ(rows.after->find_all("Gather").size(), 3u);
    expect_same_numbers(rows);
    const PassTest nothing = rewritten(R"(
        %z = Const value={0} : f32[]
        %d = Subtract(%c, %z)
        %y = Gather.8(%d, %i, %axis))");
    EXPECT_TRUE(nothing.after->find_all("Subtract").empty());
    EXPECT_EQ(nothing.after->find("y")->type(), "Convert");
    expect_same_numbers(nothing);
}

TEST(GatherBeforeDequantize, PicksColumns) {
    const PassTest test = run_pass(gather_before_dequantize, R"(model "m"
        %i = Parameter : i64[2,3]
        %q = Const value={8,7,6,5,4,3,2,1} : u8[2,4]
        %c = Convert(%q) destination_type=f32
        %axis = Const value={-1} : i64[1]
        %z = Const value={3} : f32[]
        %d = Subtract(%c, %z)
        %s = Const value={1,2} : f32[2,1]
        %m = Multiply(%d, %s)
        %y = Gather.8(%m, %i, %axis)
        %r = Result(%y))");
    ASSERT_TRUE(test.changed);
    expect_same_numbers(test);
}

// The table is weights as well.
TEST(GatherBeforeDequantize, LeavesOtherReaders) {
    const PassTest test = rewritten(R"(
        %x = Parameter : f32[1,2]
        %s = Const value={1,2,0.5,4} : f32[4,1]
        %m = Multiply(%c, %s)
        %y = Gather.8(%m, %i, %axis)
        %w = MatMul(%x, %m) transpose_b=true
        %r2 = Result(%w))");
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(test.after->find("w")->input_node(1)->name(), "m");
}

TEST(GatherBeforeDequantize, LeavesWhatIsElse) {
    const auto changed = [](const std::string& body) { return rewritten(body).changed; };
    // A table that is not constant; other arithmetic; values that enlarge it; batch dimensions; an
    // axis that is not known; integers that are not converted.
    EXPECT_FALSE(
        changed("%p = Parameter : i8[4,2]\n%f = Convert(%p) destination_type=f32\n"
                "%y = Gather.8(%f, %i, %axis)"));
    EXPECT_FALSE(changed("%a = Add(%c, %c)\n%y = Gather.8(%a, %i, %axis)"));
    EXPECT_FALSE(
        changed("%s = Const value={1,2} : f32[2,1,1]\n%m = Multiply(%c, %s)\n"
                "%y = Gather.8(%m, %i, %axis)"));
    EXPECT_FALSE(
        changed("%one = Const value={1} : i64[]\n%j = Const value={0,1,1,0} : i64[4,1]\n"
                "%y = Gather.8(%c, %j, %one) batch_dims=1"));
    EXPECT_FALSE(changed("%a = Parameter : i64[]\n%y = Gather.8(%c, %i, %a)"));
    EXPECT_FALSE(changed("%y = Gather.8(%q, %i, %axis)"));
}

}  // namespace
}  // namespace fuseq::testing
