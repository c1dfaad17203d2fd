// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The choice among functions each of which is for one list of operations.
#pragma once

namespace fuseq::kernels::gemm {

// The first pointer that is not null, or null.
template <class Pointer, class... Others>
Pointer first_of(Pointer found, Others... others) {
    ((found = found == nullptr ? others : found), ...);
    return found;
}

}  // namespace fuseq::kernels::gemm
