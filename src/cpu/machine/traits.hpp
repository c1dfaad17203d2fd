// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What is known of the machine: everything in the device that depends on it asks here. Facts and
// thresholds are of this process, as FUSEQ_MAX_ISA limits it (isa_limit.hpp); tests replace them
// all, so that a plan's choices for a machine can be tested on another one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cpu/machine/caches.hpp"
#include "cpu/machine/isa.hpp"

namespace fuseq::cpu {

struct MachineTraits {
    // The level in use.
    IsaLevel isa = IsaLevel::kSse41;

    // What the device's own kernels written with intrinsics may use: AVX-512 (F, BW, DQ, VL) with
    // VNNI, and with VBMI too. They follow the target that Highway has chosen for the process.
    bool avx512_vnni = false;
    bool avx512_vbmi = false;
    // 256-bit dot products of bytes in the VEX form (AVX-VNNI).
    bool avx_vnni = false;
    // The level is avx2_vnni on a machine that has those dot products in the EVEX form only, and
    // no other instruction of AVX-512 may be used: to test and measure that level's kernels.
    bool avx_vnni_in_evex = false;
    // Products of bytes by tiles, AMX-INT8, which Linux gives to processes that ask.
    bool amx_int8 = false;
    // What only oneDNN uses.
    bool avx512_bf16 = false;

    // AVX-512 that loads one vector of 512 bits a cycle and not two: AMD Zen 4, whose units have
    // 256 bits. A loop that reads an operand of every dot product from memory is bound by that
    // (docs/performance/log/matmul.md).
    bool one_wide_load_a_cycle = false;
    // Two vectors of 256 bits are loaded a cycle, as many as dot products are made: all of AMD's.
    // Golden Cove loads three (docs/performance/log/levels.md).
    bool two_loads_a_cycle = false;
    // Cores wait for cache lines that another one has written (15 to 25 GB/s on Intel's, which
    // write to such lines no faster), so that threads should go on with what they have written
    // themselves. AMD Zen 4 reads them at 64 GB/s and more.
    bool other_cores_lines_are_slow = true;

    // Bytes of the tensors of one part of a depth-first tile group, which stay in the second cache:
    // 1 MB on AMD Zen 4, 2 MB on Golden Cove (docs/performance/log/threads_and_memory.md).
    std::size_t tile_bytes = std::size_t{768} << 10;

    CacheSizes caches;

    // "avx512_vnni, VBMI, one wide load a cycle, ...": the level and all facts. A plan that was
    // compiled is for machines with the same text.
    std::string text() const;
};

// Of the machine, or those that a ScopedMachineTraits gives.
MachineTraits machine_traits();

// Those that a ScopedMachineTraits gives; null: there is none. For machine/ itself.
const MachineTraits* replaced_machine_traits();

// For tests: machine_traits() are these while the object lives. Objects nest. Not thread-safe: no
// other thread may plan or run a model meanwhile. Kernels for instructions that the machine lacks
// must not be run, nor packed for; only choices can be looked at (PlanBuilder::anchor_verdicts).
class ScopedMachineTraits {
public:
    explicit ScopedMachineTraits(MachineTraits traits);
    ~ScopedMachineTraits();
    ScopedMachineTraits(const ScopedMachineTraits&) = delete;
    ScopedMachineTraits& operator=(const ScopedMachineTraits&) = delete;

private:
    std::optional<MachineTraits> before_;
};

}  // namespace fuseq::cpu
