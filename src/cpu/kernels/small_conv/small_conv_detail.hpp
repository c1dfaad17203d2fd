// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What the small-channel convolution packs and computes with.
//
// "Channel-vectorized" (kChannels): the 32-bit lanes of a vector are output channels. Otherwise
// they are pixels of one output channel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "cpu/kernels/common/aligned_vector.hpp"
#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/small_conv/small_conv.hpp"
#include "cpu/kernels/small_conv/small_conv_pairs.hpp"

namespace fuseq::kernels::small_conv {

inline constexpr std::size_t kLanes = 16;
inline constexpr std::size_t kQuad = 4;      // bytes of a lane
inline constexpr std::size_t kMaxRows = 32;  // of a ring

// Of the channel-vectorized form.
inline constexpr std::size_t kMaxTile = 24;  // pixels that one function computes at once
inline constexpr std::size_t kMaxChannelVectorTile = 96;    // pixels of a tile
inline constexpr std::size_t kMaxChannelVectorKernel = 16;  // width
inline constexpr std::size_t kMaxChannelVectorChannels = 64;
inline constexpr std::size_t kMaxChannelVectorEnds = 2;
inline constexpr std::size_t kMaxChannelVectorResults = 4;
inline constexpr std::size_t kMaxChannelVectorSources = 4;

// Pixels of a tile. Its accumulators, the weights of all vectors of channels and four bytes of a
// pixel fit into registers: 24 accumulators, 28 with two vectors, which need fewer loads.
constexpr std::size_t channel_vector_tile_of(std::size_t vectors) {
    return vectors == 1 ? kMaxTile : vectors == 2 ? 14 : 6;
}

// How the bytes of 16 pixels get into the lanes of a vector.
enum class Collect {
    kOne,     // by a permutation of 64 bytes: pixels are less than 4 bytes apart
    kTwo,     // of 128 bytes: 5 to 7
    kChunks,  // 4, 8 or 16 bytes apart: as they lie; 1, 2 or 4 neighbouring lanes are summed later
    kApart,   // 32, 48 or 64 bytes apart: 16 bytes at a time; four lanes are summed later
    kChannels,  // channel-vectorized: four bytes of a pixel are broadcast to all lanes
};

// An operation on all values, with one constant per channel.
struct ChannelVectorOp {
    enum class Kind { kScale, kShift, kRound, kMax, kMin, kSlope, kAdd };
    Kind kind = Kind::kRound;
    alignas(64) float a[kMaxChannelVectorChannels] = {};
    // kAdd: a binary source of the size of the result.
    std::size_t binary_source = 0;
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
    bool rows = false;  // every 16 channels are a row of their own (depth_to_space)
    alignas(64) float scale[kMaxChannelVectorChannels] = {};
    alignas(64) float shift[kMaxChannelVectorChannels] = {};
};

// A channel: v = fma(acc, scale, bias), where acc begins at init and stays in [min, max].
struct ChannelVectorPosition {
    std::int32_t init = 0;
    float scale = 1.0f;
    float bias = 0.0f;
    std::int64_t min = 0;
    std::int64_t max = 0;
};

struct Packed {
    SmallConvShape shape;
    // The loops run over this shape: `shape`, or with `pool` the one whose windows give two rows
    // and two columns of results.
    SmallConvShape tiling;
    std::unique_ptr<const PairForm> pairs;  // nothing else is used then
    bool pool = false;
    bool shared = false;      // kChannels: three windows share a load
    bool triples = false;     // kChannels: sums of windows are built from sums of 3-byte pixels
    std::size_t vectors = 0;  // kChannels: of output channels, the last one perhaps in part
    Collect how = Collect::kOne;
    std::size_t partials = 1;                 // lanes that are summed for a pixel; 0: kChannels
    std::uint8_t flip = 0;                    // makes signed bytes unsigned
    std::uint8_t padding = 0;                 // what a pixel outside is, flipped
    std::uint8_t index[kLanes * kQuad] = {};  // kOne, kTwo: bytes of 16 pixels
    std::size_t width = 0;                    // of the ring, in pixels of dst
    std::vector<std::size_t> offsets;         // of the chunks of a window's row
    // [kernel row][chunk][dst channel, and one of ones for the sums][partials], four bytes each
    AlignedVector<std::int32_t> weights;
    // kChannels: where rows of a window are one byte longer than whole chunks, the last bytes of
    // four rows make one more chunk. The number of such chunks; their weights come last.
    std::size_t ends = 0;
    std::vector<std::int32_t> ones;  // kChannels: weights that sum the chunks of a window's row
    alignas(64) std::int32_t init[kMaxChannelVectorChannels + 1] = {};
    bool sums = false;                                         // weights have zero points
    alignas(64) float of_sum[kMaxChannelVectorChannels] = {};  // these, negated
    alignas(64) float scale[kMaxChannelVectorChannels] = {};
    alignas(64) float bias[kMaxChannelVectorChannels] = {};
    bool floors = false;  // two of them (rule_form.hpp)
    alignas(64) float rest[kMaxChannelVectorChannels] = {};
    alignas(64) float below[kMaxChannelVectorChannels] = {};
    // The lane of each of 16 pixels after partial sums are added.
    std::int32_t lane_of_pixel[kLanes] = {};
    ElementType dst_type = ElementType::f32;
    bool pixels = false;
    bool listed = false;  // `ops` and `results` are used
    // kChannels, and pixels: operations after the bias. With fewer than 16 channels the constants
    // are repeated for the other lanes.
    std::vector<ChannelVectorOp> ops;
    std::vector<ChannelVectorResult> results;
    // Byte permutation to memory order, from lanes of four channels; for one channel the second
    // one takes four vectors.
    std::uint8_t store[2][kLanes * kQuad] = {};
    bool sigmoid = false;  // before bytes are stored
    float sigmoid_scale = 1.0f;
    std::vector<ChannelVectorPosition> channels;  // kChannels
    // After packs of four vectors: memory order of the 16 groups of four channels.
    alignas(64) std::int32_t order[kLanes] = {};
    // kChannels: one result of bytes after scale and bias alone that cannot leave 32 bits.
    bool plain_bytes = false;
    // The same after an added float tensor, for whole vectors of channels.
    bool added_bytes = false;
    // plain_bytes after a relu and a shift, all with the short way: the minima of bytes, in memory
    // order.
    bool has_min = false;
    alignas(64) std::uint8_t min[kLanes * kQuad] = {};
    // kChannels: vectors whose channels all have the short way to a byte (float_sum.hpp), whose
    // init, scale and bias are then here.
    bool is_short[kMaxChannelVectorChannels / kLanes] = {};
};

// The source of a tile: one row of the ring for each row of the kernel.
struct Windows {
    const std::uint8_t* rows[kMaxRows];
    std::size_t kernel_rows;
    const std::size_t* offsets;
    std::size_t chunks;
    std::size_t step;   // bytes from one window to the next
    std::size_t ahead;  // bytes from the last row to what is prefetched; 0: nothing

    // Prefetches `bytes` bytes of what is read next, from byte `at` on.
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

// Stores `count` pixels to planes that are `pitch` floats apart.
void run_planes(const Packed& packed,
                const Windows& windows,
                std::size_t count,
                float* planes,
                std::size_t pitch);
// Stores bytes, channels-last. For at most four channels, or two partial sums.
void run_bytes(const Packed& packed, const Windows& windows, std::size_t count, std::uint8_t* dst);

// Addresses of the first pixel of a tile in each result and each binary source.
struct ChannelVectorPlaces {
    std::byte* dst[kMaxChannelVectorResults] = {};
    std::size_t row_bytes = 0;  // from row to row, where ChannelVectorResult::rows
    const std::byte* binary_sources[kMaxChannelVectorSources] = {};
};
// Channel-vectorized; at most kMaxChannelVectorTile pixels.
void run_channel_vectors(const Packed& packed,
                         const Windows& windows,
                         std::size_t count,
                         const ChannelVectorPlaces& places);
// For four or eight channels and four partial sums.
void run_pixels(const Packed& packed,
                const Windows& windows,
                std::size_t count,
                const ChannelVectorPlaces& places);

}  // namespace fuseq::kernels::small_conv
