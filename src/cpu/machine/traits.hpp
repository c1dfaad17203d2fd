// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What is known of the machine: everything in the device that depends on it asks here. Facts and
// thresholds are of this process, as DNNL_MAX_CPU_ISA limits it; tests replace them all, so that a
// plan's choices for a machine can be tested on another one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cpu/machine/caches.hpp"

namespace fuseq::cpu {

// Instruction sets between which oneDNN and the rules differ.
enum class IsaLevel { kSse41, kAvx2, kAvx512Core, kVnni };

struct MachineTraits {
    // What oneDNN uses, and its name: "avx512_core_vnni".
    IsaLevel isa = IsaLevel::kSse41;
    std::string isa_name = "sse41";

    // What the device's own kernels written with intrinsics may use: AVX-512 (F, BW, DQ, VL) with
    // VNNI, and with VBMI too. They follow the target that Highway has chosen for the process.
    bool avx512_vnni = false;
    bool avx512_vbmi = false;

    // AVX-512 that loads one vector of 512 bits a cycle and not two: AMD Zen 4, whose units have
    // 256 bits. A loop that reads an operand of every dot product from memory is bound by that
    // (docs/performance/matmul.md).
    bool one_wide_load_a_cycle = false;
    // Cores wait for cache lines that another one has written (15 to 25 GB/s on Intel's, which
    // write to such lines no faster), so that threads should go on with what they have written
    // themselves. AMD Zen 4 reads them at 64 GB/s and more.
    bool other_cores_lines_are_slow = true;

    // Bytes of the tensors of one part of a depth-first tile group, which stay in the second cache:
    // 1 MB on AMD Zen 4, 2 MB on Golden Cove (docs/performance/threads_and_memory.md).
    std::size_t tile_bytes = std::size_t{768} << 10;

    CacheSizes caches;
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
