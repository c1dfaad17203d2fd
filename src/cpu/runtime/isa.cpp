// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/runtime/isa.hpp"

#include <oneapi/dnnl/dnnl.hpp>

namespace fuseq::cpu {
namespace {

struct IsaRow {
    dnnl::cpu_isa isa;
    const char* name;
    post_ops::IsaLevel level;
};

constexpr IsaRow kRows[] = {
    {dnnl::cpu_isa::sse41, "sse41", post_ops::IsaLevel::kSse41},
    {dnnl::cpu_isa::avx, "avx", post_ops::IsaLevel::kSse41},
    {dnnl::cpu_isa::avx2, "avx2", post_ops::IsaLevel::kAvx2},
    {dnnl::cpu_isa::avx2_vnni, "avx2_vnni", post_ops::IsaLevel::kVnni},
    {dnnl::cpu_isa::avx512_core, "avx512_core", post_ops::IsaLevel::kAvx512Core},
    {dnnl::cpu_isa::avx512_core_vnni, "avx512_core_vnni", post_ops::IsaLevel::kVnni},
    {dnnl::cpu_isa::avx512_core_bf16, "avx512_core_bf16", post_ops::IsaLevel::kVnni},
    {dnnl::cpu_isa::avx512_core_amx, "avx512_core_amx", post_ops::IsaLevel::kVnni},
};

const IsaRow& current() {
    const dnnl::cpu_isa isa = dnnl::get_effective_cpu_isa();
    for (const IsaRow& row : kRows) {
        if (row.isa == isa) {
            return row;
        }
    }
    static const IsaRow kOther{isa, "unknown", post_ops::IsaLevel::kSse41};
    return kOther;
}

}  // namespace

std::string effective_isa() {
    return current().name;
}

post_ops::IsaLevel isa_level() {
    return current().level;
}

bool int8_accumulates_exactly() {
    return isa_level() == post_ops::IsaLevel::kVnni;
}

}  // namespace fuseq::cpu
