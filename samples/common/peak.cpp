// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "common/peak.hpp"

#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

namespace fuseq::samples {
namespace {

using Clock = std::chrono::steady_clock;

// Half a millisecond: a round that another process interrupts does not count, the next one does.
constexpr long kLoops = 200'000;
constexpr int kAccumulators = 12;  // enough to hide the latency of two ports

// Operands: %0 to %11 are the accumulators, %12 is a register to use, %13 what is multiplied.
#define FUSEQ_TWELVE(I) \
    I("%0")             \
    I("%1") I("%2") I("%3") I("%4") I("%5") I("%6") I("%7") I("%8") I("%9") I("%10") I("%11")
#define FUSEQ_ACCUMULATORS(R)                                                                  \
    "+" R(c[0]), "+" R(c[1]), "+" R(c[2]), "+" R(c[3]), "+" R(c[4]), "+" R(c[5]), "+" R(c[6]), \
        "+" R(c[7]), "+" R(c[8]), "+" R(c[9]), "+" R(c[10]), "+" R(c[11])
#define FUSEQ_LOOPS(NAME, TARGET, VECTOR, R, INSTRUCTIONS)                                         \
    __attribute__((target(TARGET))) void NAME(long loops) {                                        \
        VECTOR c[kAccumulators] = {};                                                              \
        VECTOR t = {};                                                                             \
        const VECTOR a = {};                                                                       \
        for (long i = 0; i < loops; ++i) {                                                         \
            __asm__ volatile(FUSEQ_TWELVE(INSTRUCTIONS) : FUSEQ_ACCUMULATORS(R), "+" R(t) : R(a)); \
        }                                                                                          \
    }

#define FUSEQ_SSE_F32(C) "movaps %13, %12; mulps %13, %12; addps %12, " C ";"
#define FUSEQ_SSE_PAIRS(C) "movdqa %13, %12; pmaddwd %13, %12; paddd %12, " C ";"
#define FUSEQ_FMA(C) "vfmadd231ps %13, %13, " C ";"
#define FUSEQ_PAIRS(C) "vpmaddwd %13, %13, %12; vpaddd %12, " C ", " C ";"
#define FUSEQ_SAFE(C) "vpmaddubsw %13, %13, %12; vpmaddwd %13, %12, %12; vpaddd %12, " C ", " C ";"
#define FUSEQ_VEX_DOTS(C) "%{vex%} vpdpbusd %13, %13, " C ";"
#define FUSEQ_DOTS(C) "vpdpbusd %13, %13, " C ";"

FUSEQ_LOOPS(sse_f32, "sse4.2", __m128, "x", FUSEQ_SSE_F32)
FUSEQ_LOOPS(sse_pairs, "sse4.2", __m128i, "x", FUSEQ_SSE_PAIRS)
FUSEQ_LOOPS(avx2_f32, "avx2,fma", __m256, "x", FUSEQ_FMA)
FUSEQ_LOOPS(avx2_pairs, "avx2", __m256i, "x", FUSEQ_PAIRS)
FUSEQ_LOOPS(avx2_safe, "avx2", __m256i, "x", FUSEQ_SAFE)
FUSEQ_LOOPS(avx2_dots, "avx2", __m256i, "x", FUSEQ_VEX_DOTS)
FUSEQ_LOOPS(avx2_dots_evex, "avx512f,avx512vl", __m256i, "v", FUSEQ_DOTS)
FUSEQ_LOOPS(avx512_f32, "avx512f", __m512, "v", FUSEQ_FMA)
FUSEQ_LOOPS(avx512_pairs, "avx512f", __m512i, "v", FUSEQ_PAIRS)
FUSEQ_LOOPS(avx512_safe, "avx512f", __m512i, "v", FUSEQ_SAFE)
FUSEQ_LOOPS(avx512_dots, "avx512f", __m512i, "v", FUSEQ_DOTS)

// Six tiles of 16 rows of 64 bytes: four accumulators and two factors.
constexpr int kTiles = 6;
constexpr int kTileAccumulators = 4;
constexpr int kTileRows = 16;
constexpr std::uint16_t kTileBytes = 64;

bool asks_for_tiles() {
    constexpr long kRequest = 0x1023;  // ARCH_REQ_XCOMP_PERM
    constexpr long kTileData = 18;
    return syscall(SYS_arch_prctl, kRequest, kTileData) == 0;
}

void amx_tiles(long loops) {
    alignas(64) std::uint8_t config[64] = {1};  // palette
    for (int tile = 0; tile < kTiles; ++tile) {
        std::memcpy(config + 16 + 2 * tile, &kTileBytes, sizeof kTileBytes);
        config[48 + tile] = kTileRows;
    }
    __asm__ volatile(
        "ldtilecfg %0; tilezero %%tmm0; tilezero %%tmm1; tilezero %%tmm2; tilezero %%tmm3;"
        "tilezero %%tmm4; tilezero %%tmm5" ::"m"(config));
    for (long i = 0; i < loops; ++i) {
        __asm__ volatile(
            "tdpbusd %tmm5, %tmm4, %tmm0; tdpbusd %tmm5, %tmm4, %tmm1;"
            "tdpbusd %tmm5, %tmm4, %tmm2; tdpbusd %tmm5, %tmm4, %tmm3");
    }
    __asm__ volatile("tilerelease");
}

bool has_sse41() {
    return __builtin_cpu_supports("sse4.2") != 0;
}
bool has_avx2() {
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
}
// clang does not know these by name: CPUID leaf 7.
bool has_avx_vnni() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return has_avx2() && __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && ((a >> 4U) & 1U) != 0;
}
bool has_avx512() {
    return __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0;
}
bool has_avx512_vnni() {
    return has_avx512() && __builtin_cpu_supports("avx512vnni") != 0;
}
bool has_amx() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && ((d >> 25U) & 1U) != 0 &&
           asks_for_tiles();
}

constexpr double kOfFour = 4.0 * kAccumulators;
constexpr double kOfAmx = 16.0 * 16.0 * 64.0 * kTileAccumulators;
constexpr PeakForm kForms[] = {
    {"sse41", "f32", kOfFour, has_sse41, sse_f32},
    {"sse41", "int8_pairs", 2 * kOfFour, has_sse41, sse_pairs},
    {"avx2", "f32", 2 * kOfFour, has_avx2, avx2_f32},
    {"avx2", "int8_pairs", 4 * kOfFour, has_avx2, avx2_pairs},
    {"avx2", "int8_safe", 8 * kOfFour, has_avx2, avx2_safe},
    {"avx2_vnni", "int8_dots", 8 * kOfFour, has_avx_vnni, avx2_dots},
    {"avx2_vnni", "int8_dots_evex", 8 * kOfFour, has_avx512_vnni, avx2_dots_evex},
    {"avx512", "f32", 4 * kOfFour, has_avx512, avx512_f32},
    {"avx512", "int8_pairs", 8 * kOfFour, has_avx512, avx512_pairs},
    {"avx512", "int8_safe", 16 * kOfFour, has_avx512, avx512_safe},
    {"avx512_vnni", "int8_dots", 16 * kOfFour, has_avx512_vnni, avx512_dots},
    {"avx512_amx", "int8_tiles", kOfAmx, has_amx, amx_tiles},
};
constexpr const char* kLevels[] = {"sse41",  "avx2",        "avx2_vnni",
                                   "avx512", "avx512_vnni", "avx512_amx"};

std::size_t place_of(const std::string& level) {
    return static_cast<std::size_t>(std::find(std::begin(kLevels), std::end(kLevels), level) -
                                    std::begin(kLevels));
}

// avx512 has no dot products of bytes.
bool includes(const std::string& level, const PeakForm& form) {
    return place_of(form.level) <= place_of(level) &&
           !(level == "avx512" && std::strcmp(form.level, "avx2_vnni") == 0);
}

}  // namespace

std::span<const PeakForm> peak_forms() {
    return kForms;
}

std::span<const char* const> peak_levels() {
    return kLevels;
}

double peak_of(const PeakForm& form, int threads, int rounds) {
    // A tile takes 16 cycles, so that a loop takes as long as ten of the others.
    const long loops = std::strcmp(form.name, "int8_tiles") == 0 ? kLoops / 10 : kLoops;
    std::barrier start(threads);
    std::vector<std::vector<double>> seconds(static_cast<std::size_t>(threads));
    std::vector<std::thread> team;
    team.reserve(seconds.size());
    for (std::vector<double>& mine : seconds) {
        team.emplace_back([&] {
            for (int round = 0; round < rounds; ++round) {
                start.arrive_and_wait();
                const Clock::time_point begin = Clock::now();
                form.run(loops);
                mine.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
            }
        });
    }
    for (std::thread& thread : team) {
        thread.join();
    }
    double best = 0;
    for (std::size_t round = 0; round < static_cast<std::size_t>(rounds); ++round) {
        double slowest = 0;
        for (const std::vector<double>& times : seconds) {
            slowest = std::max(slowest, times[round]);
        }
        best = std::max(best, form.macs * static_cast<double>(loops) * threads / slowest);
    }
    return best / 1e9;
}

LevelPeaks peaks_of_level(const std::string& level, int threads, int rounds) {
    LevelPeaks peaks;
    for (const PeakForm& form : kForms) {
        if (includes(level, form) && form.is_here()) {
            double& peak = std::strcmp(form.name, "f32") == 0 ? peaks.f32 : peaks.int8;
            peak = std::max(peak, peak_of(form, threads, rounds));
        }
    }
    return peaks;
}

}  // namespace fuseq::samples
