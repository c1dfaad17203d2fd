// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/packed_table.hpp"

namespace fuseq::cpu {

PackedTable packed_table(const Plan& plan) {
    PackedTable table;
    for (const auto& step : plan.steps) {
        step->add_packed_to(table);
    }
    return table;
}

}  // namespace fuseq::cpu
