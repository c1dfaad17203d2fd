// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm/gemm_vnni_micro-inl.h"

namespace fuseq::kernels::gemm {
namespace {

template <std::size_t... I>
const MicroFunction* all(std::index_sequence<I...>) {
    static constexpr MicroFunction kFunctions[] = {&micro<I + 1, 1>...};
    return kFunctions;
}

template <std::size_t... I>
const MicroFunction* all_pooled(std::index_sequence<I...>) {
    static constexpr MicroFunction kFunctions[] = {&pooled_micro<I + 1, 1>...};
    return kFunctions;
}

}  // namespace

const MicroFunction* micro_functions_1() {
    return all(std::make_index_sequence<kMostRows[1]>{});
}

const MicroFunction* pooled_micro_functions_1() {
    return all_pooled(std::make_index_sequence<kMaxPooled[1]>{});
}

}  // namespace fuseq::kernels::gemm
