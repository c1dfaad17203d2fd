// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/dequantize.hpp"

#include <algorithm>
#include <cmath>

#include "ops/binary_arithmetic.hpp"
#include "ops/convert.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace {

bool is_numpy_binary(const Node& node, std::string_view type) {
    return node.is(type) && node.attrs<BinaryAttrs>().auto_broadcast != AutoBroadcast::kPdpd;
}

// Constant operand of a Subtract or Multiply of data of known rank whose result has the shape of
// the data.
std::optional<ChannelValues> operand(const Node& node) {
    const PartialShape& data = node.input(0).partial_shape();
    if (!data.rank_is_static() || node.port().shape != data) {
        return std::nullopt;
    }
    return constant_channels(node.input(1), data.rank());
}

}  // namespace

double whole_zero_point(double zero_point, ElementType type) {
    const double low = type == ElementType::i8 ? -128.0 : 0.0;
    return std::clamp(std::nearbyint(zero_point), low, low + 255.0);
}

bool Dequantize::same_mapping(const Dequantize& other) const {
    return q.type() == other.q.type() && scale == other.scale && zero_point == other.zero_point;
}

std::optional<Dequantize> match_dequantize(const Output& end) {
    Dequantize dq;
    Output at = end;
    if (!at) {
        return std::nullopt;
    }
    if (is_numpy_binary(*at.node, "Multiply")) {
        const auto scale = operand(*at.node);
        if (!scale) {
            return std::nullopt;
        }
        dq.scale = *scale;
        dq.origins = origins_of(*at.node);
        at = at.node->input(0);
    }
    if (is_numpy_binary(*at.node, "Subtract")) {
        const auto zero_point = operand(*at.node);
        if (!zero_point) {
            return std::nullopt;
        }
        dq.zero_point = *zero_point;
        at = at.node->input(0);
    }
    if (!at.node->is("Convert") || at.type() != ElementType::f32 ||
        !same_axis(dq.scale, dq.zero_point)) {
        return std::nullopt;
    }
    dq.q = at.node->input(0);
    if (dq.q.type() != ElementType::u8 && dq.q.type() != ElementType::i8) {
        return std::nullopt;
    }
    return dq;
}

Output build_dequantize(Model& model, const std::string& base_name, const Dequantize& dq) {
    const PartialShape& shape = dq.q.partial_shape();
    const std::size_t rank = shape.rank_is_static() ? shape.rank() : 0;
    ConvertAttrs convert;
    convert.destination_type = ElementType::f32;
    Node* node = model.add("Convert", 1, base_name + "/convert", {dq.q}, convert);
    node->origins = dq.origins;
    if (dq.has_zero_point()) {
        const Output zero_point =
            make_constant(model, base_name + "/zero_point", dq.zero_point.to_tensor(rank));
        node = model.add("Subtract", 1, base_name + "/subtract", {node->output(), zero_point},
                         BinaryAttrs{});
        node->origins = dq.origins;
    }
    const Output scale = make_constant(model, base_name + "/scale", dq.scale.to_tensor(rank));
    node =
        model.add("Multiply", 1, base_name + "/multiply", {node->output(), scale}, BinaryAttrs{});
    node->origins = dq.origins;
    return node->output();
}

Dequantize moved_to_axis(const Dequantize& dq, std::size_t axis) {
    Dequantize moved = dq;
    moved.scale = dq.scale.at_axis(axis);
    moved.zero_point = dq.zero_point.at_axis(axis);
    return moved;
}

}  // namespace fuseq
