// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/packed_table.hpp"

#include <algorithm>

#include "cpu/steps/packed_step.hpp"

namespace fuseq::cpu {

PackedTable packed_table(const Plan& plan) {
    PackedTable table;
    for (const auto& step : plan.steps) {
        if (const auto* packed = dynamic_cast<const PackedStep*>(step.get())) {
            table.resize(std::max(table.size(), packed->number() + 1));
            table[packed->number()] = packed->packed();
        }
    }
    return table;
}

}  // namespace fuseq::cpu
