// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Levels of instructions: the one notion by which oneDNN, Highway's targets and the kernels written
// with intrinsics are chosen. What a machine has beside its level are facts of their own
// (traits.hpp). docs/isa_levels.md has the table.
#pragma once

#include <span>
#include <string>

namespace fuseq::cpu {

// In the order in which they are preferred.
enum class IsaLevel {
    kSse41,       // SSE4.2: what the library is compiled for
    kAvx2,        // Haswell: AVX2, FMA, F16C, BMI, BMI2, LZCNT
    kAvx2Vnni,    // Alder Lake: AVX2 and dot products of bytes in 256 bits (AVX-VNNI)
    kAvx512,      // Skylake-SP: F, BW, DQ, VL; no dot products of bytes
    kAvx512Vnni,  // Cascade Lake: those and VNNI
    kAvx512Amx,   // Sapphire Rapids: those and AMX-INT8
};

// From the lowest to the highest.
std::span<const IsaLevel> isa_levels();

// "avx512_vnni".
const char* to_string(IsaLevel level);

// Of a name. Throws Error("property") that names `source` and the levels there are.
IsaLevel isa_level_of(const std::string& name, const std::string& source);

// Whether code for `other` may run where `level` is allowed. avx512 does not include avx2_vnni;
// apart from that each level includes those before it.
bool includes(IsaLevel level, IsaLevel other);

}  // namespace fuseq::cpu
