// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The micro-kernels against plain loops, for every number of rows.
#include <gtest/gtest.h>

#include "unit/cpu/kernels/gemm/gemm_vnni_micro_problem.hpp"

namespace fuseq::kernels {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

TEST_F(GemmVnniTest, MicroKernelsOfEveryNumberOfRows) {
    for (const std::size_t vectors : {1, 2}) {
        const MicroProblem p = random_micro_problem(vectors);
        const auto* functions =
            vectors == 1 ? gemm::micro_functions<1>() : gemm::micro_functions<2>();
        const std::size_t lanes = gemm::kLanes * vectors;
        for (std::size_t rows = 1; rows <= gemm::kMaxRows[vectors]; ++rows) {
            SCOPED_TRACE(testing::Message() << rows << " x " << vectors);
            AlignedVector<std::int32_t> tile((rows + 1) * lanes, 77);
            functions[rows - 1](p.call(tile.data()));
            for (std::size_t i = 0; i < tile.size(); ++i) {
                const std::size_t row = i / lanes;
                ASSERT_EQ(tile[i], row < rows ? p.expected(row, i % lanes) : 77) << "value " << i;
            }
        }
    }
}

}  // namespace
}  // namespace fuseq::kernels
