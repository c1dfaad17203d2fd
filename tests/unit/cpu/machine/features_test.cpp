// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/machine/features.hpp"

#include <gtest/gtest.h>

#include <string>

namespace fuseq::cpu {
namespace {

CpuFeatures haswell() {
    CpuFeatures features;
    features.avx2 = true;
    return features;
}

CpuFeatures alder_lake() {
    CpuFeatures features = haswell();
    features.avx_vnni = true;
    return features;
}

CpuFeatures skylake_server() {
    CpuFeatures features = haswell();
    features.avx512 = true;
    return features;
}

CpuFeatures cascade_lake() {
    CpuFeatures features = skylake_server();
    features.avx512_vnni = true;
    return features;
}

CpuFeatures sapphire_rapids() {
    CpuFeatures features = cascade_lake();
    features.avx_vnni = features.avx512_vbmi = features.avx512_bf16 = features.amx_int8 = true;
    return features;
}

// For each limit, from the lowest to the highest, the level in use.
std::string levels_of(const CpuFeatures& features) {
    std::string text;
    for (const IsaLevel limit : isa_levels()) {
        text += (text.empty() ? "" : " ") + std::string(to_string(highest_level(features, limit)));
    }
    return text;
}

TEST(CpuFeatures, AMachineIsUsedUpToItsLevelAndTheLimit) {
    EXPECT_EQ(levels_of({}), "sse41 sse41 sse41 sse41 sse41 sse41");
    EXPECT_EQ(levels_of(haswell()), "sse41 avx2 avx2 avx2 avx2 avx2");
    EXPECT_EQ(levels_of(skylake_server()), "sse41 avx2 avx2 avx512 avx512 avx512");
    EXPECT_EQ(levels_of(sapphire_rapids()), "sse41 avx2 avx2_vnni avx512 avx512_vnni avx512_amx");
}

TEST(CpuFeatures, TheLimitAvx512HasNoDotProductsOfBytes) {
    EXPECT_EQ(levels_of(alder_lake()), "sse41 avx2 avx2_vnni avx2 avx2_vnni avx2_vnni");
}

TEST(CpuFeatures, Avx2VnniRunsInItsEvexFormOnMachinesWithAvx512Vnni) {
    EXPECT_EQ(levels_of(cascade_lake()), "sse41 avx2 avx2_vnni avx512 avx512_vnni avx512_vnni");
}

TEST(CpuFeatures, OfThisMachineAreThoseOfALevelAndTheOnesBelow) {
    const CpuFeatures& here = cpu_features();
    EXPECT_LE(here.avx_vnni, here.avx2);
    EXPECT_LE(here.avx512, here.avx2);
    EXPECT_LE(here.avx512_vnni, here.avx512);
    EXPECT_LE(here.amx_int8, here.avx512_vnni);
    EXPECT_TRUE(has_level(here, IsaLevel::kSse41));
}

}  // namespace
}  // namespace fuseq::cpu
