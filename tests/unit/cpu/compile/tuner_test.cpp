// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/compile/tuner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "cpu/compile/make_plan.hpp"
#include "cpu/compile/plan_options.hpp"
#include "cpu/compile/transformed.hpp"
#include "cpu/compile/trial.hpp"
#include "cpu/threading/parallel.hpp"
#include "support/quantized_convolution_text.hpp"

namespace fuseq::cpu {
namespace {

struct Made {
    explicit Made(const std::string& text)
        : transformed(transform_for_cpu(*Model::from_text(text), config)) {}
    Tuned tuned(std::chrono::milliseconds budget = std::chrono::milliseconds(60)) const {
        const ThreadCount one(1);  // threads that wait for each other wait for other tests too
        return tune(*transformed.model, transformed.ranges, build_options(config), budget);
    }
    Trial trial(std::map<std::string, std::string> choices) const {
        BuildOptions options = build_options(config);
        options.choices = std::move(choices);
        Trial trial(make_plan(*transformed.model, transformed.ranges, options), *transformed.model);
        trial.run();
        return trial;
    }
    Config config;
    Transformed transformed;
};

// Convolutions whose sums are exact: integers, or floats in the same order of the sum.
std::string integers() {
    return "model \"m\"\n%x = Parameter : f32[1,32,14,14]\n" + testing::quantized("x") +
           testing::quantized_convolution("q", "64,32,3,3", "1") +
           "%z = Const value={0} : f32[]\n%b = Const value={4} : f32[]\n"
           "%p = FakeQuantize(%c, %z, %b, %z, %b) levels=256\n"
           "%w2 = Const value=random(6,-127,127) : i8[16,64,1,1]\n"
           "%f2 = Convert(%w2) destination_type=f32\n%v2 = Multiply(%f2, %s)\n"
           "%c2 = Convolution(%p, %v2) strides=[1,1] dilations=[1,1] pads_begin=[0,0] "
           "pads_end=[0,0]\n%o = Result(%c2)\n";
}

// A sum of floats in another order is another number.
std::string floats() {
    return R"(model "m"
        %x = Parameter : f32[1,32,14,14]
        %w = Const value=random(5,-1,1) : f32[32,32,3,3]
        %c = Convolution(%x, %w) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
        %t = Const value={0.37} : f32[]
        %m = Multiply(%c, %t)
        %w2 = Const value=random(6,-1,1) : f32[32,32,3,3]
        %d = Convolution(%m, %w2) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
        %o = Result(%d))";
}

// "5 runs of 4 plans (1 gave other bytes), 2 anchors changed"; what became of picks may stand
// before the last number.
std::vector<int> numbers_of(const std::string& note) {
    std::smatch found;
    const std::regex form(
        R"((\d+) runs of (\d+) plans \((\d+) gave other bytes\), (?:.*, )?(\d+) anchors changed)");
    std::vector<int> numbers;
    if (std::regex_match(note, found, form)) {
        for (std::size_t i = 1; i < found.size(); ++i) {
            numbers.push_back(std::stoi(found[i]));
        }
    }
    return numbers;
}

// Whatever was faster this time: the bytes are those of the rules.
TEST(Tuner, PicksGiveTheBytesOfTheRules) {
    for (const std::string& text : {integers(), floats()}) {
        const Made made(text);
        const Trial rules = made.trial({});
        for (int i = 0; i < 2; ++i) {
            const Tuned tuned = made.tuned();
            EXPECT_TRUE(made.trial(tuned.choices()).same_outputs(rules)) << tuned.note;
        }
    }
}

TEST(Tuner, SaysWhatItDid) {
    const Tuned tuned = Made(integers()).tuned();
    const std::vector<int> numbers = numbers_of(tuned.note);
    ASSERT_EQ(numbers.size(), 4u) << tuned.note;
    EXPECT_GE(numbers[0], 5);
    EXPECT_EQ(numbers[1] + numbers[2], 4) << "the rules and three kinds of implementations";
    EXPECT_EQ(static_cast<std::size_t>(numbers[3]), tuned.anchors.size());
}

// What is a little faster is noise: three in a hundred at least, and another implementation.
TEST(Tuner, PicksAreFasterByMoreThanNoise) {
    const Made made(integers());
    for (int i = 0; i < 3; ++i) {
        for (const TunedAnchor& anchor : made.tuned().anchors) {
            EXPECT_NE(anchor.best, anchor.rules) << anchor.layer;
            EXPECT_LT(anchor.best_us, 0.97 * anchor.rules_us) << anchor.layer;
            EXPECT_TRUE(anchor.layer == "c" || anchor.layer == "c2") << anchor.layer;
        }
    }
}

// Plans whose bytes differ are not looked at, however fast they are.
TEST(Tuner, OtherBytesDoNotCount) {
    const Made made(floats());
    const Trial rules = made.trial({});
    int differ = 0;
    for (const char* all : {kFirstOneDnn, kSecondOneDnn, kOwnGemm}) {
        differ += made.trial({{"", all}}).same_outputs(rules) ? 0 : 1;
    }
    const Tuned tuned = made.tuned();
    const std::vector<int> numbers = numbers_of(tuned.note);
    ASSERT_EQ(numbers.size(), 4u) << tuned.note;
    EXPECT_EQ(numbers[2], differ);
}

TEST(Tuner, ChoicesAreByLayer) {
    Tuned tuned;
    tuned.anchors = {{"a", "x", "y", 2, 1}, {"b", "x", "z", 2, 1}};
    EXPECT_THAT(tuned.choices(),
                ::testing::ElementsAre(::testing::Pair("a", "y"), ::testing::Pair("b", "z")));
}

TEST(Tuner, APlanIsFasterWhenItWinsMostPairsByMoreThanNoise) {
    const std::vector<double> ten{10, 10, 10, 10, 10, 10, 10, 10};
    EXPECT_TRUE(is_clearly_faster(std::vector<double>{9, 9, 9, 9, 9, 9, 9, 9}, ten));
    EXPECT_FALSE(is_clearly_faster(ten, ten));
    EXPECT_FALSE(is_clearly_faster(ten, std::vector<double>{9, 9, 9, 9, 9, 9, 9, 9}));
    // Within the noise of 2 %.
    EXPECT_FALSE(
        is_clearly_faster(std::vector<double>{9.9, 9.9, 9.9, 9.9, 9.9, 9.9, 9.9, 9.9}, ten));
    // One lucky run, or as many wins as losses.
    EXPECT_FALSE(is_clearly_faster(std::vector<double>{5, 11, 11, 11, 11, 11, 11, 11}, ten));
    EXPECT_FALSE(is_clearly_faster(std::vector<double>{9, 9, 9, 9, 11, 11, 11, 11}, ten));
    // The machine slows down for a while; two of eight pairs are lost.
    EXPECT_TRUE(is_clearly_faster(std::vector<double>{9, 18, 18, 18, 9, 9, 21, 11},
                                  std::vector<double>{10, 20, 20, 20, 10, 10, 20, 10}));
}

TEST(Tuner, LeavesAModelThatIsTooSlowForTheBudgetToTheRules) {
    const Tuned tuned = Made(integers()).tuned(std::chrono::milliseconds(0));
    EXPECT_TRUE(tuned.anchors.empty());
    EXPECT_THAT(tuned.note, ::testing::MatchesRegex("not measured: 38 runs of [0-9]+ us are more "
                                                    "than the 0 ms that there are"));
}

TEST(Tuner, TakesTheTimeThatItIsGiven) {
    const Made made(integers());
    const auto begin = std::chrono::steady_clock::now();
    const std::vector<int> numbers = numbers_of(made.tuned(std::chrono::milliseconds(150)).note);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(80));
    ASSERT_EQ(numbers.size(), 4u);
    EXPECT_GE(numbers[0], 5);
}

}  // namespace
}  // namespace fuseq::cpu
