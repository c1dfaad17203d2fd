// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/machine/traits.hpp"

#include <utility>

#include <fmt/format.h>

#include "cpu/machine/avx_vnni.hpp"
#include "cpu/machine/features.hpp"
#include "cpu/machine/instructions.hpp"
#include "cpu/machine/isa_limit.hpp"

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
    traits.avx512_vnni = kernels::has_avx512_vnni();
    traits.avx512_vbmi = kernels::has_avx512_vbmi();
    traits.avx_vnni = kernels::has_avx_vnni();
    traits.avx_vnni_in_evex = kernels::has_avx_vnni_in_evex();
    traits.avx512_bf16 = cpu_features().avx512_bf16 && may_use_bf16();
    traits.amx_int8 = kernels::has_amx_int8();
    traits.one_wide_load_a_cycle = kernels::loads_one_wide_vector_a_cycle();
    traits.two_loads_a_cycle = kernels::loads_two_vectors_a_cycle();
    traits.other_cores_lines_are_slow = kernels::other_cores_lines_are_slow();
    traits.tile_bytes = std::size_t{traits.one_wide_load_a_cycle ? 384U : 768U} << 10;
    traits.caches = cache_sizes();
    return traits;
}

std::string MachineTraits::text() const {
    std::string text = to_string(isa);
    const std::pair<bool, const char*> facts[] = {
        {avx512_vbmi, "VBMI"},
        {avx_vnni, "AVX-VNNI"},
        {avx_vnni_in_evex, "AVX-VNNI in EVEX"},
        {avx512_bf16, "BF16"},
        {amx_int8, "AMX-INT8"},
        {one_wide_load_a_cycle, "one wide load a cycle"},
        {two_loads_a_cycle, "two loads a cycle"},
        {!other_cores_lines_are_slow, "fast lines of other cores"}};
    for (const auto& [holds, name] : facts) {
        text += holds ? fmt::format(", {}", name) : "";
    }
    return fmt::format("{}, tiles of {} KiB, L2 of {} KiB", text, tile_bytes >> 10,
                       caches.l2 >> 10);
}

ScopedMachineTraits::ScopedMachineTraits(MachineTraits traits)
    : before_(std::exchange(replaced(), traits)) {}

ScopedMachineTraits::~ScopedMachineTraits() {
    replaced() = before_;
}

}  // namespace fuseq::cpu
