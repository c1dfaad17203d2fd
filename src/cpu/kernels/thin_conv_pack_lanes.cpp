// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cpu/kernels/thin_conv_lanes.hpp"
#include "cpu/kernels/thin_conv_tiles.hpp"

namespace fuseq::kernels {

bool ThinConv::takes_op(const post_ops::BasicOp& op) {
    if (const auto* eltwise = std::get_if<post_ops::Eltwise>(&op)) {
        return eltwise->kind == post_ops::EltwiseKind::kRelu;
    }
    if (const auto* binary = std::get_if<post_ops::Binary>(&op)) {
        const bool known = binary->type == ElementType::u8 || binary->type == ElementType::i8 ||
                           binary->type == ElementType::f32;
        return known && binary->kind == post_ops::BinaryKind::kAdd && !binary->per_plane &&
               !binary->per_pixel && binary->input < thin::kMostLaneExtras;
    }
    return true;
}

bool ThinConv::takes_result(const post_ops::Chain& chain) {
    const auto& ops = chain.ops;
    const bool bytes = chain.dst_type == ElementType::u8 || chain.dst_type == ElementType::i8;
    if (ops.empty()) {
        return bytes || chain.dst_type == ElementType::f32;
    }
    const bool scale = std::holds_alternative<post_ops::Scale>(ops[0]);
    const bool shift = std::holds_alternative<post_ops::Shift>(ops.back());
    return bytes && (ops.size() == 1 ? scale || shift : ops.size() == 2 && scale && shift);
}

namespace thin {
namespace {

using Kind = LaneOp::Kind;

void spread(const post_ops::Values& values, std::size_t channels, float* to) {
    for (std::size_t c = 0; c < std::max(channels, kLanes); ++c) {
        to[c] = values[c % channels];
    }
}

class OpPacker {
public:
    OpPacker(std::size_t channels, std::vector<LaneOp>& ops) : channels_(channels), ops_(&ops) {}

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
        LaneOp& added = ops_->back();
        added.extra = op.input;
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
    std::vector<LaneOp>* ops_;
};

LaneResult result_of(const post_ops::Chain& chain, std::size_t channels, bool rows) {
    LaneResult result;
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

}  // namespace

bool lanes_fit(const ThinConvParams& p) {
    if (!has_channels_in_lanes(p.shape) && !lies_in_pixels(p.shape)) {
        const bool sigmoid = p.ops.size() == 1 && p.dst_type != ElementType::f32 &&
                             ThinConv::takes_before_bytes(p.ops[0]);
        return (p.ops.empty() || sigmoid) && p.results.empty() && !p.rows;
    }
    const auto fits = [&](const post_ops::Chain& chain) {
        return ThinConv::takes_result(chain) &&
               (!p.rows || (size_of(chain.dst_type) == 1 && p.shape.dst_channels == 2 * kLanes));
    };
    return p.results.size() <= kMostLaneResults && (!p.rows || !p.results.empty()) &&
           std::all_of(p.ops.begin(), p.ops.end(), ThinConv::takes_op) &&
           std::all_of(p.results.begin(), p.results.end(), fits);
}

void pack_lanes(const ThinConvParams& p, Packed& packed) {
    const std::size_t channels = p.shape.dst_channels;
    OpPacker pack(channels, packed.ops);
    for (const post_ops::BasicOp& op : p.ops) {
        std::visit(pack, op);
    }
    pack_results(p, packed);
}

void pack_results(const ThinConvParams& p, Packed& packed) {
    const std::size_t channels = p.shape.dst_channels;
    packed.results.clear();
    for (const post_ops::Chain& chain : p.results) {
        packed.results.push_back(result_of(chain, channels, p.rows));
    }
    if (p.results.empty()) {
        packed.results.push_back(result_of({{}, p.dst_type}, channels, false));
    }
}

}  // namespace thin
}  // namespace fuseq::kernels
