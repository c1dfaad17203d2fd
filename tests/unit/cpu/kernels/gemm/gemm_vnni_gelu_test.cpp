// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The tables of gelu.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"

namespace fuseq::kernels {
namespace {

using post_ops::EltwiseKind;

double erf_form(double x) {
    return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
}
double tanh_form(double x) {
    return 0.5 * x *
           (1.0 + std::tanh(std::sqrt(2.0 / 3.14159265358979) * (x + 0.044715 * x * x * x)));
}

// The largest error for the larger of the value and 1.
template <class Table>
double worst(EltwiseKind kind, double (*exact)(double)) {
    const Table table({.kind = kind});
    double worst = 0;
    for (float x = -12.0f; x < 12.0f; x += 0.0003f) {
        const double want = exact(x);
        worst = std::max(worst, std::abs(table.value(x) - want) / std::max(1.0, std::abs(want)));
    }
    return worst;
}

template <class Table>
class GemmGeluTables : public testing::Test {};
using Tables = testing::Types<gemm::GeluTable, gemm::ShortGeluTable>;
TYPED_TEST_SUITE(GemmGeluTables, Tables);

// Where it is rounded to 8 bits, gelu comes from a table.
TYPED_TEST(GemmGeluTables, AreGoodTo1e6) {
    EXPECT_LT(worst<TypeParam>(EltwiseKind::kGeluErf, erf_form), 1e-6);
    EXPECT_LT(worst<TypeParam>(EltwiseKind::kGeluTanh, tanh_form), 1e-6);
}

TYPED_TEST(GemmGeluTables, AreExactAtZeroAndAtTheirEnd) {
    const TypeParam table({.kind = EltwiseKind::kGeluErf});
    EXPECT_EQ(table.value(0.0f), 0.0f);
    for (const float x : {5.125f, 5.5f, 8.0f, 1e30f}) {
        EXPECT_EQ(table.value(x), x);
        EXPECT_EQ(table.value(-x), 0.0f);
    }
}

TYPED_TEST(GemmGeluTables, HaveTheScaleInThem) {
    const TypeParam table({.kind = EltwiseKind::kGeluErf, .scale = -37.5f});
    for (const float x : {-3.0f, -0.4f, 0.2f, 1.7f, 6.0f}) {
        EXPECT_NEAR(table.value(x), -37.5 * erf_form(x), 37.5 * 1e-6 * std::max(1.0f, x)) << x;
    }
}

TEST(GemmGeluTable, KnowsTwoForms) {
    EXPECT_TRUE(gemm::GeluTable::knows(EltwiseKind::kGeluErf));
    EXPECT_TRUE(gemm::GeluTable::knows(EltwiseKind::kGeluTanh));
    EXPECT_FALSE(gemm::GeluTable::knows(EltwiseKind::kSwish));
}

}  // namespace
}  // namespace fuseq::kernels
