// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The limit is of a process, so most of these tests run in one of their own, with an exit status
// that says how it went.
#include "cpu/machine/isa_limit.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include <oneapi/dnnl/dnnl.hpp>

#include "cpu/machine/features.hpp"
#include "cpu/machine/traits.hpp"
#include "fuseq/error.hpp"
#include "hwy/highway.h"

namespace fuseq::cpu {
namespace {

class IsaLimit : public ::testing::Test {
protected:
    void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

unsigned onednn_instructions() {
    return static_cast<unsigned>(dnnl::get_effective_cpu_isa());
}

// Ends the process: 0 when all that `level` names agrees, else what does not, on stderr.
[[noreturn]] void exit_if_limited_to(IsaLevel level) {
    std::string wrong;
    const IsaLevel used = highest_level(cpu_features(), level);
    if (isa_level() != used) {
        wrong += std::string(" isa_level() ") + to_string(isa_level());
    }
    const std::int64_t targets = hwy::SupportedTargets();
    if (!includes(used, IsaLevel::kAvx512) && (targets & (HWY_AVX3 | HWY_AVX3_DL)) != 0) {
        wrong += " Highway has AVX-512";
    }
    if (!includes(used, IsaLevel::kAvx2) && (targets & HWY_AVX2) != 0) {
        wrong += " Highway has AVX2";
    }
    fix_isa_level();
    constexpr auto kSse41 = static_cast<unsigned>(dnnl::cpu_isa::sse41);
    constexpr auto kAvx2 = static_cast<unsigned>(dnnl::cpu_isa::avx2);
    constexpr auto kAvx512 = static_cast<unsigned>(dnnl::cpu_isa::avx512_core);
    const unsigned most = used == IsaLevel::kSse41    ? kSse41
                          : used == IsaLevel::kAvx2   ? kAvx2
                          : used == IsaLevel::kAvx512 ? kAvx512
                                                      : ~0U;
    if ((onednn_instructions() & ~most) != 0) {
        wrong += " oneDNN has more";
    }
    std::fprintf(stderr, "limit %s:%s\n", to_string(level),
                 wrong.empty() ? " kept" : wrong.c_str());
    std::_Exit(wrong.empty() ? 0 : 1);
}

TEST_F(IsaLimit, HoldsForOneDnnHighwayAndTheDevice) {
    for (const IsaLevel level : isa_levels()) {
        EXPECT_EXIT(
            {
                set_max_isa(level);
                exit_if_limited_to(level);
            },
            ::testing::ExitedWithCode(0), "kept");
    }
}

TEST_F(IsaLimit, CanBeRaisedAgainBeforeTheFirstUse) {
    EXPECT_EXIT(
        {
            set_max_isa(IsaLevel::kSse41);
            set_max_isa(IsaLevel::kAvx2);
            exit_if_limited_to(IsaLevel::kAvx2);
        },
        ::testing::ExitedWithCode(0), "kept");
}

TEST_F(IsaLimit, IsRefusedAfterTheFirstUse) {
    EXPECT_EXIT(
        {
            set_max_isa(IsaLevel::kAvx2);
            fix_isa_level();
            set_max_isa(IsaLevel::kAvx2);  // what it is
            try {
                set_max_isa(IsaLevel::kSse41);
            } catch (const Error& error) {
                std::fprintf(stderr, "%s\n", error.what());
                std::_Exit(onednn_instructions() <= 7U ? 3 : 4);
            }
            std::_Exit(5);
        },
        ::testing::ExitedWithCode(3),
        "FUSEQ_MAX_ISA cannot become sse41: a model was compiled in this process with avx2, and "
        "oneDNN takes a limit once");
}

TEST_F(IsaLimit, IsRefusedWhereOneDnnWasUsedWithMore) {
    if (!cpu_features().avx2) {
        GTEST_SKIP() << "the machine has nothing above sse41";
    }
    EXPECT_EXIT(
        {
            dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx2);
            const unsigned used = onednn_instructions();
            set_max_isa(IsaLevel::kSse41);
            try {
                fix_isa_level();
            } catch (const Error& error) {
                std::fprintf(stderr, "%s\n", error.what());
                std::_Exit(used == 7U ? 3 : 4);
            }
            std::_Exit(5);
        },
        ::testing::ExitedWithCode(3),
        "the level sse41 cannot be kept to: oneDNN was used in this process before");
}

// A process that is started with other variables.
class IsaLimitOfTheEnvironment : public IsaLimit {
protected:
    void SetUp() override {
        IsaLimit::SetUp();
        for (const char* name : kNames) {
            const char* const value = std::getenv(name);
            before_.emplace_back(value == nullptr ? "" : value);
            unsetenv(name);
        }
    }
    void TearDown() override {
        for (std::size_t i = 0; i < before_.size(); ++i) {
            before_[i].empty() ? unsetenv(kNames[i]) : setenv(kNames[i], before_[i].c_str(), 1);
        }
    }

    static constexpr const char* kNames[] = {"FUSEQ_MAX_ISA", "DNNL_MAX_CPU_ISA",
                                             "ONEDNN_MAX_CPU_ISA"};
    std::vector<std::string> before_;
};

TEST_F(IsaLimitOfTheEnvironment, IsTakenWhenTheLibraryIsLoaded) {
    for (const IsaLevel level : isa_levels()) {
        setenv("FUSEQ_MAX_ISA", to_string(level), 1);
        EXPECT_EXIT(exit_if_limited_to(level), ::testing::ExitedWithCode(0), "kept");
    }
}

TEST_F(IsaLimitOfTheEnvironment, OneDnnsVariableLimitsAllToo) {
    for (const char* const name : {"DNNL_MAX_CPU_ISA", "ONEDNN_MAX_CPU_ISA"}) {
        setenv(name, "SSE41", 1);
        EXPECT_EXIT(exit_if_limited_to(IsaLevel::kSse41), ::testing::ExitedWithCode(0), "kept");
        unsetenv(name);
    }
    setenv("FUSEQ_MAX_ISA", "avx2_vnni", 1);
    setenv("DNNL_MAX_CPU_ISA", "AVX512_CORE", 1);
    EXPECT_EXIT(exit_if_limited_to(IsaLevel::kAvx2), ::testing::ExitedWithCode(0), "kept");
}

TEST_F(IsaLimitOfTheEnvironment, OneDnnsNewNameOfItComesFirst) {
    setenv("ONEDNN_MAX_CPU_ISA", "SSE41", 1);
    setenv("DNNL_MAX_CPU_ISA", "AVX2", 1);
    EXPECT_EXIT(exit_if_limited_to(IsaLevel::kSse41), ::testing::ExitedWithCode(0), "kept");
}

TEST_F(IsaLimitOfTheEnvironment, AWrongLevelIsRefusedAtTheFirstUse) {
    setenv("FUSEQ_MAX_ISA", "avx3", 1);
    EXPECT_EXIT(
        {
            try {
                fix_isa_level();
            } catch (const Error& error) {
                std::fprintf(stderr, "%s\n", error.what());
                std::_Exit(3);
            }
            std::_Exit(5);
        },
        ::testing::ExitedWithCode(3),
        "the environment variable FUSEQ_MAX_ISA is 'avx3', expected one of sse41, avx2, avx2_vnni, "
        "avx512, avx512_vnni, avx512_amx");
}

// What DNNL_MAX_CPU_ISA allows is less than VNNI and more than AVX-512, and oneDNN reads it in any
// case.
TEST(OnednnLimit, OfEveryValue) {
    const auto text = [](const std::string& value) {
        const OnednnLimit limit = onednn_limit(value);
        return std::string(to_string(limit.level)) + (limit.bf16 ? " bf16" : "");
    };
    EXPECT_EQ(text("SSE41"), "sse41");
    EXPECT_EQ(text("AVX"), "sse41");
    EXPECT_EQ(text("AVX2"), "avx2");
    EXPECT_EQ(text("avx2"), "avx2");
    EXPECT_EQ(text("AVX2_VNNI"), "avx2_vnni");
    EXPECT_EQ(text("AVX512_MIC"), "avx2");
    EXPECT_EQ(text("AVX512_MIC_4OPS"), "avx2");
    EXPECT_EQ(text("AVX512_CORE"), "avx512");
    EXPECT_EQ(text("AVX512_CORE_VNNI"), "avx512_vnni");
    EXPECT_EQ(text("AVX512_CORE_BF16"), "avx512_vnni bf16");
    for (const char* const none : {"", "ALL", "DEFAULT", "AVX512_CORE_AMX", "AVX3"}) {
        EXPECT_EQ(text(none), "avx512_amx bf16") << none;
    }
}

}  // namespace
}  // namespace fuseq::cpu
