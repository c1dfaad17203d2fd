// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/machine/isa.hpp"

#include <oneapi/dnnl/dnnl.hpp>

namespace fuseq::cpu {
namespace {

struct IsaRow {
    dnnl::cpu_isa isa;
    const char* name;
};

constexpr IsaRow kRows[] = {
    {dnnl::cpu_isa::sse41, "sse41"},
    {dnnl::cpu_isa::avx, "avx"},
    {dnnl::cpu_isa::avx2, "avx2"},
    {dnnl::cpu_isa::avx2_vnni, "avx2_vnni"},
    {dnnl::cpu_isa::avx512_core, "avx512_core"},
    {dnnl::cpu_isa::avx512_core_vnni, "avx512_core_vnni"},
    {dnnl::cpu_isa::avx512_core_bf16, "avx512_core_bf16"},
    {dnnl::cpu_isa::avx512_core_amx, "avx512_core_amx"},
};

}  // namespace

std::string effective_isa() {
    if (const MachineTraits* traits = replaced_machine_traits()) {
        return traits->isa_name;
    }
    const dnnl::cpu_isa isa = dnnl::get_effective_cpu_isa();
    for (const IsaRow& row : kRows) {
        if (row.isa == isa) {
            return row.name;
        }
    }
    return "unknown";
}

IsaLevel isa_level() {
    if (const MachineTraits* traits = replaced_machine_traits()) {
        return traits->isa;
    }
    switch (dnnl::get_effective_cpu_isa()) {
        case dnnl::cpu_isa::all:
        case dnnl::cpu_isa::sse41:
        case dnnl::cpu_isa::avx: return IsaLevel::kSse41;
        case dnnl::cpu_isa::avx2:
        case dnnl::cpu_isa::avx2_vnni:
        case dnnl::cpu_isa::avx512_mic:
        case dnnl::cpu_isa::avx512_mic_4ops: return IsaLevel::kAvx2;
        case dnnl::cpu_isa::avx512_core: return IsaLevel::kAvx512Core;
        default: return IsaLevel::kVnni;
    }
}

bool int8_accumulates_exactly() {
    return isa_level() == IsaLevel::kVnni;
}

}  // namespace fuseq::cpu
