// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/machine/isa.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuseq/error.hpp"

namespace fuseq::cpu {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> included_by(IsaLevel level) {
    std::vector<std::string> names;
    for (const IsaLevel other : isa_levels()) {
        if (includes(level, other)) {
            names.emplace_back(to_string(other));
        }
    }
    return names;
}

TEST(IsaLevel, NamesAreReadAsTheyAreWritten) {
    std::vector<std::string> names;
    for (const IsaLevel level : isa_levels()) {
        names.emplace_back(to_string(level));
        EXPECT_EQ(isa_level_of(names.back(), "a test"), level);
    }
    EXPECT_THAT(names,
                ElementsAre("sse41", "avx2", "avx2_vnni", "avx512", "avx512_vnni", "avx512_amx"));
}

TEST(IsaLevel, AWrongNameIsRefusedWithThoseThereAre) {
    for (const std::string name : {"", "AVX2", "avx", "avx512_core", "avx2 "}) {
        try {
            isa_level_of(name, "FUSEQ_MAX_ISA");
            ADD_FAILURE() << "'" << name << "' was taken";
        } catch (const Error& error) {
            EXPECT_EQ(error.info().rule,
                      "FUSEQ_MAX_ISA is '" + name +
                          "', expected one of sse41, avx2, avx2_vnni, avx512, avx512_vnni, "
                          "avx512_amx");
        }
    }
}

// Skylake-SP has no dot products of bytes.
TEST(IsaLevel, Avx512DoesNotIncludeAvx2Vnni) {
    EXPECT_THAT(included_by(IsaLevel::kSse41), ElementsAre("sse41"));
    EXPECT_THAT(included_by(IsaLevel::kAvx2), ElementsAre("sse41", "avx2"));
    EXPECT_THAT(included_by(IsaLevel::kAvx2Vnni), ElementsAre("sse41", "avx2", "avx2_vnni"));
    EXPECT_THAT(included_by(IsaLevel::kAvx512), ElementsAre("sse41", "avx2", "avx512"));
    EXPECT_THAT(included_by(IsaLevel::kAvx512Vnni),
                ElementsAre("sse41", "avx2", "avx2_vnni", "avx512", "avx512_vnni"));
    EXPECT_THAT(included_by(IsaLevel::kAvx512Amx),
                ElementsAre("sse41", "avx2", "avx2_vnni", "avx512", "avx512_vnni", "avx512_amx"));
}

}  // namespace
}  // namespace fuseq::cpu
