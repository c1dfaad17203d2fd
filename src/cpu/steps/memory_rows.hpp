// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/steps/plan_tensor.hpp"

namespace fuseq::cpu {

// Of a dense tensor: its last dimension in memory, and how often there is one. No rows where the
// tensor is empty.
struct MemoryRows {
    std::size_t rows = 1;
    std::size_t columns = 1;
    // Min rows of a thread.
    std::size_t grain() const;
};
MemoryRows memory_rows(const PlanTensor& tensor);

}  // namespace fuseq::cpu
