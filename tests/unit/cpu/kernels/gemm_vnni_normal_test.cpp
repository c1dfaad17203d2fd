// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The table of the normal distribution.
#include <gtest/gtest.h>

#include <cmath>

#include "cpu/kernels/gemm_vnni_detail.hpp"

namespace fuseq::kernels {
namespace {

// Where it is rounded to 8 bits, gelu_erf comes from a table.
TEST(GemmNormalTable, IsGoodToFloats) {
    for (double t = 0; t < 9; t += 0.001) {
        ASSERT_NEAR(gemm::normal_table().value(t), 0.5 * std::erf(t / std::sqrt(2.0)), 6e-8) << t;
    }
}

// Nothing from 0 to 0; a half beyond the last interval, whatever t.
TEST(GemmNormalTable, Ends) {
    EXPECT_NEAR(gemm::normal_table().value(0.0), 0.0, 6e-8);
    EXPECT_NEAR(gemm::normal_table().value(1e6), 0.5, 6e-8);
}

}  // namespace
}  // namespace fuseq::kernels
