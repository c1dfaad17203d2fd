// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/common/copy_flipped.hpp"

#include <gtest/gtest.h>

#include <random>

#include "cpu/kernels/gemm/gemm_vnni.hpp"
#include "unit/cpu/kernels/common/elements.hpp"

namespace fuseq::kernels {
namespace {

// Every length around the vectors', and nothing after the end.
TEST(CopyFlipped, CopiesSoManyBytes) {
    if (!GemmVnni::available()) {
        GTEST_SKIP() << "this machine has no AVX-512 VNNI";
    }
    std::mt19937 rng(1);
    const test::Bytes src = test::random_elements(rng, ElementType::u8, 300);
    for (const std::uint8_t flip : {0x00, 0x80}) {
        for (std::size_t bytes = 0; bytes <= 200; ++bytes) {
            test::Bytes dst(300, 0xA5);
            copy_flipped(src.data() + 1, dst.data() + 3, bytes, flip);
            test::Bytes want(300, 0xA5);
            for (std::size_t i = 0; i < bytes; ++i) {
                want[3 + i] = src[1 + i] ^ flip;
            }
            ASSERT_EQ(dst, want) << bytes << " bytes, flip " << int{flip};
        }
    }
}

}  // namespace
}  // namespace fuseq::kernels
