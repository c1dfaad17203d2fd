// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Arguments of a part of dst: those of the whole, with other beginnings of its tensors.
#pragma once

#include "cpu/kernels/gemm/gemm_narrow_results.hpp"
#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"

namespace fuseq::kernels::gemm {

// Those of a column of dst, from its first pixel on.
class ColumnArgs {
public:
    // results: null where dst is the only one. pitch: elements from a pixel of dst to the next.
    ColumnArgs(const Packed& p,
               const NarrowResults* results,
               const GemmArgs& args,
               std::size_t column,
               std::size_t pitch);
    ColumnArgs(const ColumnArgs&) = delete;
    ColumnArgs& operator=(const ColumnArgs&) = delete;

    const GemmArgs& get() const { return args_; }

private:
    GemmArgs args_;
    const void* binary_sources_[kMaxBinarySources] = {};
    void* results_[kMaxResults] = {};
};

// Where the binary sources begin so that row `row` of dst finds its row in those that are
// deduplicated (GemmArgs::rows). list: kMaxBinarySources.
void choose_binary_rows(const Packed& p, const GemmArgs& args, std::size_t row, const void** list);

// Where a pixel of a panel's sub-pixel is in dst: the row, of all images, and the first element, with
// `pitch` elements from a pixel of dst to the next.
std::size_t subpixel_row(const Packed& p, std::size_t pixel, const Panel& panel);
std::size_t subpixel_place(const Packed& p,
                           std::size_t pixel,
                           const Panel& panel,
                           std::size_t pitch);

// As choose_binary_rows(), for pixels of a sub-pixel in row `row` of dst: the sources begin where element `place` of
// dst does.
void choose_subpixel_sources(const Packed& p,
                             const GemmArgs& args,
                             std::size_t row,
                             std::ptrdiff_t place,
                             const void** list);

// The tensor that a wide panel adds, from element `place` on, if there is one.
void set_residual(const Packed& p, const GemmArgs& args, std::size_t place, WideCall& call);

}  // namespace fuseq::kernels::gemm
