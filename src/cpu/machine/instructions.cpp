// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/machine/instructions.hpp"

#include "cpu/machine/avx_vnni.hpp"
#include "cpu/machine/features.hpp"
#include "cpu/machine/isa_limit.hpp"
#include "cpu/machine/traits.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/machine/instructions.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

bool is_avx512() {
    return HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL;
}

bool is_avx2() {
    return HWY_TARGET == HWY_AVX2 || is_avx512();
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(is_avx512);
HWY_EXPORT(is_avx2);

namespace {

bool level_includes(cpu::IsaLevel level) {
    return cpu::includes(cpu::isa_level(), level);
}

}  // namespace

bool has_avx2() {
    return HWY_DYNAMIC_DISPATCH(is_avx2)();
}

bool has_avx512_vnni() {
    const cpu::MachineTraits* const replaced = cpu::replaced_machine_traits();
    return replaced != nullptr
               ? replaced->avx512_vnni
               : level_includes(cpu::IsaLevel::kAvx512Vnni) && HWY_DYNAMIC_DISPATCH(is_avx512)();
}

bool has_avx512_vbmi() {
    const cpu::MachineTraits* const replaced = cpu::replaced_machine_traits();
    return replaced != nullptr ? replaced->avx512_vbmi
                               : has_avx512_vnni() && cpu::cpu_features().avx512_vbmi;
}

bool has_amx_int8() {
    const cpu::MachineTraits* const replaced = cpu::replaced_machine_traits();
    return replaced != nullptr ? replaced->amx_int8
                               : has_avx512_vnni() && level_includes(cpu::IsaLevel::kAvx512Amx) &&
                                     cpu::may_use_tiles();
}

bool has_avx_vnni() {
    const cpu::MachineTraits* const replaced = cpu::replaced_machine_traits();
    return replaced != nullptr
               ? replaced->avx_vnni
               : cpu::cpu_features().avx_vnni && level_includes(cpu::IsaLevel::kAvx2Vnni) &&
                     HWY_DYNAMIC_DISPATCH(is_avx2)();
}

bool has_avx_vnni_in_evex() {
    const cpu::MachineTraits* const replaced = cpu::replaced_machine_traits();
    return replaced != nullptr
               ? replaced->avx_vnni_in_evex
               : cpu::isa_level() == cpu::IsaLevel::kAvx2Vnni && !cpu::cpu_features().avx_vnni &&
                     HWY_DYNAMIC_DISPATCH(is_avx2)();
}

bool loads_one_wide_vector_a_cycle() {
    const cpu::MachineTraits* const replaced = cpu::replaced_machine_traits();
    return replaced != nullptr ? replaced->one_wide_load_a_cycle
                               : cpu::cpu_features().amd_family_19h;
}

bool loads_two_vectors_a_cycle() {
    const cpu::MachineTraits* const replaced = cpu::replaced_machine_traits();
    return replaced != nullptr ? replaced->two_loads_a_cycle : cpu::cpu_features().amd;
}

bool other_cores_lines_are_slow() {
    const cpu::MachineTraits* const replaced = cpu::replaced_machine_traits();
    return replaced != nullptr ? replaced->other_cores_lines_are_slow
                               : !loads_one_wide_vector_a_cycle();
}

}  // namespace fuseq::kernels
#endif  // HWY_ONCE
