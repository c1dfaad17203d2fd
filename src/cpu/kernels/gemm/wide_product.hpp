// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Products of integers of 16 bits with exact sums of 64 bits: convolutions and matrix products
// whose sums neither fit an f32 nor 32 bits. vpmaddwd adds two products; sums of 32 bits are moved
// to 64 before they can overflow. Weights of more than 12 bits, which would overflow after a few
// products, are stored in two parts, w = 256 * high + low, both within [-128, 128].
//
//   sums[p, c] = sum over taps t and k < depth of src[p * src_step + t.src + k] * w[t.wei, k, c]
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cpu/kernels/common/aligned_vector.hpp"

namespace fuseq::kernels {

inline constexpr std::size_t kWideGroup = 16;  // channels of a group
inline constexpr std::size_t kWidePixels = 4;  // of a call, at most

// Constant weights: of `taps` taps, `depth` values and `channels` results each.
class WideWeights {
public:
    static constexpr std::int32_t kHighPart = 256;
    static constexpr std::int64_t kMaxWeightInOnePart = 2047;

    // The weight of a tap, a place in its depth and a channel; in [-32768, 32767].
    using Value = std::function<std::int32_t(std::size_t tap, std::size_t k, std::size_t c)>;

    // max_src: no source has a larger magnitude; at most 32768.
    WideWeights(std::size_t taps,
                std::size_t depth,
                std::size_t channels,
                std::int64_t max_src,
                const Value& value);

    std::size_t depth() const { return depth_; }
    // Of a row of sums: channels, whole groups of them.
    std::size_t row() const { return groups_ * kWideGroup; }
    std::size_t groups() const { return groups_; }
    // Pairs of values of a tap.
    std::size_t pairs() const { return (depth_ + 1) / 2; }
    std::size_t parts() const { return parts_; }
    // Pairs whose products with one part 32 bits hold; 1 or more.
    std::size_t pairs_in_32_bits() const { return pairs_in_32_bits_; }
    // Pairs of 16 channels, one pair of depth after the other.
    const std::int16_t* of(std::size_t group, std::size_t tap, std::size_t part) const {
        return values_.data() + part * part_size() +
               (group * taps_ + tap) * pairs() * 2 * kWideGroup;
    }
    // Sums of the weights of a tap, one a channel.
    const std::int64_t* tap_sums(std::size_t tap) const { return tap_sums_.data() + tap * row(); }

private:
    std::size_t part_size() const { return groups_ * taps_ * pairs() * 2 * kWideGroup; }
    void put(std::size_t at, std::int32_t weight);

    std::size_t taps_;
    std::size_t depth_;
    std::size_t groups_;
    std::size_t parts_ = 1;
    std::size_t pairs_in_32_bits_ = 1;
    AlignedVector<std::int16_t> values_;
    std::vector<std::int64_t> tap_sums_;
};

struct WideTap {
    std::ptrdiff_t src = 0;  // its pixel, from the first one's
    std::size_t wei = 0;     // its number in the weights
};

struct WideProductCall {
    // First pixel. With an odd depth one value more is read after the last one of each tap.
    const std::int16_t* src = nullptr;
    std::ptrdiff_t src_step = 0;  // from one pixel to the next
    std::size_t pixels = 0;       // 1 to kWidePixels
    std::span<const WideTap> taps{};
    const WideWeights* weights = nullptr;
    std::int64_t* sums = nullptr;  // [pixels][weights->row()]
};

void wide_product(const WideProductCall& call);

}  // namespace fuseq::kernels
