// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Concat along any axis in either layout: rows of memory are copied side by side. (oneDNN has no
// fast in-place concat along channels, DESIGN section 8; what the own matrix product makes is
// written in place: plan/passes/concat_slices.hpp.)
#pragma once

#include "cpu/steps/capabilities.hpp"
#include "cpu/steps/step.hpp"

namespace fuseq::cpu {

class ConcatStep final : public Step, public SliceCopy {
public:
    // All tensors have the layout of dst. `axis` counts in the dimension order of the IR.
    ConcatStep(const std::vector<PlanTensor>& srcs,
               std::vector<TensorId> src_ids,
               const PlanTensor& dst,
               TensorId dst_id,
               std::size_t axis);
    std::unique_ptr<Runner> bind(RequestMemory& memory) const override;
    std::optional<RowTiling> row_tiling() const override { return RowTiling{.rows = rows_}; }

    SliceCopy* slice_copy() override { return this; }
    std::size_t row_bytes(std::size_t input) const override { return slices_[input].bytes; }
    std::size_t dst_offset(std::size_t input) const override { return slices_[input].offset; }
    std::size_t dst_row_bytes() const override { return dst_row_bytes_; }
    void leave_out(std::size_t input) override;

private:
    friend class ConcatRunner;
    // Of a row of dst.
    struct Slice {
        std::size_t offset = 0;
        std::size_t bytes = 0;
    };
    std::size_t rows_ = 1;       // outer positions
    std::vector<Slice> slices_;  // by input
    std::size_t dst_row_bytes_ = 0;
};

}  // namespace fuseq::cpu
