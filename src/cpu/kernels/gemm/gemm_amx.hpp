// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The products of gemm_vnni.hpp by the tiles of AMX: registers of up to 16 rows of 64 bytes, and an
// instruction that adds 16 x 16 sums of 64 products each in 16 cycles. The weights are packed as for
// AVX-512 VNNI: four bytes of depth of 16 channels are a row of a tile. Sums leave through a buffer
// in L1, from which the epilogues of AVX-512 go on. Sources of i8 need no offset here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fuseq::kernels::gemm {

inline constexpr std::size_t kAmxTileRows = 16;
inline constexpr std::size_t kAmxRows = 2 * kAmxTileRows;  // pixels of a call, at most
inline constexpr std::size_t kAmxVectors = 4;              // of channels, at most

// Four bytes of depth that one tile holds, at most 16: whole tiles without a remainder, so that
// nothing beyond a pixel is read. Depths without such a divisor have small tiles.
std::size_t amx_tile_depth(std::size_t depth4);

struct AmxCall {
    const std::uint8_t* src = nullptr;  // first pixel, first tap
    std::size_t src_step = 0;           // bytes from one pixel to the next
    std::size_t rows = 0;               // pixels, 1 to kAmxRows
    // Where the second half of the pixels begins, from src; 0: after the first.
    std::ptrdiff_t second = 0;
    const std::int8_t* wei = nullptr;        // [tap][depth / 4][16 * vectors][4]
    std::size_t vectors = 0;                 // 1 to kAmxVectors
    std::size_t depth4 = 0;                  // bytes of a tap, by fours
    std::span<const std::ptrdiff_t> taps{};  // where each begins, from src
    std::size_t skip = 0;                    // bytes of weights between two taps
    const std::int32_t* init = nullptr;      // of 16 channels
    std::size_t init_step = 0;               // from one vector's to the next, in elements
    bool src_signed = false;
    std::int32_t* tile = nullptr;  // [rows][16 * vectors]
    // Prefetched into L2: for each four bytes of depth one cache line, ahead_step after the last.
    const std::int8_t* ahead = nullptr;
    std::size_t ahead_step = 0;
};

// Makes one pixel of 2 x 2: `tile` has `pixels` pairs of pixels, and then as many of the next row. The
// maxima lie where tile begins.
void max_of_windows(std::int32_t* tile, std::size_t pixels, std::size_t vectors);

// The tile registers of a thread while it works on a product: their sizes are set when they change,
// and given back at the end, so that the thread's state is small again. One at a time a thread;
// nothing else may use tiles meanwhile. Requires has_amx_int8().
class AmxTiles {
public:
    AmxTiles() = default;
    ~AmxTiles();
    AmxTiles(const AmxTiles&) = delete;
    AmxTiles& operator=(const AmxTiles&) = delete;

    void sum(const AmxCall& call);

private:
    void configure(std::size_t rows, std::size_t depth4);

    std::size_t rows_ = 0;
    std::size_t depth4_ = 0;
};

}  // namespace fuseq::kernels::gemm
