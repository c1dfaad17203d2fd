// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The epilogue program of a chain made ready for execution: constants unpacked to rows. Used by
// eltwise_kernel.cpp only.
#pragma once

#include <cstddef>
#include <vector>

#include "cpu/kernels/common/aligned_vector.hpp"
#include "cpu/kernels/eltwise/eltwise_kernel.hpp"
#include "cpu/post_ops/epilogue_program.hpp"

namespace fuseq::kernels {

// Elements that are worked on at once; they and their binary source stay in the L1 cache.
inline constexpr std::size_t kChainTile = 1024;
// The most floats of any vector; arrays are padded by so many.
inline constexpr std::size_t kChainPadding = 64;

// A constant of an operation: one value, or one for each element of a row.
struct EltwiseParameter {
    AlignedVector<float> values;  // 1, or row length (kRows) or channels (kPlanes), padded
    bool per_channel = false;
};

// An operation of the program with its constants unpacked.
struct ProgramOp {
    using Kind = post_ops::EpilogueOp::Kind;
    Kind kind = Kind::kRound;
    EltwiseParameter a{};
    EltwiseParameter b{};
    post_ops::Eltwise eltwise{};
    post_ops::Binary binary{};
    // Of kEltwise: an elu of which 8 bits remain, b * (x or a * (e^x - 1)), done in registers.
    bool is_coarse_elu = false;
};

struct EltwiseProgram {
    std::vector<ProgramOp> ops;
    ElementType src_type = ElementType::f32;
    ElementType dst_type = ElementType::f32;
    EltwiseLayout layout = EltwiseLayout::kRows;
    std::size_t channels = 1;
    // Rows that lie one after the other are taken together, so many elements at once; per-channel
    // constants of kRows are repeated accordingly. A multiple of `channels`.
    std::size_t repeated_row = 1;
    std::size_t source_count = 0;
    bool per_channel = false;  // some constant is, or a binary source is broadcast
    bool per_plane = false;    // some binary source is
};

EltwiseProgram make_chain_program(const post_ops::Chain& chain,
                                  ElementType src_type,
                                  std::size_t channels,
                                  EltwiseLayout layout);

}  // namespace fuseq::kernels
