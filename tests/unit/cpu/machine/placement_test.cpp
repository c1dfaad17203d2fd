// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// On machines that hwloc makes up: a desktop with SMT, hybrid processors, servers.
#include "cpu/machine/placement.hpp"

#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/cpu/machine/made_topology.hpp"

namespace fuseq::cpu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Topology& desktop() {  // processors 2 c and 2 c + 1 are core c
    static const Topology t = test::synthetic("pack:1 l3:1 core:8 pu:2");
    return t;
}
const Topology& laptop() {  // fast cores 0 to 11, slow ones 12, 14, ... 26
    static const Topology t = test::hybrid(6, 8);
    return t;
}
const Topology& server() {  // a slice is 16 processors, a socket 128
    static const Topology t = test::synthetic("pack:2 numa:1 l3:8 core:8 pu:2");
    return t;
}

std::vector<int> from_to(int begin, int end, int step = 1) {
    std::vector<int> all;
    for (int i = begin; i < end; i += step) {
        all.push_back(i);
    }
    return all;
}

std::vector<int> sizes(const Placement& p) {
    return {p.streams, p.threads};
}

TEST(Placement, LatencyTakesEachCoreOnce) {
    const Placement p = place(desktop(), {});
    EXPECT_THAT(sizes(p), ElementsAre(1, 8));
    EXPECT_TRUE(p.places.empty());  // the system spreads them as well
    EXPECT_FALSE(p.uneven);
    EXPECT_EQ(p.why,
              "1 stream of 8 threads; 8 cores, 16 processors, 1 L3, 1 NUMA node, 1 socket, "
              "placed by the system");
}

TEST(Placement, ThroughputTakesBothProcessorsOfACore) {
    EXPECT_THAT(sizes(place(desktop(), {.throughput = true})), ElementsAre(16, 1));
}

TEST(Placement, HyperThreadingIsAsAsked) {
    EXPECT_THAT(sizes(place(desktop(), {.hyper_threading = true})), ElementsAre(1, 16));
    EXPECT_THAT(sizes(place(desktop(), {.throughput = true, .hyper_threading = false})),
                ElementsAre(8, 1));
}

TEST(Placement, LatencyIsKeptToTheFastCores) {
    const Placement p = place(laptop(), {});
    EXPECT_THAT(sizes(p), ElementsAre(1, 6));
    EXPECT_FALSE(p.uneven);
    ASSERT_EQ(p.places.size(), 1u);
    EXPECT_FALSE(p.places[0].pinned);
    EXPECT_EQ(p.places[0].processors, from_to(0, 12));
    EXPECT_THAT(p.why, HasSubstr("kept to parts of the machine"));
}

TEST(Placement, LatencyTakesAllCoresWhereMostAreSlow) {
    const Placement p = place(test::hybrid(2, 4), {});
    EXPECT_THAT(sizes(p), ElementsAre(1, 6));
    EXPECT_TRUE(p.uneven);
    EXPECT_THAT(p.why, HasSubstr("shared out"));
    EXPECT_THAT(sizes(place(test::hybrid(2, 3), {})), ElementsAre(1, 2));
}

TEST(Placement, CoreTypeIsAsAsked) {
    const Placement any = place(laptop(), {.core_type = CoreType::kAny});
    EXPECT_THAT(sizes(any), ElementsAre(1, 14));
    EXPECT_TRUE(any.uneven);
    EXPECT_TRUE(any.places.empty());
    const Placement slow = place(laptop(), {.core_type = CoreType::kEfficient});
    EXPECT_THAT(sizes(slow), ElementsAre(1, 8));
    EXPECT_FALSE(slow.uneven);
    ASSERT_EQ(slow.places.size(), 1u);
    EXPECT_EQ(slow.places[0].processors, from_to(12, 28, 2));
}

TEST(Placement, CoreTypeHasNoEffectWhereThereIsOne) {
    for (const CoreType type : {CoreType::kAny, CoreType::kPerformance, CoreType::kEfficient}) {
        EXPECT_THAT(sizes(place(desktop(), {.core_type = type})), ElementsAre(1, 8));
    }
}

TEST(Placement, ThroughputOfAHybridProcessorHasNoUnevenStreams) {
    const Placement p = place(laptop(), {.throughput = true});
    EXPECT_THAT(sizes(p), ElementsAre(20, 1));
    EXPECT_FALSE(p.uneven);
    ASSERT_EQ(p.places.size(), 20u);
    EXPECT_EQ(p.places[0].processors, from_to(0, 12));
    EXPECT_EQ(p.places[6].processors, from_to(12, 28, 2));  // fast cores first, each once
    EXPECT_EQ(p.places[14].processors, from_to(0, 12));     // then their second processors
}

TEST(Placement, LatencyStaysInASocket) {
    const Placement p = place(server(), {});
    EXPECT_THAT(sizes(p), ElementsAre(1, 64));
    ASSERT_EQ(p.places.size(), 1u);
    EXPECT_EQ(p.places[0].processors, from_to(0, 128));
}

TEST(Placement, ItTakesTheSocketOfWhichMoreIsAllowed) {
    std::vector<int> mask = from_to(0, 32);
    for (const int id : from_to(128, 256)) {
        mask.push_back(id);
    }
    const Placement p = place(part_of(server(), mask), {});
    EXPECT_THAT(sizes(p), ElementsAre(1, 64));
    EXPECT_EQ(p.places.at(0).processors, from_to(128, 256));
}

TEST(Placement, ThreadsThatAreAskedForCrossSockets) {
    const Placement p = place(server(), {.threads = 100});
    EXPECT_THAT(sizes(p), ElementsAre(1, 100));
    ASSERT_EQ(p.places.size(), 1u);
    EXPECT_EQ(p.places[0].processors, from_to(0, 208));  // 12 full slices and one that is begun
}

TEST(Placement, StreamsStayInASliceOfTheL3) {
    const Placement p = place(server(), {.streams = 16});
    EXPECT_THAT(sizes(p), ElementsAre(16, 8));
    ASSERT_EQ(p.places.size(), 16u);
    for (int stream = 0; stream < 16; ++stream) {
        EXPECT_EQ(p.places[static_cast<std::size_t>(stream)].processors,
                  from_to(16 * stream, 16 * stream + 16));
    }
}

// 5 threads fit once into 8 cores: the 3 that are left stay idle as long as there are other slices.
TEST(Placement, StreamsThatDoNotFillASliceDoNotCrossIt) {
    const Placement p = place(server(), {.threads = 80, .streams = 16});
    EXPECT_THAT(sizes(p), ElementsAre(16, 5));
    for (const StreamPlace& stream : p.places) {
        EXPECT_EQ(stream.processors.size(), 16u);
    }
}

TEST(Placement, TheQuotaOfTheCgroupLimitsThreads) {
    EXPECT_THAT(sizes(place(desktop(), {.quota = 2.5})), ElementsAre(1, 3));
    EXPECT_THAT(sizes(place(desktop(), {.quota = 0.2})), ElementsAre(1, 1));
    EXPECT_THAT(sizes(place(desktop(), {.throughput = true, .quota = 2.0})), ElementsAre(2, 1));
    EXPECT_THAT(sizes(place(desktop(), {.threads = 6, .quota = 2.0})), ElementsAre(1, 6));
    EXPECT_THAT(place(desktop(), {.quota = 2.5}).why, HasSubstr("cgroup quota 2.5"));
}

TEST(Placement, AMaskWithoutFirstSiblingsHasAsManyCores) {
    EXPECT_THAT(sizes(place(part_of(desktop(), {1, 3, 5}), {})), ElementsAre(1, 3));
    EXPECT_THAT(sizes(place(part_of(desktop(), {1, 2, 3}), {})), ElementsAre(1, 2));
}

TEST(Placement, PinningGivesEachThreadAProcessor) {
    const Placement p = place(desktop(), {.streams = 2, .pinning = true});
    EXPECT_THAT(sizes(p), ElementsAre(2, 4));
    ASSERT_EQ(p.places.size(), 2u);
    EXPECT_TRUE(p.places[0].pinned);
    EXPECT_THAT(p.places[0].processors, ElementsAre(0, 2, 4, 6));
    EXPECT_THAT(p.places[1].processors, ElementsAre(8, 10, 12, 14));
    EXPECT_THAT(p.why, HasSubstr("pinned"));
}

TEST(Placement, MoreThreadsThanProcessorsAreLeftToTheSystem) {
    const Placement p = place(desktop(), {.threads = 20, .pinning = true});
    EXPECT_THAT(sizes(p), ElementsAre(1, 20));
    EXPECT_TRUE(p.places.empty());
}

TEST(Placement, ThreadsThatAreAskedForComeToTheCoresThatWereLeftOut) {
    const Placement p = place(laptop(), {.threads = 10, .pinning = true});
    EXPECT_TRUE(p.uneven);
    EXPECT_THAT(p.places.at(0).processors, ElementsAre(0, 2, 4, 6, 8, 10, 12, 14, 16, 18));
    EXPECT_EQ(place(laptop(), {.threads = 20, .pinning = true}).places.at(0).processors.size(),
              20u);
    EXPECT_TRUE(place(laptop(), {.threads = 10, .core_type = CoreType::kPerformance})
                    .places.at(0)
                    .processors == from_to(0, 12));
}

TEST(Placement, AStreamHasAThread) {
    EXPECT_THAT(sizes(place(desktop(), {.threads = 2, .streams = 9})), ElementsAre(9, 1));
    EXPECT_THAT(sizes(place({}, {})), ElementsAre(1, 1));
}

TEST(Placement, NoTwoPinnedThreadsShareAProcessor) {
    for (const Topology* t : {&desktop(), &laptop(), &server()}) {
        for (int streams = 1; streams <= 16; ++streams) {
            const Placement p =
                place(*t, {.throughput = true, .streams = streams, .pinning = true});
            std::set<int> used;
            std::size_t threads = 0;
            for (const StreamPlace& stream : p.places) {
                used.insert(stream.processors.begin(), stream.processors.end());
                threads += stream.processors.size();
            }
            EXPECT_EQ(used.size(), threads);
            EXPECT_EQ(threads, static_cast<std::size_t>(p.streams * p.threads));
        }
    }
}

}  // namespace
}  // namespace fuseq::cpu
