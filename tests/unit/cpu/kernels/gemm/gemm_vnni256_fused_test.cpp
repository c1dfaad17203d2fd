// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Tiles of 256 bits that leave registers by a requantizing add: the bytes of the operations, one value at a time.
#include "cpu/kernels/gemm/gemm_vnni256_fused.hpp"

#include <gtest/gtest.h>

#include "unit/cpu/kernels/depthwise/vnni256_encodings.hpp"
#include "unit/cpu/kernels/gemm/gemm_residual_blocks.hpp"
#include "unit/cpu/kernels/gemm/gemm_vnni_lists.hpp"
#include "unit/cpu/kernels/gemm/gemm_vnni_micro_problem.hpp"

namespace fuseq::kernels {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using fuseq::test::with_each_encoding;

constexpr std::size_t kFirstChannel = 16;
constexpr std::size_t kMaxTileRows = 7;

int element_of(const Bytes& bytes, std::size_t at, bool is_signed) {
    return is_signed ? static_cast<std::int8_t>(bytes[at]) : bytes[at];
}

// A block's epilogue, whose sums become all bytes of q and some beyond them.
gemm::Epilogue epilogue_of_block(std::mt19937& rng, std::vector<PackedOp> ops, ElementType q) {
    gemm::Epilogue epilogue;
    const float middle = q == ElementType::u8 ? 128.0f : 0.0f;
    epilogue.bias = constants(rng, 200 * (middle - 20), 200 * (middle + 20));
    epilogue.scale = constants(rng, 0.004f, 0.006f);
    epilogue.ops = std::move(ops);
    return epilogue;
}

void expect_bytes(const gemm::Epilogue& epilogue,
                  const MicroProblem& p,
                  const EpilogueMemory& memory,
                  std::size_t rows,
                  Store store) {
    const bool r_signed = std::any_of(epilogue.ops.begin(), epilogue.ops.end(), [](const auto& op) {
        return op.kind == Kind::kSum && op.binary.type == ElementType::i8;
    });
    for (std::size_t at = 0; at < EpilogueMemory::kPixels * kEpilogueChannels; ++at) {
        const std::size_t row = at / kEpilogueChannels - 2;  // the first pixel is number 2
        const std::size_t lane = at % kEpilogueChannels - kFirstChannel;
        if (row >= rows || lane >= gemm::kLanes) {
            ASSERT_EQ(memory.dst[at], 0xA5) << "byte " << at;
            continue;
        }
        const std::size_t c = kFirstChannel + lane;
        const float sum = static_cast<float>(p.expected(row, lane)) + epilogue.bias[c];
        const float q = std::clamp(std::nearbyint(sum * epilogue.scale[c]), epilogue.ops[0].a[0],
                                   epilogue.ops[0].b[0]);
        const int r = element_of(memory.tensor, at, r_signed);
        ASSERT_EQ(element_of(memory.dst, at, store == Store::kI8),
                  by_operations(epilogue.ops, store, static_cast<int>(q), r))
            << "row " << row << ", channel " << c;
    }
}

// The number of tiles that there were.
std::size_t check_tiles(const gemm::Epilogue& epilogue, Store store) {
    const MicroProblem p = random_micro_problem(1);
    const gemm::Panel panel{.channel = kFirstChannel, .channels = gemm::kLanes, .vectors = 1};
    std::size_t found = 0;
    EXPECT_TRUE(with_each_encoding([&] {
        const auto* functions = gemm::vnni256_fused_functions(epilogue, store);
        ASSERT_NE(functions, nullptr);
        for (std::size_t rows = 1; rows <= kMaxTileRows; ++rows) {
            if (functions[rows - 1] != nullptr) {
                ++found;
                const EpilogueMemory memory(epilogue);
                functions[rows - 1](p.call(nullptr), memory.call(epilogue, panel, nullptr, rows));
                expect_bytes(epilogue, p, memory, rows, store);
            }
        }
    }));
    return found;
}

class Vnni256Fused : public testing::Test {
protected:
    void SetUp() override {
        if (!with_each_encoding([] {})) {
            GTEST_SKIP() << "this machine has neither AVX-VNNI nor AVX-512 VNNI";
        }
    }
};

TEST_F(Vnni256Fused, TilesThatAddGiveTheBytesOfTheOperations) {
    const auto seed = std::random_device{}();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 rng(seed);
    int searched = 0;
    int added = 0;
    for (const ElementType q : {ElementType::u8, ElementType::i8}) {
        for (const ElementType r : {ElementType::u8, ElementType::i8}) {
            for (const Store store : {Store::kU8, Store::kI8}) {
                for (int i = 0; i < 4; ++i, ++searched) {
                    gemm::Epilogue epilogue = epilogue_of_block(rng, random_block(rng, q, r), q);
                    epilogue.add =
                        gemm::find_requantizing_add(epilogue.ops, store, kEpilogueChannels);
                    if (!epilogue.add) {
                        continue;
                    }
                    ++added;
                    EXPECT_GE(check_tiles(epilogue, store), 2u);
                    // Other functions than those of the list of operations.
                    const auto* with = gemm::vnni256_fused_functions(epilogue, store);
                    epilogue.add.reset();
                    EXPECT_NE(gemm::vnni256_fused_functions(epilogue, store), with);
                }
            }
        }
    }
    EXPECT_GT(added, searched / 2);
}

// Other tiles of the same result have the elu of the list: bytes must not depend on the tile.
TEST_F(Vnni256Fused, ActivationsAfterTheSumKeepTheirList) {
    gemm::Epilogue epilogue;
    epilogue.ops = {bytes(ElementType::u8)};
    epilogue.add.emplace();
    EXPECT_NE(gemm::vnni256_fused_functions(epilogue, Store::kU8), nullptr);
    epilogue.add->elu_table.emplace();
    EXPECT_EQ(gemm::vnni256_fused_functions(epilogue, Store::kU8), nullptr);
    epilogue.add->elu_table.reset();
    epilogue.add->below.emplace();
    EXPECT_EQ(gemm::vnni256_fused_functions(epilogue, Store::kU8), nullptr);
}

}  // namespace
}  // namespace fuseq::kernels
