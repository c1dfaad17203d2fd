// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Concat along any axis in either layout: rows of memory are copied side by side. (oneDNN has no
// fast in-place concat along channels, DESIGN section 8.)
#pragma once

#include "cpu/steps/step.hpp"

namespace fuseq::cpu {

class ConcatStep final : public Step {
public:
    // All tensors have the layout of dst. `axis` counts in the dimension order of the IR.
    ConcatStep(const std::vector<PlanTensor>& srcs,
               std::vector<TensorId> src_ids,
               const PlanTensor& dst,
               TensorId dst_id,
               std::size_t axis);
    std::unique_ptr<Runner> bind(RequestMemory& memory) const override;
    std::optional<RowWalk> row_walk() const override { return RowWalk{.rows = rows_}; }

private:
    std::size_t rows_ = 1;                // outer positions
    std::vector<std::size_t> row_bytes_;  // of each src
    std::size_t dst_row_bytes_ = 0;
};

}  // namespace fuseq::cpu
