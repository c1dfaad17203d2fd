// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Tables of micro-kernels. Only generated files include it: see src/cpu/kernels/CMakeLists.txt.
#pragma once

#include "cpu/kernels/gemm/gemm_vnni_micro-inl.h"

FUSEQ_BEGIN_VNNI

namespace fuseq::kernels::gemm {
namespace {

template <std::size_t Vectors, std::size_t... I>
const MicroFunction* all_micro(std::index_sequence<I...>) {
    static constexpr MicroFunction kFunctions[] = {&micro<I + 1, Vectors>...};
    return kFunctions;
}

template <std::size_t Vectors, std::size_t... I>
const MicroFunction* all_pooled_micro(std::index_sequence<I...>) {
    static constexpr MicroFunction kFunctions[] = {&pooled_micro<I + 1, Vectors>...};
    return kFunctions;
}

}  // namespace

template <std::size_t Vectors>
const MicroFunction* micro_functions() {
    return all_micro<Vectors>(std::make_index_sequence<kMaxRows[Vectors]>{});
}

template <std::size_t Vectors>
const MicroFunction* pooled_micro_functions() {
    return all_pooled_micro<Vectors>(std::make_index_sequence<kMaxPooled[Vectors]>{});
}

}  // namespace fuseq::kernels::gemm

FUSEQ_END_VNNI
