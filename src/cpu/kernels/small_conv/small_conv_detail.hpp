// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What small_conv.cpp packs and small_conv_vnni.cpp computes with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cpu/kernels/common/aligned_vector.hpp"
#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/small_conv/small_conv.hpp"

namespace fuseq::kernels::small_conv {

inline constexpr std::size_t kLanes = 16;
inline constexpr std::size_t kQuad = 4;      // bytes of a lane
inline constexpr std::size_t kMaxRows = 32;  // of a ring

// Output channels in lanes.
inline constexpr std::size_t kMaxTile = 24;  // pixels that one function computes at once
inline constexpr std::size_t kMaxChannelVectorTile = 96;    // pixels that are worked on together
inline constexpr std::size_t kMaxChannelVectorKernel = 16;  // width
inline constexpr std::size_t kMaxChannelVectorChannels = 64;
inline constexpr std::size_t kMaxChannelVectorEnds = 2;
inline constexpr std::size_t kMaxChannelVectorResults = 4;
inline constexpr std::size_t kMaxChannelVectorSources = 4;

// Pixels by vectors of channels whose accumulators stay in registers, with the weights of all
// vectors and four bytes of a pixel: 24, or 28 with two vectors, where loads are fewer.
constexpr std::size_t lane_tile_of(std::size_t vectors) {
    return vectors == 1 ? kMaxTile : vectors == 2 ? 14 : 6;
}

// How the bytes of 16 pixels that meet the same weights get into vectors.
enum class Collect {
    kOne,       // by a permutation of 64 bytes: pixels are less than 4 bytes apart
    kTwo,       // of 128 bytes: 5 to 7
    kChunks,    // as they lie: 4, 8 or 16. Then 1, 2 or 4 neighbouring lanes hold parts of a sum
    kApart,     // 16 bytes at a time: 32, 48 or 64. Four lanes hold parts of a sum
    kChannels,  // not at all: lanes are output channels, and four bytes of a pixel are in all
                // of them
};

// An operation on all values. One constant a channel.
struct ChannelVectorOp {
    enum class Kind { kScale, kShift, kRound, kMax, kMin, kSlope, kAdd };
    Kind kind = Kind::kRound;
    alignas(64) float a[kMaxChannelVectorChannels] = {};
    // kAdd: a tensor of the size of the result.
    std::size_t extra = 0;
    std::size_t element = 1;  // bytes
    bool is_signed = false;
    float zero_point = 0.0f;
    float scale = 1.0f;

    // Floats as they are.
    bool is_plain() const { return element == 4 && zero_point == 0.0f && scale == 1.0f; }
};

struct ChannelVectorResult {
    std::size_t element = 4;  // bytes: 1, or 4 for floats as they are
    bool is_signed = false;
    bool scaled = false;
    bool shifted = false;
    bool rows = false;  // each 16 channels are a row of their own
    alignas(64) float scale[kMaxChannelVectorChannels] = {};
    alignas(64) float shift[kMaxChannelVectorChannels] = {};
};

// Of a channel in a lane: v = fma(acc, scale, bias), where acc begins with init and stays
// within least and most.
struct ChannelVectorPosition {
    std::int32_t init = 0;
    float scale = 1.0f;
    float bias = 0.0f;
    std::int64_t min = 0;
    std::int64_t max = 0;
};

struct Packed {
    SmallConvShape shape;
    // What is walked over: the shape, or that of windows of two rows of results where these are
    // pooled.
    SmallConvShape walk;
    bool pool = false;
    bool shared = false;      // kChannels: a load serves three windows
    bool triples = false;     // kChannels: sums of windows are those of pixels of three bytes
    std::size_t vectors = 0;  // kChannels: of output channels, the last one perhaps in part
    Collect how = Collect::kOne;
    std::size_t partials = 1;                 // lanes that hold parts of a sum; 0: none
    std::uint8_t flip = 0;                    // makes signed bytes unsigned
    std::uint8_t padding = 0;                 // what a pixel outside is, flipped
    std::uint8_t index[kLanes * kQuad] = {};  // kOne, kTwo: bytes of 16 pixels
    std::size_t width = 0;                    // of the ring, in pixels of dst
    std::vector<std::size_t> offsets;         // of the chunks of a window's row
    // [kernel row][chunk][dst channel, and one of ones for the sums][partials], four bytes each
    AlignedVector<std::int32_t> weights;
    // kChannels: where rows of a window have one byte more than whole chunks, these bytes of
    // four rows are a chunk too: so many of them, with the last weights.
    std::size_t ends = 0;
    std::vector<std::int32_t> ones;  // kChannels: what adds up the chunks of a window's row
    alignas(64) std::int32_t init[kMaxChannelVectorChannels + 1] = {};
    bool sums = false;                                         // weights have zero points
    alignas(64) float of_sum[kMaxChannelVectorChannels] = {};  // these, negated
    alignas(64) float scale[kMaxChannelVectorChannels] = {};
    alignas(64) float bias[kMaxChannelVectorChannels] = {};
    // Lanes in which pixels are when their parts are added, of each of the 16.
    std::int32_t lane_of_pixel[kLanes] = {};
    ElementType dst_type = ElementType::f32;
    bool pixels = false;
    bool listed = false;  // operations and results are lists
    // kChannels, and pixels: what follows bias. With fewer than 16 channels all constants of
    // channels are repeated for the other lanes.
    std::vector<ChannelVectorOp> ops;
    std::vector<ChannelVectorResult> results;
    // dst from lanes of four channels each; for one channel the second one is for four vectors
    // of it.
    std::uint8_t store[2][kLanes * kQuad] = {};
    bool sigmoid = false;  // before bytes are stored
    float sigmoid_scale = 1.0f;
    std::vector<ChannelVectorPosition> channels;  // kChannels
    // After packs of four vectors, the 16 groups of four channels in the order of memory.
    alignas(64) std::int32_t order[kLanes] = {};
    // kChannels: one result of bytes after scale and bias alone, which stay within 32 bits.
    bool plain_bytes = false;
    // The same after floats that are added, of whole vectors of channels.
    bool added_bytes = false;
    // With plain bytes after a relu and a shift, all of them the short way: the least bytes, in
    // the order of memory.
    bool has_min = false;
    alignas(64) std::uint8_t min[kLanes * kQuad] = {};
    // kChannels: vectors whose channels all have the short way to a byte (float_sum.hpp); init,
    // scale and bias are those of it.
    bool is_short[kMaxChannelVectorChannels / kLanes] = {};
};

// What a tile reads: a row of the ring for each row of the kernel.
struct Windows {
    const std::uint8_t* rows[kMaxRows];
    std::size_t kernel_rows;
    const std::size_t* offsets;
    std::size_t chunks;
    std::size_t step;   // bytes from one window to the next
    std::size_t ahead;  // from the last row to what is read next, to be fetched; 0: nothing

    // Fetches so many bytes of what is read next, from byte `at` on.
    FUSEQ_INLINE void fetch_ahead(std::size_t at, std::size_t bytes) const {
        constexpr std::size_t kCacheLine = 64;
        if (ahead != 0) {
            const std::uint8_t* next = rows[kernel_rows - 1] + ahead + at;
            for (std::size_t i = 0; i < bytes; i += kCacheLine) {
                __builtin_prefetch(next + i);
            }
        }
    }
};

// `count` pixels to planes, which are `pitch` floats apart.
void run_planes(const Packed& packed,
                const Windows& windows,
                std::size_t count,
                float* planes,
                std::size_t pitch);
// To bytes, channels-last. For at most four channels, or two parts of a sum.
void run_bytes(const Packed& packed, const Windows& windows, std::size_t count, std::uint8_t* dst);

// Where the first pixel of a row's part is in each result and each other tensor.
struct ChannelVectorPlaces {
    std::byte* dst[kMaxChannelVectorResults] = {};
    std::size_t row_bytes = 0;  // from row to row, where ChannelVectorResult::rows
    const std::byte* binary_sources[kMaxChannelVectorSources] = {};
};
// With channels in lanes; at most kMaxChannelVectorTile pixels.
void run_lanes(const Packed& packed,
               const Windows& windows,
               std::size_t count,
               const ChannelVectorPlaces& places);
// With four or eight channels and four parts of a sum.
void run_pixels(const Packed& packed,
                const Windows& windows,
                std::size_t count,
                const ChannelVectorPlaces& places);

}  // namespace fuseq::kernels::small_conv
