// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/reorder.hpp"

#include <numeric>

#include <gtest/gtest.h>

namespace fuseq::cpu {
namespace {

// The smallest shape seen at which oneDNN's jit:uni reorder goes wrong with two threads.
TEST(Reordered, KeepsEveryElementOfALargeConstant) {
    const Shape shape{2, 8, 1080, 1920};
    Tensor plain(ElementType::i32, shape);
    std::int32_t* values = plain.data<std::int32_t>();
    std::iota(values, values + plain.get_size(), 0);
    for (const int threads : {1, 2, 4}) {
        const ThreadCount use(threads);
        const Tensor last = reordered(plain, Layout::kChannelsLast);
        const std::int32_t* got = last.data<std::int32_t>();
        const std::size_t pixels = shape[2] * shape[3];
        std::size_t wrong = 0;
        for (std::size_t n = 0; n < shape[0]; ++n) {
            for (std::size_t c = 0; c < shape[1]; ++c) {
                for (std::size_t p = 0; p < pixels; ++p) {
                    wrong += got[(n * pixels + p) * shape[1] + c] !=
                                     values[(n * shape[1] + c) * pixels + p]
                                 ? 1
                                 : 0;
                }
            }
        }
        EXPECT_EQ(wrong, 0u) << threads << " threads";
    }
}

}  // namespace
}  // namespace fuseq::cpu
