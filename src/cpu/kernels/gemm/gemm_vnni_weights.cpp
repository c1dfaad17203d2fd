// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm/gemm_vnni_weights.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>

#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"
#include "cpu/kernels/gemm/gemm_weights_cache.hpp"

namespace fuseq::kernels::gemm {
namespace {

class WeightPacker {
public:
    WeightPacker(const GemmParams& params, const Packed& layout, std::size_t columns)
        : params_(params), layout_(layout), columns_(columns) {}

    PackedWeights run() {
        std::size_t bytes = 0;
        for (const Panel& panel : layout_.panels) {
            bytes += layout_.panel_bytes(panel);
        }
        const std::size_t channels = params_.shape.dst_channels;
        packed_.values.assign(bytes, 0);
        packed_.taps = layout_.max_taps();
        packed_.sums.assign(channels * packed_.taps, 0);
        packed_.magnitudes.assign(channels, 0);
        std::int8_t* to = packed_.values.data();
        for (const Panel& panel : layout_.panels) {
            pack_panel(panel, to);
            to += layout_.panel_bytes(panel);
        }
        return std::move(packed_);
    }

private:
    void pack_panel(const Panel& panel, std::int8_t* to) {
        const std::size_t depth = layout_.depth4 * 4;
        const std::size_t width = panel.vectors * kLanes;
        const std::size_t taps = panel.taps.end - panel.taps.begin;
        for (std::size_t t = 0; t < taps; ++t, to += depth * width) {
            for (std::size_t c = 0; c < panel.channels; ++c) {
                const std::size_t place = layout_.wide ? wide_place(c, panel.vectors) : c;
                pack_tap(panel.channel + c, t, width, to + 4 * place);
            }
        }
    }

    // The first weight of tap `t` of a panel with channel `c`.
    const std::int8_t* first_weight(std::size_t c, std::size_t t) const {
        const GemmWeights& w = params_.weights;
        if (const auto& subpixels = layout_.subpixels) {
            const std::size_t subpixel = subpixels->of(c);
            const SubPixels::Tap& tap = subpixels->taps[subpixel][t];
            return w.values.data() + (c - subpixel * subpixels->all_channels) * w.dst_channel +
                   tap.row * w.row + tap.column * w.column;
        }
        const std::size_t taps_in_row = params_.shape.kernel_width / columns_;
        return w.values.data() + c * w.dst_channel + t / taps_in_row * w.row +
               t % taps_in_row * columns_ * w.column;
    }

    // Tap `t` of channel `c`, four weights together in a row of `width` channels; what follows the
    // last one stays zero. Pointers instead of indices: this loop dominates the compile time of a
    // model.
    void pack_tap(std::size_t c, std::size_t t, std::size_t width, std::int8_t* to) {
        const GemmShape& s = params_.shape;
        const GemmWeights& w = params_.weights;
        const std::int8_t* column = first_weight(c, t);
        std::int32_t sum = 0;
        std::int64_t magnitude = 0;
        std::size_t k = 0;
        for (std::size_t x = 0; x < columns_; ++x, column += w.column) {
            const std::int8_t* from = column;
            for (std::size_t i = 0; i < s.src_channels; ++i, ++k, from += w.src_channel) {
                put(k, width, *from, to);
                sum += *from;
                magnitude += std::abs(static_cast<int>(*from));
            }
        }
        packed_.sums[c * packed_.taps + t] = sum;
        packed_.magnitudes[c] += magnitude;
    }

    // Weight number k of a tap and channel: four bytes of a channel are together, or two 16-bit
    // integers.
    void put(std::size_t k, std::size_t width, std::int8_t weight, std::int8_t* to) const {
        if (layout_.pairs) {
            const auto wide = static_cast<std::int16_t>(static_cast<int>(weight));
            std::memcpy(to + k / 2 * 4 * width + k % 2 * 2, &wide, sizeof wide);
        } else {
            to[k / 4 * 4 * width + k % 4] = weight;
        }
    }

    const GemmParams& params_;
    const Packed& layout_;
    std::size_t columns_;
    PackedWeights packed_;
};

template <class T>
void append(std::string& key, const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// All that WeightPacker reads; the weights by their address.
std::string key_of(const GemmParams& params, const Packed& layout, std::size_t columns) {
    const GemmWeights& w = params.weights;
    std::string key;
    append(key, w.values.data());
    for (const std::size_t value :
         {w.values.size(), w.dst_channel, w.src_channel, w.row, w.column, columns, layout.depth4,
          params.shape.src_channels, params.shape.dst_channels, params.shape.kernel_width,
          std::size_t{layout.wide}, std::size_t{layout.pairs}, layout.taps.size()}) {
        append(key, value);
    }
    for (const Panel& panel : layout.panels) {
        for (const std::size_t value :
             {panel.channel, panel.channels, panel.vectors, panel.taps.begin, panel.taps.end}) {
            append(key, value);
        }
    }
    if (layout.subpixels) {
        append(key, layout.subpixels->all_channels);
        for (const auto& taps : layout.subpixels->taps) {
            append(key, taps.size());
            for (const SubPixels::Tap& tap : taps) {
                append(key, tap);
            }
        }
    }
    return key;
}

}  // namespace

std::shared_ptr<const PackedWeights> packed_weights(const GemmParams& params,
                                                    const Packed& layout,
                                                    std::size_t columns) {
    const auto pack = [&] {
        return std::make_shared<const PackedWeights>(WeightPacker(params, layout, columns).run());
    };
    return params.shared == nullptr ? pack()
                                    : params.shared->get(key_of(params, layout, columns), pack);
}

}  // namespace fuseq::kernels::gemm
