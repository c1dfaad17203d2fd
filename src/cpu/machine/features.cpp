// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/machine/features.hpp"

#include <cstdint>

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hwy/targets.h"

namespace fuseq::cpu {
namespace {

// CPUID leaf 7, for what clang does not know the names of.
struct FeatureBits {
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
    bool eax_bit(unsigned bit) const { return ((eax >> bit) & 1U) != 0; }
    bool edx_bit(unsigned bit) const { return ((edx >> bit) & 1U) != 0; }
};
constexpr unsigned kAvxVnni = 4;         // of subleaf 1, EAX
constexpr unsigned kAmxInt8 = 25;        // of subleaf 0, EDX
constexpr unsigned long kTileData = 18;  // the state of tiles, as Linux numbers it

FeatureBits cpuid_of_features(unsigned subleaf) {
    constexpr unsigned kLeaf = 7;
    FeatureBits bits;
    if (__get_cpuid_count(kLeaf, subleaf, &bits.eax, &bits.ebx, &bits.ecx, &bits.edx) == 0) {
        return {};
    }
    return bits;
}

// Linux 5.16 and later give tiles to a process that asks (oneDNN does), older ones to none.
bool kernel_gives_tiles() {
    constexpr long kGetSupported = 0x1021;  // ARCH_GET_XCOMP_SUPP
    std::uint64_t states = 0;
    return syscall(SYS_arch_prctl, kGetSupported, &states) == 0 &&
           ((states >> kTileData) & 1U) != 0;
}

bool ask_for_tiles() {
    constexpr long kRequest = 0x1023;  // ARCH_REQ_XCOMP_PERM
    return cpu_features().amx_int8 && syscall(SYS_arch_prctl, kRequest, kTileData) == 0;
}

CpuFeatures detect() {
    // Highway has a target where the CPU has all extensions that its compiled code may use.
    const std::int64_t targets = hwy::SupportedTargets();
    CpuFeatures found;
    found.avx2 = (targets & HWY_AVX2) != 0;
    found.avx_vnni = found.avx2 && cpuid_of_features(1).eax_bit(kAvxVnni);
    found.avx512 = (targets & HWY_AVX3) != 0;
    found.avx512_vnni = found.avx512 && __builtin_cpu_supports("avx512vnni") != 0;
    found.avx512_vbmi = found.avx512 && __builtin_cpu_supports("avx512vbmi") != 0;
    found.avx512_bf16 = found.avx512 && __builtin_cpu_supports("avx512bf16") != 0;
    found.amx_int8 =
        found.avx512_vnni && cpuid_of_features(0).edx_bit(kAmxInt8) && kernel_gives_tiles();
    found.amd = __builtin_cpu_is("amd") != 0;
    found.amd_family_19h = __builtin_cpu_is("amdfam19h") != 0;
    return found;
}

}  // namespace

const CpuFeatures& cpu_features() {
    static const CpuFeatures kFeatures = detect();
    return kFeatures;
}

bool may_use_tiles() {
    static const bool kMay = ask_for_tiles();
    return kMay;
}

bool has_level(const CpuFeatures& features, IsaLevel level) {
    switch (level) {
        case IsaLevel::kSse41: return true;
        case IsaLevel::kAvx2: return features.avx2;
        case IsaLevel::kAvx2Vnni:
            return features.avx2 && (features.avx_vnni || features.avx512_vnni);
        case IsaLevel::kAvx512: return features.avx512;
        case IsaLevel::kAvx512Vnni: return features.avx512_vnni;
        case IsaLevel::kAvx512Amx: return features.avx512_vnni && features.amx_int8;
    }
    return false;
}

IsaLevel highest_level(const CpuFeatures& features, IsaLevel limit) {
    IsaLevel highest = IsaLevel::kSse41;
    for (const IsaLevel level : isa_levels()) {
        if (includes(limit, level) && has_level(features, level)) {
            highest = level;
        }
    }
    return highest;
}

}  // namespace fuseq::cpu
