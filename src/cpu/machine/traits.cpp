// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/machine/traits.hpp"

#include <utility>

#include "cpu/machine/instructions.hpp"
#include "cpu/machine/isa.hpp"

namespace fuseq::cpu {
namespace {

std::optional<MachineTraits>& replaced() {
    static std::optional<MachineTraits> traits;
    return traits;
}

}  // namespace

const MachineTraits* replaced_machine_traits() {
    const std::optional<MachineTraits>& traits = replaced();
    return traits ? &*traits : nullptr;
}

MachineTraits machine_traits() {
    if (const MachineTraits* traits = replaced_machine_traits()) {
        return *traits;
    }
    MachineTraits traits;
    traits.isa = isa_level();
    traits.isa_name = effective_isa();
    traits.avx512_vnni = kernels::has_avx512_vnni();
    traits.avx512_vbmi = kernels::has_avx512_vbmi();
    traits.one_wide_load_a_cycle = kernels::loads_one_wide_vector_a_cycle();
    traits.other_cores_lines_are_slow = kernels::other_cores_lines_are_slow();
    traits.tile_bytes = std::size_t{traits.one_wide_load_a_cycle ? 384U : 768U} << 10;
    traits.caches = cache_sizes();
    return traits;
}

ScopedMachineTraits::ScopedMachineTraits(MachineTraits traits)
    : before_(std::exchange(replaced(), std::move(traits))) {}

ScopedMachineTraits::~ScopedMachineTraits() {
    replaced() = std::move(before_);
}

}  // namespace fuseq::cpu
