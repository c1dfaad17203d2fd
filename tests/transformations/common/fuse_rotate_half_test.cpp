// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/common/fuse_rotate_half.hpp"

#include <gtest/gtest.h>

#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

constexpr const char* kHead = R"(model "m"
    %x = Parameter : f32[1,2,3,4]
    %zero = Const value={0} : i64[1]
    %one = Const value={1} : i64[1]
    %two = Const value={2} : i64[1]
    %four = Const value={4} : i64[1]
    %last = Const value={-1} : i64[1]
    %axis = Const value={3} : i64[]
    %sine = Const value={1,2,3,4} : f32[1,1,1,4]
)";

const std::string kSlices = R"(
    %a = Slice.8(%x, %zero, %two, %one, %last)
    %b = Slice.8(%x, %two, %four, %one, %last)
)";
const std::string kTurn = R"(
    %n = Negative(%b)
    %c = Concat(%n, %a) axis=-1
)";
const std::string kProduct = "%y = Multiply(%c, %sine)";

PassTest fused(const std::string& body) {
    return run_pass(fuse_rotate_half, kHead + body + "\n%r = Result(%y)");
}

constexpr const char* kRolled = R"(model "m"
    %x = Parameter : f32[1,2,3,4]
    %by = Const value={2} : i64[1]
    %axis = Const value={-1} : i64[1]
    %c = Roll.7(%x, %by, %axis)
    %s = Const value={-1,-2,3,4} : f32[1,1,1,4]
    %y = Multiply(%c, %s)
    %r = Result(%y))";

TEST(FuseRotateHalf, FindsSlices) {
    const PassTest test = fused(kSlices + kTurn + kProduct);
    EXPECT_EQ(differs_from(test, kRolled), "");
    EXPECT_EQ(largest_difference(test), 0);
    // To the end, counted from it, and the sign as a factor.
    const PassTest other = fused(R"(
        %m = Const value={-2} : i64[1]
        %end = Const value={9223372036854775807} : i64[1]
        %a = Slice.8(%x, %zero, %m, %one, %last)
        %b = Slice.8(%x, %m, %end, %one, %last)
        %minus = Const value={-1} : f32[]
        %n = Multiply(%minus, %b)
        %c = Concat(%n, %a) axis=3
        %y = Multiply(%c, %sine))");
    EXPECT_EQ(differs_from(other, kRolled), "");
    EXPECT_EQ(largest_difference(other), 0);
}

TEST(FuseRotateHalf, FindsSplits) {
    const std::string turn = "%n = Negative(%p:1)\n%c = Concat(%n, %p) axis=-1\n";
    const PassTest split = fused("%p = Split(%x, %axis) num_splits=2\n" + turn + kProduct);
    EXPECT_EQ(differs_from(split, kRolled), "");
    const PassTest variadic =
        fused("%l = Const value={2,-1} : i64[2]\n%p = VariadicSplit(%x, %axis, %l)\n" + turn +
              "%y = Multiply(%sine, %c)");
    EXPECT_EQ(variadic.after->find_all("Roll").size(), 1u);
    EXPECT_EQ(largest_difference(variadic), 0);
}

TEST(FuseRotateHalf, SignsSinesThatAreComputed) {
    const PassTest test =
        fused(kSlices + kTurn + "%s = Parameter : f32[1,1,3,4]\n%y = Multiply(%c, %s)");
    EXPECT_EQ(test.after->find_all("Multiply").size(), 2u);
    EXPECT_EQ(largest_difference(test), 0);
    const PassTest one =
        fused(kSlices + kTurn + "%s = Const value={3} : f32[]\n%y = Multiply(%c, %s)");
    EXPECT_EQ(one.after->find_all("Roll").size(), 1u);
    EXPECT_EQ(largest_difference(one), 0);
}

TEST(FuseRotateHalf, LeavesWhatIsElse) {
    const auto changed = [](const std::string& body) { return fused(body).changed; };
    ASSERT_TRUE(changed(kSlices + kTurn + kProduct));
    // Another order, another sign, other parts, another axis, a second reader, a wider factor.
    EXPECT_FALSE(changed(kSlices + "%n = Negative(%b)\n%c = Concat(%a, %n) axis=-1\n" + kProduct));
    EXPECT_FALSE(changed(kSlices + "%c = Concat(%b, %a) axis=-1\n" + kProduct));
    EXPECT_FALSE(changed(kSlices + "%n = Negative(%a)\n%c = Concat(%n, %b) axis=-1\n" + kProduct));
    EXPECT_FALSE(
        changed("%l = Const value={1,3} : i64[2]\n"
                "%p = VariadicSplit(%x, %axis, %l)\n%n = Negative(%p:1)\n"
                "%c = Concat(%n, %p) axis=-1\n" +
                kProduct));
    EXPECT_FALSE(
        changed("%z = Parameter : f32[1,2,3,4]\n"
                "%a = Slice.8(%z, %zero, %two, %one, %last)\n"
                "%b = Slice.8(%x, %two, %four, %one, %last)\n" +
                kTurn + kProduct));
    EXPECT_FALSE(
        changed("%a = Slice.8(%x, %zero, %four, %two, %last)\n"
                "%b = Slice.8(%x, %one, %four, %two, %last)\n" +
                kTurn + kProduct));
    EXPECT_FALSE(changed(kSlices + kTurn + "%r2 = Result(%c)\n" + kProduct));
    EXPECT_FALSE(changed(kSlices + kTurn + "%s = Parameter : f32[...]\n%y = Multiply(%c, %s)"));
}

}  // namespace
}  // namespace fuseq::testing
