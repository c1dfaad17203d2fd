// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Tiles that stay in registers give the bytes of the micro-kernel and the general epilogue after
// it, which other tests compare with the definition.
#include <gtest/gtest.h>

#include "unit/cpu/kernels/gemm/gemm_vnni_lists.hpp"
#include "unit/cpu/kernels/gemm/gemm_vnni_micro_problem.hpp"

namespace fuseq::kernels {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using gemm::Store;
using Kind = GemmOp::Kind;

Bytes in_two_steps(const MicroProblem& p,
                   const gemm::Epilogue& epilogue,
                   const gemm::Panel& panel,
                   Store store,
                   std::size_t rows) {
    EpilogueMemory memory(epilogue);
    AlignedVector<std::int32_t> tile((gemm::kTileVectors + 3) * gemm::kLanes);
    gemm::micro_functions<2>()[rows - 1](p.call(tile.data()));
    gemm::general_epilogue(store, p.vectors, true)(memory.call(epilogue, panel, tile.data(), rows));
    return memory.dst;
}

// The number of functions that there were.
std::size_t expect_same(const gemm::Epilogue& epilogue, Store store) {
    const auto* functions = gemm::fused_functions(epilogue, store);
    const MicroProblem p = random_micro_problem(2);
    const gemm::Panel panel{.channel = 16, .channels = 2 * gemm::kLanes, .vectors = 2};
    std::size_t found = 0;
    for (std::size_t rows = 1; functions != nullptr && rows <= gemm::kMaxRows[2]; ++rows) {
        if (functions[rows - 1] == nullptr) {
            continue;
        }
        ++found;
        EpilogueMemory memory(epilogue);
        functions[rows - 1](p.call(nullptr), memory.call(epilogue, panel, nullptr, rows));
        EXPECT_EQ(memory.dst, in_two_steps(p, epilogue, panel, store, rows)) << rows << " rows";
    }
    return found;
}

TEST_F(GemmVnniTest, FusedTilesGiveTheBytesOfTheTwoSteps) {
    std::mt19937 rng(5);
    std::size_t found = 0;
    const auto lists = frequent_lists(rng);
    for (std::size_t i = 0; i < lists.size(); ++i) {
        for (const Store store : {Store::kU8, Store::kI8, Store::kF32}) {
            SCOPED_TRACE(testing::Message() << "list " << i << ", store " << int(store));
            found += expect_same(epilogue_of(lists[i]), store);
        }
    }
    EXPECT_GT(found, 32u);
}

TEST_F(GemmVnniTest, OtherTilesAreNotFused) {
    std::mt19937 rng(5);
    gemm::Epilogue epilogue;
    EXPECT_NE(gemm::fused_functions(epilogue, Store::kU8), nullptr);
    EXPECT_EQ(gemm::fused_functions(epilogue, Store::kF32), nullptr);
    epilogue.clamp = true;
    EXPECT_EQ(gemm::fused_functions(epilogue, Store::kU8), nullptr);
    epilogue.clamp = false;
    EXPECT_EQ(gemm::fused_functions(with_zero_points(epilogue), Store::kU8), nullptr);
    epilogue.ops = {operation(rng, Kind::kMin)};
    EXPECT_EQ(gemm::fused_functions(epilogue, Store::kU8), nullptr);
}

}  // namespace
}  // namespace fuseq::kernels
