// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm/gemm_vnni_wide.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numbers>

#include "cpu/kernels/float_conv/float_sum.hpp"
#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"
#include "cpu/machine/instructions.hpp"

namespace fuseq::kernels::gemm {

namespace {

// Up to so much depth the weights of a panel stay in L1.
constexpr std::size_t kDepthInL1 = 512;
// Machines with two 512-bit loads a cycle may read weights from L2. Not in short rows of k x k
// kernels, whose small tiles read them too often, and not in layers of few pixels, whose next
// weights come from beyond L2 at the same time. A single tile reads them once.
constexpr std::size_t kMinRow = 12;
constexpr std::size_t kMinPixels = 64;
constexpr std::size_t kOneTile = 6;

template <WideEpilogue How>
constexpr WideFunctions kByVectors[] = {{run_wide<1, How>, finish_wide<1, How>},
                                        {run_wide<2, How>, finish_wide<2, How>},
                                        {run_wide<3, How>, finish_wide<3, How>},
                                        {run_wide<4, How>, finish_wide<4, How>}};

}  // namespace

bool suits_wide_panels(const Packed& p) {
    if (p.form == GemmForm::kAmx) {
        return true;
    }
    if (p.max_taps() * p.depth4 * 4 <= kDepthInL1) {
        return true;
    }
    const std::size_t last = p.channels() % (kMaxWideVectors * kLanes);
    const bool half = last != 0 && last <= kMaxPanelVectors * kLanes;
    const std::size_t pixels = p.shape.batch * p.shape.dst_height * p.shape.dst_width;
    const bool feeds = p.mode != SourceMode::kRows
                           ? pixels >= kMinPixels || pixels <= kOneTile
                           : p.shape.dst_width >= kMinRow && (!half || p.direct);
    return feeds && !loads_one_wide_vector_a_cycle();
}

// One 512-bit load a cycle: a part of the source stays in L1 and panels take turns. Two loads: the
// weights of a panel stay, because less is read of the source.
std::size_t wide_part_bytes() {
    constexpr std::size_t kPart = std::size_t{16} << 10;
    return loads_one_wide_vector_a_cycle() ? kPart : std::numeric_limits<std::size_t>::max();
}

WideFunctions wide_functions(std::size_t vectors, WideEpilogue how) {
    switch (how) {
        case WideEpilogue::kAdd: return kByVectors<WideEpilogue::kAdd>[vectors - 1];
        case WideEpilogue::kAddElu: return kByVectors<WideEpilogue::kAddElu>[vectors - 1];
        case WideEpilogue::kAddLeaky: return kByVectors<WideEpilogue::kAddLeaky>[vectors - 1];
        case WideEpilogue::kMore: return kByVectors<WideEpilogue::kMore>[vectors - 1];
        case WideEpilogue::kSum: return kByVectors<WideEpilogue::kSum>[vectors - 1];
        case WideEpilogue::kSumSteps: return kByVectors<WideEpilogue::kSumSteps>[vectors - 1];
        default: return kByVectors<WideEpilogue::kNone>[vectors - 1];
    }
}

std::size_t wide_place(std::size_t channel, std::size_t vectors) {
    if (vectors == 1) {
        return channel;
    }
    // A lane of 128 bits has four channels of each vector.
    const std::size_t in_lane = channel % (4 * vectors);
    return in_lane / 4 * 16 + channel / (4 * vectors) * 4 + in_lane % 4;
}

std::size_t wide_tiles(std::size_t pixels, std::size_t vectors) {
    const std::size_t rows = vectors == 1 ? 24 : vectors == 2 ? 12 : vectors == 3 ? 8 : 6;
    return (pixels + rows - 1) / rows;
}

namespace {

ByteRule rule_of(const WideChannel& c, bool is_signed) {
    return {.scale = c.scale,
            .bias = c.bias,
            .bias_first = true,
            .is_signed = is_signed,
            .min = c.min,
            .max = c.max,
            .clips = c.clips,
            .low = c.low,
            .high = c.high,
            .factor = c.factor};
}

// limits: by channel. A store has the bytes of one, two or four pixels.
void set_limits(WidePanel& panel, std::span<const std::uint8_t> limits, std::size_t vectors) {
    const std::size_t pixels = vectors == 1 ? 4 : vectors == 2 ? 2 : 1;
    for (std::size_t i = 0; i < std::size(panel.limits); ++i) {
        panel.limits[i] = limits[i % (std::size(panel.limits) / pixels)];
        panel.limited = panel.limited || panel.limits[i] != 255;
    }
}

void put_elu(WideVector& to, std::size_t lane, const WideChannel& from) {
    const auto scale = static_cast<double>(from.scale);
    const double bias = scale * static_cast<double>(from.bias);
    const auto factor = static_cast<double>(from.elu->factor);
    const auto shift = static_cast<double>(from.elu->shift);
    const double below = factor * static_cast<double>(from.elu->alpha);
    to.scale[lane] = static_cast<float>(scale * std::numbers::log2e);
    to.shift[lane] = static_cast<float>(bias * std::numbers::log2e);
    to.above_scale[lane] = static_cast<float>(scale * factor);
    to.above_shift[lane] = static_cast<float>(bias * factor + shift);
    to.below_scale[lane] = static_cast<float>(below);
    to.below_shift[lane] = static_cast<float>(shift - below);
}

// The elu of a sum: y is in exponents of 2, and so is what is added to it.
void put_elu_of_sum(WideVector& to, std::size_t lane, const WideChannel& from) {
    WideChannel before = from;
    const auto scale = static_cast<double>(from.sum->scale);
    before.scale = static_cast<float>(static_cast<double>(from.scale) * scale);
    put_elu(to, lane, before);
    const double exponent = scale * std::numbers::log2e;
    to.shift[lane] = static_cast<float>(static_cast<double>(from.scale) *
                                            static_cast<double>(from.bias) * exponent +
                                        static_cast<double>(from.sum->shift) * std::numbers::log2e);
    to.of_tensor[lane] = static_cast<float>(static_cast<double>(from.sum->of_tensor) * exponent);
    // Of y.
    to.above_scale[lane] =
        static_cast<float>(static_cast<double>(from.elu->factor) * std::numbers::ln2);
    to.above_shift[lane] = from.elu->shift;
}

// What EluSteps take.
void put_sum_for_steps(WideVector& to, std::size_t lane, const WideChannel& from) {
    const double unit =
        static_cast<double>(from.sum->scale) * static_cast<double>(from.elu->factor);
    const double scale = static_cast<double>(from.scale) * unit;
    to.scale[lane] = static_cast<float>(scale);
    to.shift[lane] = static_cast<float>(scale * static_cast<double>(from.bias) +
                                        static_cast<double>(from.sum->shift) *
                                            static_cast<double>(from.elu->factor));
    to.of_tensor[lane] = static_cast<float>(static_cast<double>(from.sum->of_tensor) * unit);
}

void put_constants(WideVector& to, std::size_t lane, const WideChannel& from) {
    to.init[lane] = from.init;
    to.scale[lane] = from.scale;
    to.shift[lane] = from.bias;
    to.of_sum[lane] = from.of_sum;
    to.low[lane] = from.clips ? from.low : std::numeric_limits<float>::lowest();
    to.high[lane] = from.clips ? from.high : 255.0f;
    to.factor[lane] = from.factor;
    if (from.elu && from.sum) {
        put_elu_of_sum(to, lane, from);
    } else if (from.elu) {
        put_elu(to, lane, from);
    }
    if (from.rule) {
        to.init[lane] += from.rule->offset;
        to.rest[lane] = from.rule->rest;
        to.below_shift[lane] = from.rule->below;
    }
    if (from.leaky) {
        to.below_scale[lane] = from.leaky->slope;
        to.factor[lane] = from.leaky->factor;
        to.above_shift[lane] = from.leaky->shift;
    }
}

// Whether clipping bytes equals clipping values.
bool clips_bytes(const WideChannel& c) {
    return !c.clips || (c.low <= 0.0f && c.high > 0.0f && c.factor > 0.0f);
}

// For vectors without the short way.
WideWay long_way(std::span<const WideChannel> channels, bool limited) {
    if (channels[0].rule) {
        switch (channels[0].rule->form) {
            case RuleForm::kFloor: return WideWay::kFloor;
            case RuleForm::kTwoFloors: return WideWay::kTwoFloors;
            case RuleForm::kReal: return WideWay::kReal;
            default: return WideWay::kRealZeroFirst;
        }
    }
    if (channels[0].sum) {
        return WideWay::kSumElu;
    }
    if (channels[0].elu) {
        return limited ? WideWay::kEluLimited : WideWay::kElu;
    }
    if (channels[0].leaky) {
        return limited ? WideWay::kLeakyLimited : WideWay::kLeaky;
    }
    const bool summed = channels[0].summed;
    if (limited || !std::all_of(channels.begin(), channels.end(), clips_bytes)) {
        return summed ? WideWay::kSummedClipped : WideWay::kClipped;
    }
    if (channels[0].clips) {
        return summed ? WideWay::kSummedFactor : WideWay::kFactor;
    }
    return summed ? WideWay::kSummed : WideWay::kLong;
}

// One elu of all channels, after a sum with a tensor.
bool put_steps(WidePanel& panel, std::span<const WideChannel> channels, std::size_t vectors) {
    const WideChannel& first = channels[0];
    if (!first.sum || !std::all_of(channels.begin(), channels.end(),
                                   [&](const WideChannel& c) { return c.elu == first.elu; })) {
        return false;
    }
    const std::optional<EluSteps> steps = elu_steps(*first.elu);
    if (!steps) {
        return false;
    }
    panel.elu_steps = *steps;
    for (std::size_t c = 0; c < channels.size(); ++c) {
        const std::size_t place = wide_place(c, vectors);
        put_sum_for_steps(panel.vectors[place / 16], place % 16, channels[c]);
    }
    std::fill_n(panel.ways, vectors, WideWay::kSumSteps);
    return true;
}

}  // namespace

WidePanel make_wide_panel(std::span<const WideChannel> channels,
                          std::size_t vectors,
                          bool is_signed,
                          bool limited) {
    WidePanel panel{};
    std::size_t found[kMaxWideVectors] = {};
    std::size_t wanted[kMaxWideVectors] = {};
    FloatSum sums[kMaxWideVectors * 16];
    std::uint8_t limits[kMaxWideVectors * 16];
    std::fill(std::begin(limits), std::end(limits), std::uint8_t{255});
    for (std::size_t c = 0; c < channels.size(); ++c) {
        const WideChannel& from = channels[c];
        const std::size_t place = wide_place(c, vectors);
        put_constants(panel.vectors[place / 16], place % 16, from);
        const ByteRule rule = rule_of(from, is_signed);
        if (!is_signed && !from.rule && clips_bytes(from)) {
            limits[c] = static_cast<std::uint8_t>(top_byte(rule));
        }
        ++wanted[place / 16];
        // One channel without the short way gives its vector the long one.
        if (from.summed || from.elu || from.leaky || from.rule ||
            found[place / 16] + 1 != wanted[place / 16]) {
            continue;
        }
        if (const auto sum = float_sum(rule)) {
            sums[place] = *sum;
            ++found[place / 16];
        }
    }
    set_limits(panel, limits, vectors);
    panel.clips = channels[0].rule && channels[0].clips;
    if (!limited && put_steps(panel, channels, vectors)) {
        return panel;
    }
    for (std::size_t v = 0; v < vectors; ++v) {
        WideVector& to = panel.vectors[v];
        if (found[v] != wanted[v]) {
            panel.ways[v] = long_way(channels, limited);
            continue;
        }
        panel.ways[v] = WideWay::kShort;
        for (std::size_t i = 0; i < 16; ++i) {
            to.init[i] += sums[v * 16 + i].begin;
            to.scale[i] = sums[v * 16 + i].scale;
            to.shift[i] = sums[v * 16 + i].shift;
        }
    }
    return panel;
}

}  // namespace fuseq::kernels::gemm
