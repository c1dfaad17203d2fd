// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/compile/original_model.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "fuseq/error.hpp"

namespace fuseq::cpu {
namespace {

TEST(OriginalModel, AModelIsItsOwnPorts) {
    const auto model = std::make_shared<Model>("m");
    const OriginalModel original(model);
    EXPECT_TRUE(original);
    EXPECT_EQ(original.ports(), model);
    EXPECT_EQ(original.model(), model);
    EXPECT_FALSE(OriginalModel());
}

TEST(OriginalModel, IsReadWhenSomebodyAsksAndOnce) {
    const auto ports = std::make_shared<Model>("ports");
    std::atomic<int> reads = 0;
    const OriginalModel original(ports, [&] {
        ++reads;
        return std::make_shared<Model>("all");
    });
    const OriginalModel copy = original;
    EXPECT_EQ(original.ports(), ports);
    EXPECT_EQ(reads, 0);
    std::vector<std::shared_ptr<const Model>> seen(4);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < seen.size(); ++i) {
        threads.emplace_back([&, i] { seen[i] = (i % 2 == 0 ? original : copy).model(); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(reads, 1);
    for (const auto& model : seen) {
        EXPECT_EQ(model, seen[0]);
        EXPECT_EQ(model->name(), "all");
    }
    EXPECT_EQ(original.ports(), ports);
}

TEST(OriginalModel, MayBeReadAgainWhereThatFailed) {
    int reads = 0;
    const OriginalModel original(std::make_shared<Model>("ports"), [&] {
        if (++reads == 1) {
            throw Error("blob", "no memory");
        }
        return std::make_shared<Model>("all");
    });
    EXPECT_THROW(original.model(), Error);
    EXPECT_EQ(original.model()->name(), "all");
}

}  // namespace
}  // namespace fuseq::cpu
