// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/low_precision/laws/law.hpp"

#include <algorithm>

#include "ops/binary_arithmetic.hpp"
#include "ops/convert.hpp"
#include "ops/reduce.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {

void read_integers(Node& node, const Dequantize& dq) {
    node.set_input(0, dq.q);
    node.infer();
}

void read_converted(Node& node, const Dequantize& dq) {
    ConvertAttrs convert;
    convert.destination_type = ElementType::f32;
    Node* made = node.model().add("Convert", 1, node.name() + "/convert", {dq.q}, convert);
    made->origins = dq.origins;
    node.set_input(0, made->output());
    node.infer();
}

void put_dequantize_after(Node& node, std::size_t port, const Dequantize& dq) {
    const Output source = node.output(port);
    const std::vector<Use> uses = node.port(port).uses;
    if (uses.empty()) {
        return;
    }
    Dequantize after = dq;
    after.q = source;
    const std::string suffix = node.output_count() == 1 ? "" : "." + std::to_string(port);
    const Output end = build_dequantize(node.model(), node.name() + suffix + "/dq", after);
    move_uses(uses, source, end);
}

void put_arithmetic_after(Node& node, const Dequantize& dq) {
    Model& model = node.model();
    const std::size_t rank = node.port().shape.rank();
    const std::vector<Use> uses = node.port().uses;
    const std::string base = node.name() + "/dq";
    Output end = node.output();
    if (dq.has_zero_point()) {
        const Output zero_point =
            make_constant(model, base + "/zero_point", dq.zero_point.to_tensor(rank));
        Node* subtract =
            model.add("Subtract", 1, base + "/subtract", {end, zero_point}, BinaryAttrs{});
        subtract->origins = dq.origins;
        end = subtract->output();
    }
    const Output scale = make_constant(model, base + "/scale", dq.scale.to_tensor(rank));
    Node* multiply = model.add("Multiply", 1, base + "/multiply", {end, scale}, BinaryAttrs{});
    multiply->origins = dq.origins;
    move_uses(uses, node.output(), multiply->output());
}

std::optional<std::size_t> axis_after_reduction(const Node& node, std::size_t axis) {
    const auto axes = evaluate_constant(node.input(1));
    if (!axes) {
        return std::nullopt;
    }
    const auto rank = static_cast<std::int64_t>(node.input(0).partial_shape().rank());
    std::size_t moved = axis;
    std::vector<bool> reduced(static_cast<std::size_t>(rank));
    for (const std::int64_t a : to_ints(*axes)) {
        reduced.at(static_cast<std::size_t>(a < 0 ? a + rank : a)) = true;
    }
    if (reduced[axis]) {
        return std::nullopt;
    }
    if (!node.attrs<ReduceAttrs>().keep_dims) {
        moved -= static_cast<std::size_t>(
            std::count(reduced.begin(), reduced.begin() + static_cast<std::ptrdiff_t>(axis), true));
    }
    return moved;
}

bool is_conversion(const Dequantize& dq) {
    return dq.scale.all_equal_to(1.0f) && !dq.has_zero_point();
}

bool keeps_order(const Dequantize& dq) {
    return dq.scale.min() > 0;
}

LawResult order_refused() {
    return LawResult::refused("scale_sign",
                              "a scale is zero or negative, so the order of the integers is not "
                              "that of the values");
}

}  // namespace fuseq
