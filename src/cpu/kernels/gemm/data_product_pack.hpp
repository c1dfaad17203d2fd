// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// How the operands of a product of two computed matrices lie in scratch memory. Private to
// data_product.cpp.
#pragma once

#include <cstdint>
#include <string>

#include "cpu/kernels/gemm/data_product.hpp"
#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"

namespace fuseq::kernels::gemm {

inline constexpr std::size_t kStepBytes = 4 * kLanes;  // of a vector, for four bytes of depth

struct PackedDataProduct {
    std::size_t depth = 0, columns = 0;
    MatrixOperand a, b;
    std::size_t dst_row = 0;
    bool pairs = false;
    bool amx = false;
    bool in_place = false;          // rows of a need no copy
    std::uint8_t flip = 0;          // xor of bytes of a: 0x80 turns i8 into u8
    std::uint8_t fill = 0;          // its zero point, after that
    std::size_t depth4 = 0;         // bytes of depth, by fours
    std::size_t panels = 0;         // of panel_vectors vectors; the last one may have fewer
    std::size_t panel_vectors = 1;  // of 16 columns
    std::size_t block = 0;          // rows that are copied together
    NarrowKernel kernels[kMaxPanelVectors] = {};  // by vectors of a panel less 1; AMX: rows alone
    Epilogue epilogue;
    EpilogueFunction finish[kMaxPanelVectors][2] = {};  // and whether its panel is whole
    const FusedFunction* fused[kMaxPanelVectors] = {};  // of whole ones, instead of both; or null
    std::string implementation;

    // Bytes of scratch memory, one after the other.
    std::size_t b_bytes = 0, init_bytes = 0, a_bytes = 0, packing_bytes = 0;

    std::size_t vectors() const { return (columns + kLanes - 1) / kLanes; }
    std::size_t vectors_of(std::size_t panel) const {
        return panel + 1 < panels ? panel_vectors : vectors() - panel * panel_vectors;
    }
    std::uint8_t* step_of(std::uint8_t* packed, std::size_t panel, std::size_t quad) const {
        return packed + (panel * panel_vectors * depth4 + quad * vectors_of(panel)) * kStepBytes;
    }
};

// fused_functions() for f32 without operations, for results that stay in a cache: where they leave
// it, nothing is gained.
const FusedFunction* fused_float_functions(const Epilogue& epilogue);

// Rows of a as the kernels read them, depth4 fours of bytes each.
void copy_rows(const PackedDataProduct& p,
               const std::uint8_t* a,
               std::size_t rows,
               std::uint8_t* to);

// b as [panel][depth / 4][16 * vectors][4]. `packing` has packing_bytes.
void pack_matrix(const PackedDataProduct& p,
                 const std::uint8_t* b,
                 std::uint8_t* packed,
                 std::uint8_t* packing);

}  // namespace fuseq::kernels::gemm
