// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/machine/instructions.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "unit/cpu/kernels/common/on_every_target.hpp"

namespace fuseq {
namespace {

// What the operating system says of the machine.
bool machine_has(const std::string& flag) {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("flags")) {
            std::istringstream words(line);
            for (std::string word; words >> word;) {
                if (word == flag) {
                    return true;
                }
            }
            return false;
        }
    }
    return false;
}

bool machine_has_avx512() {
    return machine_has("avx512f") && machine_has("avx512bw") && machine_has("avx512dq") &&
           machine_has("avx512vl");
}

TEST(Instructions, AreThoseOfTheMachineWhereAllTargetsAreAllowed) {
    test::restrict_targets(0);
    const bool vnni = machine_has_avx512() && machine_has("avx512_vnni");
    EXPECT_EQ(kernels::has_avx512_vnni(), vnni);
    EXPECT_EQ(kernels::has_avx512_vbmi(), vnni && machine_has("avx512vbmi"));
    EXPECT_EQ(kernels::has_avx_vnni(), machine_has("avx2") && machine_has("avx_vnni"));
}

TEST(Instructions, FollowTheTargetThatHighwayHasChosen) {
    test::on_every_target([](const std::string& target) {
        const bool wide = target.starts_with("AVX3");
        EXPECT_EQ(kernels::has_avx512_vnni(), wide && machine_has("avx512_vnni"));
        EXPECT_EQ(kernels::has_avx512_vbmi(),
                  wide && machine_has("avx512_vnni") && machine_has("avx512vbmi"));
        EXPECT_EQ(kernels::has_avx_vnni(), (wide || target == "AVX2") && machine_has("avx_vnni"));
    });
}

// AMD's Zen 4 has AVX-512 VNNI on units of 256 bits. Zen 5, whose units have 512 bits, is told from
// it by AVX-VNNI, which came with it.
TEST(Instructions, OneWideLoadACycleIsThatOfZen4) {
    if (!machine_has_avx512()) {
        GTEST_SKIP() << "the machine has no AVX-512";
    }
    std::ifstream file("/proc/cpuinfo");
    std::ostringstream text;
    text << file.rdbuf();
    const bool amd = text.str().find("AuthenticAMD") != std::string::npos;
    EXPECT_EQ(kernels::loads_one_wide_vector_a_cycle(), amd && !machine_has("avx_vnni"));
}

}  // namespace
}  // namespace fuseq
