// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "cpu/kernels/float_conv/float_sum.hpp"
#include "cpu/kernels/small_conv/small_conv_by_channel.hpp"
#include "cpu/kernels/small_conv/small_conv_tiles.hpp"
#include "cpu/post_ops/chain_head.hpp"

namespace fuseq::kernels {

post_ops::Support SmallConv::takes_op(const post_ops::BasicOp& op) {
    using post_ops::Support;
    if (const auto* eltwise = std::get_if<post_ops::Eltwise>(&op)) {
        return eltwise->kind == post_ops::EltwiseKind::kRelu
                   ? Support::yes()
                   : Support::no("it has no " + post_ops::to_text(op));
    }
    const auto* binary = std::get_if<post_ops::Binary>(&op);
    if (binary == nullptr) {
        return Support::yes();
    }
    const bool known = binary->type == ElementType::u8 || binary->type == ElementType::i8 ||
                       binary->type == ElementType::f32;
    const bool added = binary->kind == post_ops::BinaryKind::kAdd && !binary->per_plane &&
                       !binary->per_pixel && binary->input < small_conv::kMaxChannelVectorSources;
    return known && added ? Support::yes()
                          : Support::no(
                                "it adds up to 4 tensors of u8, i8 or f32, of the size of "
                                "its result; not " +
                                post_ops::to_text(op));
}

bool SmallConv::takes_result(const post_ops::Chain& chain) {
    return post_ops::is_requantization(chain);
}

namespace small_conv {
namespace {

using Kind = ChannelVectorOp::Kind;

void spread(const post_ops::Values& values, std::size_t channels, float* to) {
    for (std::size_t c = 0; c < std::max(channels, kLanes); ++c) {
        to[c] = values[c % channels];
    }
}

class OpPacker {
public:
    OpPacker(std::size_t channels, std::vector<ChannelVectorOp>& ops)
        : channels_(channels), ops_(&ops) {}

    void operator()(const post_ops::Scale& op) { push(Kind::kScale, op.by); }
    void operator()(const post_ops::Shift& op) { push(Kind::kShift, op.by); }
    void operator()(const post_ops::Round&) { push(Kind::kRound, 0.0f); }
    void operator()(const post_ops::Clip& op) {
        push(Kind::kMax, op.low);
        push(Kind::kMin, op.high);
    }
    void operator()(const post_ops::Prelu& op) { push(Kind::kSlope, op.slope); }
    void operator()(const post_ops::Eltwise& op) {  // relu
        op.alpha == 0.0f ? push(Kind::kMax, 0.0f) : push(Kind::kSlope, op.alpha);
        if (op.scale != 1.0f) {
            push(Kind::kScale, op.scale);
        }
    }
    void operator()(const post_ops::Binary& op) {
        push(Kind::kAdd, 0.0f);
        ChannelVectorOp& added = ops_->back();
        added.binary_source = op.input;
        added.element = size_of(op.type);
        added.is_signed = op.type == ElementType::i8;
        added.zero_point = op.zero_point;
        added.scale = op.scale;
    }

private:
    void push(Kind kind, const post_ops::Values& values) {
        ops_->emplace_back();
        ops_->back().kind = kind;
        spread(values, channels_, ops_->back().a);
    }

    std::size_t channels_;
    std::vector<ChannelVectorOp>* ops_;
};

ChannelVectorResult result_of(const post_ops::Chain& chain, std::size_t channels, bool rows) {
    ChannelVectorResult result;
    result.element = size_of(chain.dst_type);
    result.is_signed = chain.dst_type == ElementType::i8;
    result.rows = rows;
    for (const post_ops::BasicOp& op : chain.ops) {
        if (const auto* scale = std::get_if<post_ops::Scale>(&op)) {
            result.scaled = true;
            spread(scale->by, channels, result.scale);
        } else if (const auto* shift = std::get_if<post_ops::Shift>(&op)) {
            result.shifted = true;
            spread(shift->by, channels, result.shift);
        }
    }
    return result;
}

// What sums of a channel can be, its init and scale and bias.
ChannelVectorPosition channel_of(const SmallConvParams& p, const Packed& packed, std::size_t c) {
    ChannelVectorPosition channel;
    channel.init = packed.init[c];
    channel.scale = packed.scale[c];
    channel.bias = packed.bias[c];
    channel.min = channel.max = channel.init;
    const std::size_t taps = p.weights.size() / p.shape.dst_channels;
    for (const std::int8_t w : p.weights.subspan(c * taps, taps)) {
        (w < 0 ? channel.min : channel.max) += std::int64_t{255} * w;
    }
    return channel;
}

// Whether values of all channels stay in the integers of 32 bits.
bool is_bounded(const Packed& packed) {
    constexpr double kMax = 2e9;
    const SmallConvShape& s = packed.shape;
    const auto taps = static_cast<double>(s.src_channels * s.kernel_height * s.kernel_width);
    for (std::size_t c = 0; c < s.dst_channels; ++c) {
        const ChannelVectorPosition& channel = packed.channels[c];
        auto reach = static_cast<double>(std::max(std::abs(channel.min), std::abs(channel.max)));
        if (packed.sums) {
            reach += taps * 255 * std::abs(static_cast<double>(packed.of_sum[c]));
        }
        reach = reach * std::abs(static_cast<double>(channel.scale)) +
                std::abs(static_cast<double>(channel.bias));
        if (!(reach < kMax)) {
            return false;
        }
    }
    return true;
}

// Whether all operations are a relu and a shift.
bool are_relu_and_shift(const std::vector<ChannelVectorOp>& ops) {
    return ops.size() == 2 && ops[0].kind == Kind::kMax && ops[1].kind == Kind::kShift &&
           std::all_of(std::begin(ops[0].a), std::end(ops[0].a), [](float v) { return v == 0.0f; });
}

ByteRule rule_of(const Packed& packed, std::size_t c) {
    const ChannelVectorPosition& channel = packed.channels[c];
    ByteRule rule{.scale = channel.scale,
                  .bias = channel.bias,
                  .is_signed = packed.results[0].is_signed,
                  .min = channel.min,
                  .max = channel.max};
    if (!packed.ops.empty()) {
        rule.relus = true;
        rule.after = packed.ops[1].a[c];
    }
    return rule;
}

// The short ways of 16 channels from `first` on; nothing: one of them has none.
std::optional<std::array<FloatSum, kLanes>> short_ways(const Packed& packed, std::size_t first) {
    std::array<FloatSum, kLanes> ways{};
    const std::size_t end = std::min(packed.shape.dst_channels, first + kLanes);
    for (std::size_t c = first; c < end; ++c) {
        const auto way = float_sum(rule_of(packed, c));
        if (!way) {
            return std::nullopt;
        }
        ways[c - first] = *way;
    }
    return ways;
}

// The minimal bytes of a relu and a shift, as four vectors of results lie in memory.
void set_min(Packed& packed) {
    for (std::size_t i = 0; i < std::size(packed.min); ++i) {
        const int byte = bottom_byte(rule_of(packed, i % packed.shape.dst_channels));
        packed.min[i] = static_cast<std::uint8_t>(byte);
    }
}

// Bytes after scale and bias alone take the short way, vector by vector; with a relu and a
// shift after these all of them do or none.
void set_ways(Packed& packed) {
    const ChannelVectorResult& first = packed.results[0];
    const bool relus = are_relu_and_shift(packed.ops) && !packed.sums && !first.rows;
    const bool is_plain = !packed.floors && packed.how == Collect::kChannels &&
                          packed.results.size() == 1 && first.element == 1 && !first.scaled &&
                          !first.shifted && (packed.ops.empty() || relus) && is_bounded(packed);
    std::array<std::optional<std::array<FloatSum, kLanes>>, kMaxChannelVectorChannels / kLanes>
        ways;
    for (std::size_t v = 0; v < packed.vectors && is_plain && !packed.sums; ++v) {
        ways[v] = short_ways(packed, v * kLanes);
    }
    const bool all_are_short =
        std::all_of(ways.begin(), ways.begin() + static_cast<std::ptrdiff_t>(packed.vectors),
                    [](const auto& way) { return way.has_value(); });
    packed.plain_bytes = is_plain && (!relus || all_are_short);
    packed.added_bytes = packed.how == Collect::kChannels && packed.results.size() == 1 &&
                         first.element == 1 && !first.scaled && !first.shifted && !first.rows &&
                         packed.ops.size() == 1 && packed.ops[0].kind == Kind::kAdd &&
                         packed.ops[0].is_plain() &&
                         packed.shape.dst_channels == packed.vectors * kLanes;
    packed.has_min = packed.plain_bytes && relus;
    if (packed.has_min) {
        set_min(packed);
    }
    for (std::size_t c = 0; c < packed.channels.size(); ++c) {
        const ChannelVectorPosition& channel = packed.channels[c];
        const auto& of_vector = ways[c / kLanes];
        const bool is_short = packed.plain_bytes && of_vector.has_value();
        const FloatSum way = is_short ? (*of_vector)[c % kLanes] : FloatSum{};
        packed.is_short[c / kLanes] = is_short;
        packed.init[c] = channel.init + (is_short ? way.begin : 0);
        packed.scale[c] = is_short ? way.scale : channel.scale;
        packed.bias[c] = is_short ? way.shift : channel.bias;
    }
}

}  // namespace

bool channel_vectors_fit(const SmallConvParams& p) {
    if (!is_channel_vectorized(p.shape) && !lies_in_pixels(p.shape)) {
        const bool sigmoid = p.ops.size() == 1 && p.dst_type != ElementType::f32 &&
                             SmallConv::takes_before_bytes(p.ops[0]);
        return (p.ops.empty() || sigmoid) && p.results.empty() && !p.rows;
    }
    const auto fits = [&](const post_ops::Chain& chain) {
        return SmallConv::takes_result(chain) &&
               (!p.rows || (size_of(chain.dst_type) == 1 && p.shape.dst_channels == 2 * kLanes));
    };
    return p.results.size() <= kMaxChannelVectorResults && (!p.rows || !p.results.empty()) &&
           std::all_of(p.ops.begin(), p.ops.end(), SmallConv::takes_op) &&
           std::all_of(p.results.begin(), p.results.end(), fits);
}

bool rises(const SmallConvParams& p) {
    const auto all_rise = [](std::span<const float> by) {
        return std::all_of(by.begin(), by.end(), [](float v) { return v >= 0.0f; });
    };
    const std::size_t channels = p.shape.dst_channels;
    std::vector<ChannelVectorOp> ops;
    OpPacker pack(channels, ops);
    for (const post_ops::BasicOp& op : p.ops) {
        std::visit(pack, op);
    }
    const ChannelVectorResult result = result_of(
        p.results.empty() ? post_ops::Chain{{}, p.dst_type} : p.results[0], channels, false);
    return result.element == 1 && p.wei_zero_point.empty() && all_rise(p.scale) &&
           (!result.scaled || all_rise({result.scale, channels})) &&
           std::all_of(ops.begin(), ops.end(), [&](const ChannelVectorOp& op) {
               const bool is_factor = op.kind == Kind::kScale || op.kind == Kind::kSlope;
               return op.kind != Kind::kAdd && (!is_factor || all_rise({op.a, channels}));
           });
}

void pack_lanes(const SmallConvParams& p, Packed& packed) {
    const std::size_t channels = p.shape.dst_channels;
    for (std::size_t c = 0; c < channels; ++c) {
        packed.channels.push_back(channel_of(p, packed, c));
    }
    OpPacker pack(channels, packed.ops);
    for (const post_ops::BasicOp& op : p.ops) {
        std::visit(pack, op);
    }
    pack_results(p, packed);
}

namespace {

// Packs work within 128 bits: the k-th four channels of each of the four vectors are together
// after them.
void set_order(Packed& packed) {
    const bool by_channel = packed.how == Collect::kChannels;
    const std::size_t fours = by_channel ? packed.shape.dst_channels / kQuad : kQuad;  // of a pixel
    const std::size_t vectors = by_channel ? packed.vectors : 1;
    for (std::size_t i = 0; i < kLanes; ++i) {
        const std::size_t vector = i / fours * vectors + i % fours / kQuad;
        packed.order[i] =
            vector < kQuad ? static_cast<std::int32_t>(i % fours % kQuad * kQuad + vector) : 0;
    }
}

}  // namespace

void pack_results(const SmallConvParams& p, Packed& packed) {
    const std::size_t channels = p.shape.dst_channels;
    packed.results.clear();
    for (const post_ops::Chain& chain : p.results) {
        packed.results.push_back(result_of(chain, channels, p.rows));
    }
    if (p.results.empty()) {
        packed.results.push_back(result_of({{}, p.dst_type}, channels, false));
    }
    set_order(packed);
    set_ways(packed);
}

}  // namespace small_conv
}  // namespace fuseq::kernels
