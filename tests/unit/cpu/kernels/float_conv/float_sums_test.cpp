// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/float_conv/float_sums.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <thread>

#include "cpu/machine/instructions.hpp"

namespace fuseq::kernels {
namespace {

bool same(const std::optional<FloatSum>& a, const std::optional<FloatSum>& b) {
    return a.has_value() == b.has_value() &&
           (!a || (a->begin == b->begin && a->scale == b->scale && a->shift == b->shift));
}

class FloatSumsTest : public testing::Test {
protected:
    void SetUp() override {
        if (!has_avx512_vnni()) {
            GTEST_SKIP() << "this machine has no AVX-512 VNNI";
        }
        std::mt19937 random(7);
        for (int i = 0; i < 300; ++i) {
            ByteRule rule;
            rule.scale = std::ldexp(1.0f + static_cast<float>(random() % 1000) / 1000, -10);
            rule.bias = static_cast<float>(random() % 64);
            rule.is_signed = random() % 2 == 0;
            rule.bias_first = random() % 2 == 0;
            // Some are so wide that there is no short way.
            rule.max = 1 << (10 + random() % 14);
            rule.min = -rule.max;
            rules_.push_back(rule);
        }
    }
    std::vector<ByteRule> rules_;
};

TEST_F(FloatSumsTest, WhatIsKnownIsWhatWasFound) {
    FloatSums first({}, true);
    std::size_t none = 0;
    for (const ByteRule& rule : rules_) {
        const auto sum = search_float_sum(rule);
        none += sum ? 0 : 1;
        EXPECT_TRUE(same(first.find(rule), sum));
    }
    EXPECT_GT(none, 10u);
    EXPECT_GT(rules_.size() - none, 10u);
    const std::vector<FloatSums::Entry> table = first.table();
    EXPECT_TRUE(std::has_single_bit(table.size()));
    FloatSums second(table, true);
    for (const ByteRule& rule : rules_) {
        EXPECT_TRUE(same(second.find(rule), search_float_sum(rule)));
    }
    EXPECT_TRUE(second.table().empty()) << "everything was known";
}

// The answer of a table that says otherwise: it is the table that is asked.
TEST_F(FloatSumsTest, OfOneThreadWhileAScopeLives) {
    FloatSums first({}, true);
    const auto right = first.find(rules_[0]);
    std::vector<FloatSums::Entry> table = first.table();
    for (FloatSums::Entry& entry : table) {
        entry.begin = 77;
    }
    FloatSums forged(table);
    {
        const FloatSums::Scope scope(&forged);
        EXPECT_EQ(float_sum(rules_[0])->begin, 77);
        std::thread([&] { EXPECT_TRUE(same(float_sum(rules_[0]), right)); }).join();
        {
            const FloatSums::Scope none(nullptr);
            EXPECT_TRUE(same(float_sum(rules_[0]), right));
        }
        EXPECT_EQ(float_sum(rules_[0])->begin, 77);
        for (auto change : {+[](ByteRule& r) { r.scale *= 2; }, +[](ByteRule& r) { r.bias += 1; },
                            +[](ByteRule& r) { ++r.min; }, +[](ByteRule& r) { --r.max; },
                            +[](ByteRule& r) { r.is_signed = !r.is_signed; },
                            +[](ByteRule& r) { r.bias_first = !r.bias_first; },
                            +[](ByteRule& r) { r.clips = !r.clips; }}) {
            ByteRule other = rules_[0];
            change(other);
            EXPECT_TRUE(same(float_sum(other), search_float_sum(other)));
        }
    }
    EXPECT_TRUE(same(float_sum(rules_[0]), right));
}

TEST_F(FloatSumsTest, ATableThatIsNoneIsNotAsked) {
    FloatSums first({}, true);
    const auto right = first.find(rules_[0]);
    first.find(rules_[1]);
    std::vector<FloatSums::Entry> table = first.table();
    ASSERT_EQ(table.size(), 4u);
    table.pop_back();
    EXPECT_TRUE(same(FloatSums(table).find(rules_[0]), right));
    // One without an empty place.
    std::vector<FloatSums::Entry> full(4);
    for (FloatSums::Entry& entry : full) {
        entry.check = 5;
    }
    EXPECT_TRUE(same(FloatSums(full).find(rules_[0]), right));
}

TEST_F(FloatSumsTest, AreFoundByManyThreads) {
    FloatSums sums({}, true);
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            const FloatSums::Scope scope(&sums);
            for (const ByteRule& rule : rules_) {
                float_sum(rule);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    const std::vector<FloatSums::Entry> table = sums.table();
    FloatSums again(table, true);
    for (const ByteRule& rule : rules_) {
        again.find(rule);
    }
    EXPECT_TRUE(again.table().empty());
}

// A file that keeps the table has the same bytes however threads took turns.
TEST_F(FloatSumsTest, TheTableDoesNotDependOnTheOrderOfQuestions) {
    FloatSums forward({}, true);
    for (const ByteRule& rule : rules_) {
        forward.find(rule);
    }
    FloatSums backward({}, true);
    for (auto rule = rules_.rbegin(); rule != rules_.rend(); ++rule) {
        backward.find(*rule);
        backward.find(*rule);
    }
    const std::vector<FloatSums::Entry> a = forward.table();
    const std::vector<FloatSums::Entry> b = backward.table();
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(a[i].key, b[i].key);
        EXPECT_EQ(a[i].check, b[i].check);
        EXPECT_EQ(a[i].begin, b[i].begin);
    }
}

}  // namespace
}  // namespace fuseq::kernels
