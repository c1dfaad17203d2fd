// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Channel-vectorized tiles of which not all pixels exist. For small_conv_by_channel.cpp, inside
// of its region of AVX-512.
#pragma once

#include <cstddef>
#include <cstring>

#include "cpu/kernels/small_conv/small_conv_detail.hpp"

namespace fuseq::kernels::small_conv {
namespace {

// What a tile stores, and the other tensors it reads, where not all of its pixels exist: as if
// they did, in memory of its own. Masks for each of its vectors cost more than its products.
template <std::size_t kPixels, std::size_t kVectors>
class PartOfTile {
public:
    static bool suits(const Packed& packed) {
        return packed.shape.dst_channels == kChannels && !packed.plain_bytes &&
               !packed.results[0].rows;
    }

    PartOfTile(const Packed& packed,
               std::size_t first,
               std::size_t count,
               const ChannelVectorPlaces& places)
        : packed_(packed), first_(first), count_(count), places_(places) {
        for (const ChannelVectorOp& op : packed.ops) {
            if (op.kind == ChannelVectorOp::Kind::kAdd) {
                const std::size_t pixel = kChannels * op.element;
                std::memcpy(binary_sources_[op.binary_source],
                            places.binary_sources[op.binary_source] + first * pixel, count * pixel);
                whole_.binary_sources[op.binary_source] = binary_sources_[op.binary_source];
            }
        }
        for (std::size_t r = 0; r < packed.results.size(); ++r) {
            whole_.dst[r] = results_[r];
        }
    }

    const ChannelVectorPlaces& whole() const { return whole_; }

    void store() const {
        for (std::size_t r = 0; r < packed_.results.size(); ++r) {
            const std::size_t pixel = kChannels * packed_.results[r].element;
            std::memcpy(places_.dst[r] + first_ * pixel, results_[r], count_ * pixel);
        }
    }

private:
    static constexpr std::size_t kChannels = kVectors * kLanes;
    static constexpr std::size_t kBytes = kPixels * kChannels * sizeof(float);

    const Packed& packed_;
    std::size_t first_;
    std::size_t count_;
    const ChannelVectorPlaces& places_;
    ChannelVectorPlaces whole_;
    alignas(64) std::byte binary_sources_[kMaxChannelVectorSources][kBytes];
    alignas(64) std::byte results_[kMaxChannelVectorResults][kBytes];
};

}  // namespace
}  // namespace fuseq::kernels::small_conv
