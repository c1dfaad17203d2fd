// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/machine/instructions.hpp"

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
    return is_avx512() || HWY_TARGET == HWY_AVX2;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(is_avx512);
HWY_EXPORT(is_avx2);

// What __builtin_cpu_supports() reads was asked of the machine when the process started.
bool has_avx512_vnni() {
    const cpu::MachineTraits* const replaced = cpu::replaced_machine_traits();
    return replaced != nullptr
               ? replaced->avx512_vnni
               : HWY_DYNAMIC_DISPATCH(is_avx512)() && __builtin_cpu_supports("avx512vnni") != 0;
}

bool has_avx512_vbmi() {
    const cpu::MachineTraits* const replaced = cpu::replaced_machine_traits();
    return replaced != nullptr ? replaced->avx512_vbmi
                               : has_avx512_vnni() && __builtin_cpu_supports("avx512vbmi") != 0;
}

bool has_avx_vnni() {
    const cpu::MachineTraits* const replaced = cpu::replaced_machine_traits();
    return replaced != nullptr
               ? replaced->avx_vnni
               : HWY_DYNAMIC_DISPATCH(is_avx2)() && __builtin_cpu_supports("avxvnni") != 0;
}

bool loads_one_wide_vector_a_cycle() {
    const cpu::MachineTraits* const replaced = cpu::replaced_machine_traits();
    return replaced != nullptr ? replaced->one_wide_load_a_cycle
                               : __builtin_cpu_is("amdfam19h") != 0;
}

bool other_cores_lines_are_slow() {
    const cpu::MachineTraits* const replaced = cpu::replaced_machine_traits();
    return replaced != nullptr ? replaced->other_cores_lines_are_slow
                               : !loads_one_wide_vector_a_cycle();
}

}  // namespace fuseq::kernels
#endif  // HWY_ONCE
