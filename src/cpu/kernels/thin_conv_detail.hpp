// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What thin_conv.cpp packs and thin_conv_vnni.cpp computes with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cpu/kernels/aligned_vector.hpp"
#include "cpu/kernels/thin_conv.hpp"

namespace fuseq::kernels::thin {

inline constexpr std::size_t kLanes = 16;
inline constexpr std::size_t kQuad = 4;       // bytes of a lane
inline constexpr std::size_t kMostRows = 32;  // of a ring

// How the bytes of 16 pixels that meet the same weights get into vectors.
enum class Collect {
    kOne,     // by a permutation of 64 bytes: pixels are less than 4 bytes apart
    kTwo,     // of 128 bytes: 5 to 7
    kChunks,  // as they lie: 4, 8 or 16. Then 1, 2 or 4 neighbouring lanes hold parts of a sum
};

struct Packed {
    ThinConvShape shape;
    Collect how = Collect::kOne;
    std::size_t partials = 1;                 // lanes that hold parts of a sum
    std::uint8_t flip = 0;                    // makes signed bytes unsigned
    std::uint8_t padding = 0;                 // what a pixel outside is, flipped
    std::uint8_t index[kLanes * kQuad] = {};  // kOne, kTwo: bytes of 16 pixels
    std::size_t width = 0;                    // of the ring, in pixels of dst
    std::vector<std::size_t> offsets;         // of the chunks of a window's row
    // [kernel row][chunk][dst channel, and one of ones for the sums][partials], four bytes each
    AlignedVector<std::int32_t> weights;
    std::int32_t init[kThinChannels + 1] = {};
    bool sums = false;                 // weights have zero points
    float of_sum[kThinChannels] = {};  // these, negated
    float scale[kThinChannels] = {};
    float bias[kThinChannels] = {};
    // Lanes in which pixels are when their parts are added, of each of the 16.
    std::int32_t lane_of_pixel[kLanes] = {};
    ElementType dst_type = ElementType::f32;
    bool pixels = false;
    std::uint8_t store[2][kLanes * kQuad] = {};  // dst from lanes of four channels each
};

// What a tile reads: a row of the ring for each row of the kernel.
struct Windows {
    const std::uint8_t* rows[kMostRows];
    std::size_t kernel_rows;
    const std::size_t* offsets;
    std::size_t chunks;
    std::size_t step;   // bytes from one window to the next
    std::size_t ahead;  // from the last row to what is read next, to be fetched; 0: nothing
};

// `count` pixels to planes, of which whole vectors are written.
void run_planes(const Packed& packed, const Windows& windows, std::size_t count, float* planes);
// To bytes, channels-last. For at most four channels, or two parts of a sum.
void run_bytes(const Packed& packed, const Windows& windows, std::size_t count, std::uint8_t* dst);

// To floats, channels-last. For four or eight channels and four parts of a sum.
void run_pixels(const Packed& packed, const Windows& windows, std::size_t count, float* dst);

}  // namespace fuseq::kernels::thin
