// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/deviation.hpp"

#include <gtest/gtest.h>

namespace fuseq::testing {
namespace {

class DeviationTest : public ::testing::Test {
protected:
    Output read(const std::string& text) {
        model_ = Model::from_text(R"(model "m"
            %x = Parameter : f32[2,3,4]
            %eps = Const value={0.25} : f32[1]
            %negative = Const value={-1} : f32[]
            %half = Const value={0.5} : f32[]
            %minus_half = Const value={-0.5} : f32[]
            %one = Const value={1} : f32[]
            %two = Const value={2} : f32[]
            )" + text + "\n%r = Result(%v)");
        return model_->find("v")->output();
    }
    // "x, inside 0.25, 2 nodes" of what was found.
    static std::string text_of(const std::optional<Deviation>& found) {
        if (!found) {
            return "none";
        }
        const bool inside = found->mode == EpsMode::kInsideSqrt;
        return found->variance.node->name() + (inside ? ", inside " : ", outside ") +
               std::to_string(found->eps).substr(0, 4) + ", " +
               std::to_string(found->nodes.size()) + " nodes";
    }
    std::string deviation(const std::string& text) { return text_of(match_deviation(read(text))); }
    std::string inverse(const std::string& text) {
        return text_of(match_inverse_deviation(read(text)));
    }

    std::shared_ptr<Model> model_;
};

TEST_F(DeviationTest, IsARootOfASum) {
    EXPECT_EQ(deviation("%a = Add(%x, %eps)\n%v = Sqrt(%a)"), "x, inside 0.25, 2 nodes");
    EXPECT_EQ(deviation("%a = Add(%eps, %x)\n%v = Power(%a, %half)"), "x, inside 0.25, 2 nodes");
}

TEST_F(DeviationTest, IsASumWithARoot) {
    EXPECT_EQ(deviation("%a = Sqrt(%x)\n%v = Add(%a, %eps)"), "x, outside 0.25, 2 nodes");
}

TEST_F(DeviationTest, IsNoneOfOtherRoots) {
    EXPECT_EQ(deviation("%v = Sqrt(%x)"), "none");
    EXPECT_EQ(deviation("%a = Add(%x, %negative)\n%v = Sqrt(%a)"), "none");
    EXPECT_EQ(deviation("%a = Add(%x, %eps)\n%v = Power(%a, %two)"), "none");
    EXPECT_EQ(deviation("%v = Add(%x, %eps)"), "none");
}

TEST_F(DeviationTest, HasAnInverseInFourSpellings) {
    const std::string sum = "%a = Add(%x, %eps)\n";
    EXPECT_EQ(inverse(sum + "%b = Sqrt(%a)\n%v = Divide(%one, %b)"), "x, inside 0.25, 3 nodes");
    EXPECT_EQ(inverse(sum + "%b = Sqrt(%a)\n%v = Power(%b, %negative)"), "x, inside 0.25, 3 nodes");
    EXPECT_EQ(inverse(sum + "%v = Power(%a, %minus_half)"), "x, inside 0.25, 2 nodes");
    EXPECT_EQ(inverse("%b = Sqrt(%x)\n%a = Add(%b, %eps)\n%v = Divide(%one, %a)"),
              "x, outside 0.25, 3 nodes");
}

TEST_F(DeviationTest, HasNoOtherInverse) {
    const std::string root = "%a = Add(%x, %eps)\n%b = Sqrt(%a)\n";
    EXPECT_EQ(inverse(root + "%v = Divide(%two, %b)"), "none");
    EXPECT_EQ(inverse(root + "%v = Divide(%b, %one)"), "none");
    EXPECT_EQ(inverse(root + "%v = Power(%b, %minus_half)"), "none");
}

TEST_F(DeviationTest, AxesOfAMeanAreAscendingFromZero) {
    const auto axes = [&](const std::string& list, const std::string& attributes) {
        return axes_of_mean(read("%i = Const value={" + list +
                                 "} : i64[2]\n%v = ReduceMean(%x, %i) " + attributes));
    };
    EXPECT_EQ(axes("-1,1", "keep_dims=true"), (std::vector<std::int64_t>{1, 2}));
    EXPECT_EQ(axes("0,1", "keep_dims=true"), (std::vector<std::int64_t>{0, 1}));
    EXPECT_FALSE(axes("0,1", "keep_dims=false"));
    EXPECT_FALSE(axes_of_mean(read("%v = Sqrt(%x)")));
}

TEST_F(DeviationTest, UnderASquareIsItsBase) {
    for (const char* square : {"%v = Power(%x, %two)", "%v = Multiply(%x, %x)"}) {
        const Output base = under_square(read(square));
        EXPECT_EQ(base, model_->find("x")->output()) << square;
    }
    EXPECT_FALSE(under_square(read("%v = Multiply(%x, %two)")));
    EXPECT_FALSE(under_square(read("%v = Power(%x, %half)")));
}

}  // namespace
}  // namespace fuseq::testing
