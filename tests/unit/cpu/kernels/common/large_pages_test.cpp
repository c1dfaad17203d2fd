// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/common/large_pages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <thread>

namespace fuseq::kernels {
namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

// What was taken, with a byte that all of it is set to.
struct Part {
    std::size_t bytes;
    unsigned char* memory;
    unsigned char value;
};

Part take(std::size_t bytes, unsigned char value) {
    Part part{bytes, static_cast<unsigned char*>(take_large_pages(bytes)), value};
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(part.memory) % 64, 0u);
    EXPECT_TRUE(std::all_of(part.memory, part.memory + bytes, [](auto b) { return b == 0; }))
        << bytes;
    std::memset(part.memory, value, bytes);
    return part;
}

void give_back(const Part& part) {
    EXPECT_TRUE(std::all_of(part.memory, part.memory + part.bytes, [&](auto b) {
        return b == part.value;
    })) << part.bytes;
    give_back_large_pages(part.memory, part.bytes);
}

// In any order, of any size: zero, on a cache line, and nobody else's.
void take_and_give_back(unsigned seed) {
    std::mt19937 rng(seed);
    std::vector<Part> parts;
    for (unsigned i = 0; i < 300; ++i) {
        const std::size_t bytes = rng() % 10 == 0 ? rng() % (5 * kMegabyte) : rng() % 40000;
        parts.push_back(take(bytes, static_cast<unsigned char>(1 + rng() % 255)));
        if (rng() % 2 == 0) {
            const std::size_t which = rng() % parts.size();
            give_back(parts[which]);
            parts[which] = parts.back();
            parts.pop_back();
        }
    }
    for (const Part& part : parts) {
        give_back(part);
    }
}

TEST(LargePages, AreZeroAndNobodyElses) {
    take_and_give_back(1);
}

TEST(LargePages, OfSeveralThreads) {
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 4; ++t) {
        threads.emplace_back([t] { take_and_give_back(10 + t); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

TEST(LargePages, VectorsAndPointers) {
    LargePageVector<float> list(100000, 1.5f);
    list.resize(300000, 2.5f);
    EXPECT_EQ(list.front(), 1.5f);
    EXPECT_EQ(list.back(), 2.5f);
    const LargePageVector<float> copy = list;
    EXPECT_EQ(copy, list);
    std::shared_ptr<void> memory = on_large_pages(3 * kMegabyte);
    EXPECT_EQ(static_cast<const char*>(memory.get())[3 * kMegabyte - 1], 0);
    EXPECT_NE(on_large_pages(0), nullptr);
}

}  // namespace
}  // namespace fuseq::kernels
