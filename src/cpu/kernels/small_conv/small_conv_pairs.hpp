// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The small-channel convolution without 512-bit VNNI, for at most kSmallConvChannels output
// channels: source and weights are elements of 16 bits, multiplied in pairs, or, where the machine has
// 256-bit dot products of bytes, elements of 8 bits, multiplied in fours. Products are added in 32
// bits, which nothing leaves.
//
// Source rows are copied to a ring in the cache: words without their zero point, or unsigned bytes.
// A pixel has as many elements there as a vector can hold whole pixels of: 1, 2 or 4 lanes of 32
// bits, or a multiple of 8. With a horizontal stride the columns of each remainder lie together. So a
// vector, as it lies, holds a tap of neighbouring pixels; its 32-bit sums are parts of a pixel's sum,
// which are added at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cpu/kernels/common/aligned_vector.hpp"
#include "cpu/kernels/small_conv/small_conv.hpp"

namespace fuseq::kernels::small_conv {

inline constexpr std::size_t kMaxPairRows = 32;     // of a ring
inline constexpr std::size_t kMaxPairGroup = 4;     // output channels that are computed at once
inline constexpr std::size_t kMaxPairSums = 1024;   // 32-bit parts of a tile's sums, of a channel
inline constexpr std::size_t kPairSumsSlack = 128;  // after them

// One tile and a group of output channels.
struct PairCall {
    const void* const* rows;  // where the tile begins in the row of each kernel row
    std::size_t kernel_rows;
    const std::size_t* taps;  // offsets in elements
    std::size_t tap_count;
    std::size_t step;     // elements from one vector to the next
    const void* weights;  // [kernel row][tap][channel of the group][elements of a vector]
    std::size_t vectors;
    std::int32_t* sums;  // [channel of the group][kMaxPairSums + kPairSumsSlack]
};

// How the sums of a channel become values: v = fma(fma(ones, of_sum, init + sum), scale, bias).
struct PairValues {
    const std::int32_t* sums;
    std::size_t partials;      // that are added for a pixel: 1, 2, 4 or 8
    std::int32_t init;         // what the zero point of the source takes away
    const std::int32_t* ones;  // of the pixels' windows; null: none
    float of_sum;
    float scale;
    float bias;
};

// A source row and where its pixels go in the ring.
struct PairFill {
    const void* from;  // of pixel 0 of the source row
    bool is_signed;
    std::int32_t zero_point;  // that words are freed of
    std::size_t channels;
    std::size_t elements;   // of a pixel in the ring; those after `channels` are anything
    std::size_t stride;     // horizontal: that many parts
    std::size_t part_size;  // elements from part to part
    std::size_t width;      // of the source row
    // Pixels [begin, end) of the source become numbers `first` and following of the ring.
    std::size_t begin;
    std::size_t end;
    std::size_t first;
    void* to;
};

// Bound to the best target that Highway has enabled now.
struct PairFunctions {
    std::size_t lanes = 0;     // of 32 bits
    std::size_t per_lane = 2;  // elements: words, or four bytes
    void (*sums[kMaxPairGroup])(const PairCall& call) = {};
    // Adds the parts of sums, and `init`: [pixel].
    void (*add)(const std::int32_t* sums,
                std::size_t partials,
                std::size_t pixels,
                std::int32_t init,
                std::int32_t* to) = nullptr;
    void (*values)(const PairValues& values, std::size_t pixels, float* to) = nullptr;
    void (*fill)(const PairFill& fill) = nullptr;
};
PairFunctions pair_functions();
// The same with bytes, where has_byte_dots().
PairFunctions dot_functions();
bool has_byte_dots();

// Weights packed for the functions, and how a row is cut. Immutable.
struct PairForm {
    PairFunctions functions;
    SmallConvShape shape;
    bool is_signed = false;  // the source
    std::int32_t zero_point = 0;
    std::uint8_t padding = 0;   // bytes of the ring outside of the source
    std::size_t elements = 0;   // of a pixel in the ring
    std::size_t partials = 0;   // parts of a pixel's sum
    std::size_t tile = 0;       // output pixels at once
    std::size_t part_size = 0;  // elements of the columns of one remainder
    std::size_t row_size = 0;   // elements of a row of the ring
    std::vector<std::size_t> taps;
    bool sums = false;  // weights have zero points: the first group is one channel of ones
    std::vector<std::size_t> groups;  // output channels of each
    AlignedVector<std::uint8_t> weights;
    std::int32_t init_of_ones = 0;
    std::int32_t init[kSmallConvChannels] = {};
    float of_sum[kSmallConvChannels] = {};  // zero points of weights, negated
    float scale[kSmallConvChannels] = {};
    float bias[kSmallConvChannels] = {};
};

// Whether there is room for the source rows of a tile.
bool pairs_take(const SmallConvShape& shape);
// Precondition: pairs_take().
PairForm pack_pairs(const SmallConvParams& params);

// Where the planes of a tile's values begin, and the distance between them.
struct PairPlace {
    float* planes;
    std::size_t pitch;
};
class PairReceiver {
public:
    virtual ~PairReceiver() = default;
    virtual PairPlace place(const SmallConvTile& tile) = 0;
    // The values are there.
    virtual void done(const SmallConvTile& tile) = 0;
};
// All tiles of the rows.
void run_pairs(const PairForm& form, const void* src, Range rows, PairReceiver& receiver);

}  // namespace fuseq::kernels::small_conv
