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
    WeightPacker(const GemmParams& params, const Packed& layout)
        : params_(params), layout_(layout), columns_(layout.columns) {}

    PackedWeights run() {
        const std::size_t channels = params_.shape.dst_channels;
        packed_.taps = layout_.max_taps();
        packed_.sums.assign(channels * packed_.taps, 0);
        packed_.magnitudes.assign(channels, 0);
        if (layout_.form == GemmForm::kBytes) {
            packed_.inits.assign(channels * packed_.taps, 0);
            pack_bytes();
            return std::move(packed_);
        }
        std::size_t bytes = 0;
        for (const Panel& panel : layout_.panels) {
            bytes += panel.bytes;
        }
        packed_.values.assign(bytes, 0);
        std::int8_t* to = packed_.values.data();
        for (const Panel& panel : layout_.panels) {
            pack_panel(panel, to);
            to += panel.bytes;
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

    // Panels whose steps have one or two vectors, in an order of their own.
    void pack_bytes() {
        LargePageVector<std::int8_t> all;
        std::vector<std::int8_t> panel_weights;
        std::size_t bytes = 0;
        for (const Panel& panel : layout_.panels) {
            bytes += panel.bytes;
        }
        all.resize(2 * bytes);
        std::int8_t* to = all.data();
        for (const Panel& panel : layout_.panels) {
            panel_weights.assign(panel.bytes, 0);
            pack_panel(panel, panel_weights.data());
            std::int8_t* const begin = to;
            for (std::size_t t = 0; t < panel.taps.end - panel.taps.begin; ++t) {
                to = pack_steps(panel, t, panel_weights, begin, to);
            }
            packed_.panel_bytes.push_back(static_cast<std::size_t>(to - begin));
        }
        const std::span<const std::int8_t> used(all.data(), to);
        packed_.values.assign(used.begin(), used.end());
    }

    // The steps of tap `t`, to `to`; returns where they end. `begin`: of the panel.
    std::int8_t* pack_steps(const Panel& panel,
                            std::size_t t,
                            std::span<const std::int8_t> weights,
                            const std::int8_t* begin,
                            std::int8_t* to) {
        constexpr std::size_t kStep = 4 * kLanes;
        const std::int8_t* const tap = weights.data() + t * layout_.depth4 * kStep;
        TapSteps steps{.wei = static_cast<std::size_t>(to - begin), .first = packed_.order.size()};
        std::vector<std::uint32_t> others;
        for (std::size_t i = 0; i < layout_.depth4; ++i) {
            if (!is_plain(tap + i * kStep)) {
                others.push_back(static_cast<std::uint32_t>(4 * i));
                continue;
            }
            packed_.order.push_back(static_cast<std::uint32_t>(4 * i));
            to = std::copy_n(tap + i * kStep, kStep, to);
        }
        steps.plain = packed_.order.size() - steps.first;
        std::int32_t init[kLanes] = {};
        for (const std::uint32_t at : others) {
            pack_signed(tap + at / 4 * kStep, to, init);
            to += 2 * kStep;
        }
        for (std::size_t c = 0; c < panel.channels; ++c) {
            packed_.inits[(panel.channel + c) * packed_.taps + t] = init[c];
        }
        packed_.order.insert(packed_.order.end(), others.begin(), others.end());
        packed_.steps.push_back(steps);
        return to;
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
        if (layout_.is_pairs()) {
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
std::string key_of(const GemmParams& params, const Packed& layout) {
    const GemmWeights& w = params.weights;
    std::string key;
    append(key, w.values.data());
    for (const std::size_t value :
         {w.values.size(), w.dst_channel, w.src_channel, w.row, w.column, layout.columns,
          layout.depth4, params.shape.src_channels, params.shape.dst_channels,
          params.shape.kernel_width, std::size_t{layout.wide},
          static_cast<std::size_t>(layout.form), layout.taps.size()}) {
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
                                                    const Packed& layout) {
    const auto pack = [&] {
        return std::make_shared<const PackedWeights>(WeightPacker(params, layout).run());
    };
    return params.shared == nullptr
               ? pack()
               : params.shared->get<PackedWeights>(key_of(params, layout), pack);
}

}  // namespace fuseq::kernels::gemm
