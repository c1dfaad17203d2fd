// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/common/transpose_before_squeeze.hpp"

#include <gtest/gtest.h>

#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

std::string model(const std::string& shape, const std::string& loss, const std::string& order) {
    return R"(model "m"
        %x = Parameter : f32[)" +
           shape + R"(]
        %zero = Const value={0} : i64[]
        %last = Const value={-1} : i64[]
        %two = Const value={2} : i64[]
        %one_zero = Const value={0} : i64[1]
        %o = Const value={)" +
           order + R"(} : i64[3]
        %s = )" +
           loss + R"(
        %t = Transpose(%s, %o)
        %n = ReLU(%t)
        %r = Result(%n))";
}

std::string expected(const std::string& shape, const std::string& order) {
    return R"(model "m"
        %x = Parameter : f32[)" +
           shape + R"(]
        %all = Const value={)" +
           order + R"(} : i64[4]
        %w = Transpose(%x, %all)
        %a = Const value={0} : i64[1]
        %t = Squeeze.1(%w, %a)
        %n = ReLU(%t)
        %r = Result(%n))";
}

TEST(TransposeBeforeSqueeze, TakesEveryLossOfADimension) {
    struct {
        const char* shape;
        const char* loss;
        const char* order;
        const char* all;
    } const cases[] = {
        {"1,3,4,5", "Gather.8(%x, %zero, %zero)", "1,2,0", "0,2,3,1"},
        {"1,3,4,5", "Gather.8(%x, %last, %zero)", "1,2,0", "0,2,3,1"},
        {"1,3,4,5", "Squeeze(%x, %zero)", "2,0,1", "0,3,1,2"},
        {"1,3,4,5", "Squeeze(%x, %one_zero)", "2,1,0", "0,3,2,1"},
        {"3,4,1,5", "Gather.8(%x, %zero, %two)", "2,0,1", "2,3,0,1"},
        {"3,4,5,1", "Squeeze(%x, %last)", "1,2,0", "3,1,2,0"},
    };
    for (const auto& c : cases) {
        const PassTest test = run_pass(transpose_before_squeeze, model(c.shape, c.loss, c.order));
        EXPECT_TRUE(test.changed) << c.loss;
        EXPECT_EQ(differs_from(test, expected(c.shape, c.all)), "") << c.loss;
        EXPECT_EQ(test.after->find("t")->type(), "Squeeze");
        EXPECT_EQ(largest_difference(test), 0.0) << c.loss;
    }
}

TEST(TransposeBeforeSqueeze, LeavesOthers) {
    const auto changed = [](const std::string& text) {
        return run_pass(transpose_before_squeeze, text).changed;
    };
    // The second of two images, one of which the number is not known, a number of images.
    EXPECT_FALSE(changed(model("2,3,4,5", "Gather.8(%x, %last, %zero)", "1,2,0")));
    EXPECT_FALSE(changed(model("?,3,4,5", "Gather.8(%x, %zero, %zero)", "1,2,0")));
    EXPECT_FALSE(changed(model("1,4,5", "Gather.8(%x, %one_zero, %zero)", "1,2,0")));
    EXPECT_FALSE(changed(model("3,4,5", "ReLU(%x)", "1,2,0")));
    // A Result goes by the name of the layer.
    EXPECT_FALSE(changed(R"(model "m"
        %x = Parameter : f32[1,3,4,5]
        %zero = Const value={0} : i64[]
        %o = Const value={1,2,0} : i64[3]
        %s = Squeeze(%x, %zero)
        %t = Transpose(%s, %o)
        %r = Result(%t))"));
}

TEST(TransposeBeforeSqueeze, LeavesWhatOthersRead) {
    const PassTest test = run_pass(transpose_before_squeeze, R"(model "m"
        %x = Parameter : f32[1,3,4,5]
        %zero = Const value={0} : i64[]
        %o = Const value={1,2,0} : i64[3]
        %s = Gather.8(%x, %zero, %zero)
        %t = Transpose(%s, %o)
        %n = ReLU(%t)
        %m = ReLU(%s)
        %r = Result(%n)
        %q = Result(%m))");
    EXPECT_TRUE(test.changed);
    EXPECT_NE(test.after->find("s"), nullptr);
    EXPECT_EQ(largest_difference(test), 0.0);
}

}  // namespace
}  // namespace fuseq::testing
