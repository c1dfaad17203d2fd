// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

// Logarithms of the probabilities 1/2, 1/4, 1/4 of classes 0, 1 and the blank, 2; after that they
// are moved, which a softmax does not see.
std::vector<float> logits(std::size_t steps) {
    std::vector<float> values;
    for (std::size_t t = 0; t < steps; ++t) {
        for (const float p : {0.5F, 0.25F, 0.25F}) {
            values.push_back(std::log(p) + static_cast<float>(t));
        }
    }
    return values;
}

// exp(-loss), the probability of the paths of one text.
double probability(const std::string& attributes,
                   std::size_t steps,
                   const std::vector<std::int32_t>& labels,
                   std::int32_t blank = 2) {
    std::vector<std::int32_t> row = labels;
    row.resize(steps, 9);  // values after the labels are not read
    const auto count = static_cast<std::int32_t>(labels.size());
    const auto length = static_cast<std::int32_t>(steps);
    std::vector<In> inputs = {in_f32({1, steps, 3}, logits(steps)), in<std::int32_t>({1}, {length}),
                              in<std::int32_t>({1, steps}, row), in<std::int32_t>({1}, {count})};
    if (blank != 2) {
        inputs.push_back(in<std::int32_t>({}, {blank}));
    }
    const auto out = run_op("CTCLoss", 4, attributes, inputs);
    EXPECT_EQ(out[0].get_shape(), Shape{1});
    return std::exp(-static_cast<double>(to_floats(out[0])[0]));
}

constexpr double kClose = 1e-6;

TEST(CtcLoss, AddsUpThePathsOfAText) {
    // "0" in one step: 1/2. In two: 00, 0-, -0 are 1/4 + 1/8 + 1/8.
    EXPECT_NEAR(probability("", 1, {0}), 0.5, kClose);
    EXPECT_NEAR(probability("", 2, {0}), 0.5, kClose);
    // "01" in two steps: 1/8. In three: 001 is 1/16; 011, 01-, 0-1, -01 are 1/32.
    EXPECT_NEAR(probability("", 2, {0, 1}), 0.125, kClose);
    EXPECT_NEAR(probability("", 3, {0, 1}), 1.0 / 16 + 4.0 / 32, kClose);
    // Nothing is said: blanks only.
    EXPECT_NEAR(probability("", 2, {}), 1.0 / 16, kClose);
}

TEST(CtcLoss, NeedsABlankBetweenEqualLabels) {
    // "00": 0-0 only; without steps enough no path, and an infinite loss.
    EXPECT_NEAR(probability("", 3, {0, 0}), 1.0 / 16, kClose);
    EXPECT_EQ(probability("", 2, {0, 0}), 0);
}

TEST(CtcLoss, SaysEveryLabelOnceWithoutMerging) {
    const std::string once = "ctc_merge_repeated=false";
    // "0" in two steps: 0- and -0.
    EXPECT_NEAR(probability(once, 2, {0}), 0.25, kClose);
    // "00": 00 in two steps; 00-, 0-0, -00 in three.
    EXPECT_NEAR(probability(once, 2, {0, 0}), 0.25, kClose);
    EXPECT_NEAR(probability(once, 3, {0, 0}), 3.0 / 16, kClose);
    // "01" in three: 01-, 0-1, -01.
    EXPECT_NEAR(probability(once, 3, {0, 1}), 3.0 / 32, kClose);
}

TEST(CtcLoss, PreparesTheLabels) {
    // "0010" as "010": 3 labels in 4 steps, and as "01".
    const double plain = probability("", 4, {0, 1, 0});
    EXPECT_NEAR(probability("preprocess_collapse_repeated=true", 4, {0, 0, 1, 0}), plain, kClose);
    EXPECT_NEAR(probability("unique=true", 4, {0, 0, 1, 0}), probability("", 4, {0, 1}), kClose);
    EXPECT_NEAR(probability("unique=true; preprocess_collapse_repeated=true", 4, {1, 1, 0, 1}),
                probability("", 4, {1, 0}), kClose);
    // 0010, 0110, 0100, 0-10, 01-0, -010, 010- : 0's of 1/2, others of 1/4.
    EXPECT_NEAR(plain, 2.0 / 32 + 1.0 / 64 + 4.0 / 64, kClose);
    EXPECT_NE(probability("", 4, {0, 0, 1, 0}), plain);
}

TEST(CtcLoss, TakesABlankIndex) {
    // Class 0 is the blank: "1" in two steps is 11, 10, 01; 1/16 + 2/8.
    EXPECT_NEAR(probability("", 2, {1}, 0), 1.0 / 16 + 2.0 / 8, kClose);
    EXPECT_NEAR(probability("", 2, {1, 2}, 0), 1.0 / 16, kClose);
}

TEST(CtcLoss, KeepsSequencesApart) {
    std::vector<float> both = logits(2);
    const std::vector<float> same = logits(2);
    both.insert(both.end(), same.begin(), same.end());
    // The first has one step. Large logits do not overflow.
    for (float& v : both) {
        v += 1000;
    }
    const auto out = run_op("CTCLoss", 4, "",
                            {in_f32({2, 2, 3}, both), in<std::int64_t>({2}, {1, 2}),
                             in<std::int64_t>({2, 2}, {0, 7, 0, 1}), in<std::int64_t>({2}, {1, 2}),
                             in<std::int64_t>({1}, {2})});
    expect_near(out[0], {2}, {std::log(2.0F), std::log(8.0F)}, 1e-3);
}

TEST(CtcLoss, RunsInDouble) {
    const auto out = run_op("CTCLoss", 4, "",
                            {in<double>({1, 1, 2}, {0, 1e-12}), in<std::int32_t>({1}, {1}),
                             in<std::int32_t>({1, 1}, {0}), in<std::int32_t>({1}, {1})});
    EXPECT_NEAR(*out[0].data<double>(), std::log(2.0) + 0.5e-12, 1e-15);
}

TEST(CtcLoss, Infers) {
    const auto shape = [](const std::string& logits, const std::string& lengths,
                          const std::string& labels, const std::string& counts) {
        return shape_of("CTCLoss", 4, "",
                        {open(ElementType::f32, logits), open(ElementType::i32, lengths),
                         open(ElementType::i64, labels), open(ElementType::i32, counts)});
    };
    EXPECT_EQ(shape("[8,20,128]", "[8]", "[8,20]", "[8]"), "[8]");
    EXPECT_EQ(shape("[?,20,128]", "[?]", "[?,?]", "[8]"), "[8]");
    EXPECT_EQ(shape("...", "...", "...", "..."), "[?]");
}

TEST(CtcLoss, Refuses) {
    const In logit = open(ElementType::f32, "[2,5,3]");
    const In length = open(ElementType::i32, "[2]");
    const In label = open(ElementType::i32, "[2,5]");
    const auto refused = [](const std::vector<In>& inputs) {
        return error_of("CTCLoss", 4, "", inputs);
    };
    EXPECT_THAT(refused({open(ElementType::i32, "[2,5,3]"), length, label, length}),
                HasSubstr("logits is i32, expected a real type"));
    EXPECT_THAT(refused({logit, open(ElementType::f32, "[2]"), label, length}),
                HasSubstr("logit_length is f32, expected an integer type"));
    EXPECT_THAT(refused({open(ElementType::f32, "[2,5]"), length, label, length}),
                HasSubstr("logits has shape [2,5], expected rank 3"));
    EXPECT_THAT(refused({logit, length, open(ElementType::i32, "[2,6]"), length}),
                HasSubstr("labels [2,6], label_length [2], expected [N,T,C], [N], [N,T] and [N]"));
    EXPECT_THAT(refused({logit, open(ElementType::i32, "[3]"), label, length}),
                HasSubstr("logit_length [3]"));
    EXPECT_THAT(refused({logit, length, label, length, int_scalar(3)}),
                HasSubstr("blank_index is 3, but there are 3 classes"));
    EXPECT_THAT(refused({logit, length, label, length, ints({0, 1})}),
                HasSubstr("blank_index has shape [2], expected one element"));
    const auto failed = [](std::int32_t steps, const std::vector<std::int32_t>& labels,
                           std::int32_t count) {
        return error_of("CTCLoss", 4, "",
                        {in_f32({1, 2, 3}, logits(2)), in<std::int32_t>({1}, {steps}),
                         in<std::int32_t>({1, 2}, labels), in<std::int32_t>({1}, {count})});
    };
    EXPECT_THAT(failed(3, {0, 1}, 2),
                HasSubstr("logit_length has the value 3, expected one in [0, 2]"));
    EXPECT_THAT(failed(-1, {0, 1}, 0), HasSubstr("logit_length has the value -1"));
    EXPECT_THAT(failed(1, {0, 1}, 2),
                HasSubstr("label_length has the value 2, expected one in [0, 1]"));
    EXPECT_THAT(failed(2, {0, 3}, 2),
                HasSubstr("label 1 of sequence 0 is 3, expected a class in [0, 2]"));
    EXPECT_THAT(failed(2, {2, 0}, 2), HasSubstr("label 0 of sequence 0 is 2"));
    EXPECT_THAT(failed(2, {-1, 0}, 2), HasSubstr("label 0 of sequence 0 is -1"));
}

}  // namespace
}  // namespace fuseq::test
