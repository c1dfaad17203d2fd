// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Against the rules of src/ops/quantized/rules, which are held against gemmlowp
// (tests/unit/ops/quantized/lstm_test.cpp).
#include "cpu/kernels/recurrent/integer_lstm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "ops/quantized/rules/fixed_point_16.hpp"
#include "unit/cpu/kernels/common/on_every_target.hpp"

namespace fuseq::kernels {
namespace {

using Function = void (*)(const std::int16_t*, std::size_t, int, std::int16_t*);
using Rule = std::int32_t (*)(std::int32_t, int);

// All 65536 values, by every number of integer bits that cells and gates have.
void expect_rule(Function function, Rule rule) {
    std::vector<std::int16_t> src(65536);
    std::iota(src.begin(), src.end(), std::int16_t{-32768});
    for (int bits = 0; bits <= 6; ++bits) {
        std::vector<std::int16_t> expected(src.size());
        std::transform(src.begin(), src.end(), expected.begin(),
                       [&](std::int16_t a) { return static_cast<std::int16_t>(rule(a, bits)); });
        test::on_every_target([&](const std::string&) {
            std::vector<std::int16_t> dst(src.size());
            function(src.data(), src.size(), bits, dst.data());
            EXPECT_EQ(dst, expected) << bits << " integer bits";
        });
    }
}

TEST(IntegerLstm, LogisticIsTheRulesInEveryBit) {
    expect_rule(fixed_16_logistic, rules::fixed_16::logistic);
}

TEST(IntegerLstm, TanhIsTheRulesInEveryBit) {
    expect_rule(fixed_16_tanh, rules::fixed_16::tanh);
}

}  // namespace
}  // namespace fuseq::kernels
