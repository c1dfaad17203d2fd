// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm/gemm_amx.hpp"

#include <algorithm>

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/common/amx_target.hpp"

FUSEQ_BEGIN_AMX

namespace fuseq::kernels::gemm {
namespace {

constexpr std::size_t kLaneBytes = 64;  // of 16 channels

// Sums: 0 to 3. Pixels: 4, 5. Weights: 6, 7.
struct alignas(64) TileConfig {
    std::uint8_t palette = 1;
    std::uint8_t start_row = 0;
    std::uint8_t reserved[14] = {};
    std::uint16_t row_bytes[16] = {};
    std::uint8_t rows[16] = {};
};

// A step of the depth: its pixels and weights.
struct Operands {
    const std::uint8_t* first;   // row of tiles of pixels
    const std::uint8_t* second;  // the same; unused with one row
    std::size_t src_step;
    const std::int8_t* wei;
    std::size_t wei_step;
};

template <std::size_t Rows, std::size_t Vectors>
FUSEQ_INLINE void begin_sums(const std::int32_t* init, std::size_t step) {
    // A stride of zero repeats one row.
    FUSEQ_TILE_LOAD(0, init, 0);
    if constexpr (Vectors == 2) {
        FUSEQ_TILE_LOAD(1, init + step, 0);
    }
    if constexpr (Rows == 2) {
        FUSEQ_TILE_LOAD(2, init, 0);
    }
    if constexpr (Rows == 2 && Vectors == 2) {
        FUSEQ_TILE_LOAD(3, init + step, 0);
    }
}

template <std::size_t Rows, std::size_t Vectors, bool Signed>
FUSEQ_INLINE void add_products(const Operands& at) {
    FUSEQ_TILE_LOAD(6, at.wei, at.wei_step);
    FUSEQ_TILE_LOAD(4, at.first, at.src_step);
    FUSEQ_TILE_PRODUCT(Signed, 0, 4, 6);
    if constexpr (Vectors == 2) {
        FUSEQ_TILE_LOAD(7, at.wei + kLaneBytes, at.wei_step);
        FUSEQ_TILE_PRODUCT(Signed, 1, 4, 7);
    }
    if constexpr (Rows == 2) {
        FUSEQ_TILE_LOAD(5, at.second, at.src_step);
        FUSEQ_TILE_PRODUCT(Signed, 2, 5, 6);
    }
    if constexpr (Rows == 2 && Vectors == 2) {
        FUSEQ_TILE_PRODUCT(Signed, 3, 5, 7);
    }
}

template <std::size_t Rows, std::size_t Vectors>
FUSEQ_INLINE void store_sums(std::int32_t* first, std::int32_t* second, std::size_t step) {
    FUSEQ_TILE_STORE(0, first, step);
    if constexpr (Vectors == 2) {
        FUSEQ_TILE_STORE(1, first + 16, step);
    }
    if constexpr (Rows == 2) {
        FUSEQ_TILE_STORE(2, second, step);
    }
    if constexpr (Rows == 2 && Vectors == 2) {
        FUSEQ_TILE_STORE(3, second + 16, step);
    }
}

// What all parts of a call share.
struct Plan {
    std::size_t tile_depth = 0;  // four bytes of depth in a tile
    std::size_t second = 0;  // pixel with which the second row of tiles begins; 0: there is none
    std::ptrdiff_t src_second = 0;  // from the first pixel's source to its
};

// Vectors [vector, vector + Vectors) of a call. Prefetch: what the call says, with its first part.
template <std::size_t Rows, std::size_t Vectors, bool Signed>
void sum_part(const AmxCall& call, const Plan& plan, std::size_t vector) {
    const std::size_t wei_step = kLaneBytes * call.vectors;
    begin_sums<Rows, Vectors>(call.init + vector * call.init_step, call.init_step);
    const std::int8_t* wei = call.wei + vector * kLaneBytes;
    const std::int8_t* ahead = call.ahead;
    const std::size_t ahead_step = vector == 0 ? call.ahead_step : 0;
    for (const std::ptrdiff_t tap : call.taps) {
        const std::uint8_t* src = call.src + tap;
        for (std::size_t k = 0; k < call.depth4; k += plan.tile_depth) {
            add_products<Rows, Vectors, Signed>({.first = src,
                                                 .second = src + plan.src_second,
                                                 .src_step = call.src_step,
                                                 .wei = wei,
                                                 .wei_step = wei_step});
            src += 4 * plan.tile_depth;
            wei += plan.tile_depth * wei_step;
            for (std::size_t i = 0; ahead_step != 0 && i < plan.tile_depth; ++i) {
                __builtin_prefetch(ahead, 0, 2);
                ahead += ahead_step;
            }
        }
        wei += call.skip;
    }
    const std::size_t tile_step = 16 * call.vectors;
    std::int32_t* const tile = call.tile + vector * 16;
    store_sums<Rows, Vectors>(tile, tile + plan.second * tile_step,
                              tile_step * sizeof(std::int32_t));
}

template <bool Signed>
void sum_all(const AmxCall& call, const Plan& plan) {
    const bool two = plan.second != 0;
    for (std::size_t v = 0; v < call.vectors; v += 2) {
        if (call.vectors - v == 1) {
            two ? sum_part<2, 1, Signed>(call, plan, v) : sum_part<1, 1, Signed>(call, plan, v);
        } else {
            two ? sum_part<2, 2, Signed>(call, plan, v) : sum_part<1, 2, Signed>(call, plan, v);
        }
    }
}

}  // namespace

std::size_t amx_tile_depth(std::size_t depth4) {
    constexpr std::size_t kMax = 16;
    std::size_t depth = std::min(depth4, kMax);
    while (depth4 % depth != 0) {
        --depth;
    }
    return depth;
}

void max_of_windows(std::int32_t* tile, std::size_t pixels, std::size_t vectors) {
    const std::size_t step = 16 * vectors;
    const std::int32_t* const next_row = tile + 2 * pixels * step;
    for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
        for (std::size_t i = 0; i < step; ++i) {
            const std::size_t at = 2 * pixel * step + i;
            tile[pixel * step + i] = std::max(std::max(tile[at], tile[at + step]),
                                              std::max(next_row[at], next_row[at + step]));
        }
    }
}

AmxTiles::~AmxTiles() {
    if (rows_ != 0) {
        FUSEQ_TILE_RELEASE();
    }
}

void AmxTiles::configure(std::size_t rows, std::size_t depth4) {
    if (rows == rows_ && depth4 == depth4_) {
        return;
    }
    rows_ = rows;
    depth4_ = depth4;
    TileConfig config;
    const auto set = [&](std::size_t first, std::size_t last, std::size_t tile_rows,
                         std::size_t bytes) {
        for (std::size_t i = first; i <= last; ++i) {
            config.rows[i] = static_cast<std::uint8_t>(tile_rows);
            config.row_bytes[i] = static_cast<std::uint16_t>(bytes);
        }
    };
    set(0, 3, rows, kLaneBytes);
    set(4, 5, rows, 4 * depth4);
    set(6, 7, depth4, kLaneBytes);
    FUSEQ_TILE_CONFIGURE(&config);
}

void AmxTiles::sum(const AmxCall& call) {
    // The second row of tiles may begin within the first: both have the same number of pixels.
    const bool two = call.second != 0 || call.rows > kAmxTileRows;
    const std::size_t rows = two ? (call.rows + 1) / 2 : call.rows;
    Plan plan{.tile_depth = amx_tile_depth(call.depth4), .second = call.rows - rows};
    plan.src_second =
        call.second != 0 ? call.second : static_cast<std::ptrdiff_t>(plan.second * call.src_step);
    configure(rows, plan.tile_depth);
    call.src_signed ? sum_all<true>(call, plan) : sum_all<false>(call, plan);
}

}  // namespace fuseq::kernels::gemm

FUSEQ_END_AMX
