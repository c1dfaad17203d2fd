// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/machine/topology.hpp"

#include <algorithm>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/cpu/machine/made_topology.hpp"

namespace fuseq::cpu {
namespace {

using ::testing::ElementsAre;

std::vector<int> numbers(const Topology& topology, int Processor::*number) {
    std::vector<int> all;
    for (const Processor& p : topology.processors) {
        all.push_back(p.*number);
    }
    return all;
}

TEST(Topology, SaysWhichProcessorsAreTogether) {
    const Topology t = test::synthetic("pack:2 numa:1 l3:2 core:1 pu:2");
    EXPECT_THAT(numbers(t, &Processor::id), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
    EXPECT_THAT(numbers(t, &Processor::core), ElementsAre(0, 0, 1, 1, 2, 2, 3, 3));
    EXPECT_THAT(numbers(t, &Processor::sibling), ElementsAre(0, 1, 0, 1, 0, 1, 0, 1));
    EXPECT_THAT(numbers(t, &Processor::slice), ElementsAre(0, 0, 1, 1, 2, 2, 3, 3));
    EXPECT_THAT(numbers(t, &Processor::node), ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
    EXPECT_THAT(numbers(t, &Processor::socket), ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
    EXPECT_THAT(numbers(t, &Processor::kind), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));
    EXPECT_EQ(t.text(), "4 cores, 8 processors, 4 L3, 2 NUMA nodes, 2 sockets");
}

TEST(Topology, CountsKindsOfCoresFromTheFastest) {
    const Topology t = test::hybrid(2, 3);
    EXPECT_THAT(numbers(t, &Processor::id), ElementsAre(0, 1, 2, 3, 4, 6, 8));
    EXPECT_THAT(numbers(t, &Processor::kind), ElementsAre(0, 0, 0, 0, 1, 1, 1));
    EXPECT_TRUE(t.is_hybrid());
    EXPECT_EQ(t.text(),
              "2 cores of kind 0, 3 cores of kind 1, 7 processors, 1 L3, 1 NUMA node, 1 socket");
}

// Some cores of a desktop may clock a little higher than the others.
TEST(Topology, CoresOfOneTypeAreOfOneKind) {
    EXPECT_FALSE(test::hybrid(2, 3, {"IntelCore", "IntelCore"}).is_hybrid());
    EXPECT_TRUE(test::hybrid(2, 3, {"IntelAtom", "IntelCore"}).is_hybrid());
}

TEST(Topology, OfARecordedMachine) {
    const Topology t = test::recorded(std::string(FUSEQ_SOURCE_DIR) +
                                      "/tests/unit/cpu/machine/topologies/emerald_rapids_vm.xml");
    EXPECT_EQ(t.text(), "2 cores, 2 processors, 1 L3, 1 NUMA node, 1 socket");
    EXPECT_FALSE(t.is_hybrid());
}

TEST(Topology, PartsOfItKeepTheirNumbers) {
    const Topology part = part_of(test::synthetic("pack:1 l3:1 core:4 pu:2"), {1, 4, 77});
    EXPECT_THAT(numbers(part, &Processor::id), ElementsAre(1, 4));
    EXPECT_THAT(numbers(part, &Processor::core), ElementsAre(0, 2));
    EXPECT_THAT(numbers(part, &Processor::sibling), ElementsAre(1, 0));
}

TEST(Topology, OfThisThreadFollowsItsMask) {
    const std::vector<int> all = processors_of_this_thread();
    ASSERT_FALSE(all.empty());
    EXPECT_EQ(numbers(allowed_topology(), &Processor::id), all);
    std::vector<int> seen;
    std::thread([&] {
        ASSERT_TRUE(move_this_thread({all.back()}));
        seen = numbers(allowed_topology(), &Processor::id);
    }).join();
    EXPECT_THAT(seen, ElementsAre(all.back()));
    EXPECT_EQ(processors_of_this_thread(), all);
}

TEST(Topology, AThreadStaysWhereItIsWhenTheSystemRefuses) {
    const std::vector<int> before = processors_of_this_thread();
    EXPECT_FALSE(move_this_thread({}));
    EXPECT_EQ(processors_of_this_thread(), before);
}

}  // namespace
}  // namespace fuseq::cpu
