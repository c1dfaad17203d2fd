// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/machine/caches.hpp"

#include <gtest/gtest.h>

#include "cpu/machine/traits.hpp"

namespace fuseq::cpu {
namespace {

TEST(CacheSizes, AreWhatTheSystemSays) {
    const CacheSizes sizes = cache_sizes_of(32768, 524288, 268435456);
    EXPECT_EQ(sizes.l1, 32768u);
    EXPECT_EQ(sizes.l2, 524288u);
    EXPECT_EQ(sizes.l3, 268435456u);
}

// sysconf() says 0 in some virtual machines, and -1 for names that it does not know.
TEST(CacheSizes, ThatAreNotKnownAreThoseOfGoldenCove) {
    const CacheSizes sizes = cache_sizes_of(0, -1, 0);
    EXPECT_EQ(sizes.l1, 49152u);
    EXPECT_EQ(sizes.l2, 2097152u);
    EXPECT_EQ(sizes.l3, 0u);
}

TEST(CacheSizes, OfThisMachineAreInItsTraits) {
    const CacheSizes sizes = machine_traits().caches;
    EXPECT_EQ(sizes.l2, cache_sizes().l2);
    EXPECT_GE(sizes.l1, 32u << 10) << "tiles of kernels are cut for that";
    EXPECT_GE(sizes.l2, sizes.l1);
}

TEST(CacheSizes, AScopeReplacesThem) {
    MachineTraits traits;
    traits.caches.l2 = 12345;
    const ScopedMachineTraits scope(traits);
    EXPECT_EQ(machine_traits().caches.l2, 12345u);
}

}  // namespace
}  // namespace fuseq::cpu
