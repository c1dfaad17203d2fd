// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes one movement of the halves that rotary positions exchange; their sign goes into the sines.
//
//   Law:     with x = [a, b], halves along the last dimension:
//            concat(-b, a) * s = roll(x, by half of it) * (s * [-1 .., 1 ..])
//   Before:  Slice, Slice (or Split, VariadicSplit) of x, Negative or Multiply(-1), Concat,
//            Multiply(s)
//   After:   Roll(x) -> Multiply(s'), s' a constant where s is one, else Multiply(s, signs)
//   Refuses: parts of other sizes, of other tensors, in another order; a Concat that something else
//            reads; an s whose last dimension is not known or is neither 1 nor that of x.
//   Source:  rotate_half() of Llama and GPT-NeoX as PyTorch exports it.
#include "transformations/common/fuse_rotate_half.hpp"

#include <algorithm>
#include <optional>

#include "ops/axes.hpp"
#include "ops/binary_arithmetic.hpp"
#include "ops/concat.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/part_of.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace fuse_rotate_half_pass {
namespace {

constexpr std::string_view kName = "fuse_rotate_half";

struct Half {
    Output source;
    bool second = false;
};

// What half of which tensor of twice its width it is.
std::optional<Half> half_of(const Output& output) {
    const Node& node = *output.node;
    const auto part =
        is_one_of(node, {"Slice", "Split", "VariadicSplit"}) ? part_of(output) : std::nullopt;
    if (!part) {
        return std::nullopt;
    }
    const PartialShape& whole = node.input(0).partial_shape();
    const Dimension& width = whole[part->axis];
    const bool halves = part->axis + 1 == whole.rank() && node.output_count() <= 2 &&
                        width.is_static() && width.get_length() - part->size == part->size &&
                        (part->begin == 0 || part->begin == part->size);
    return halves ? std::optional(Half{node.input(0), part->begin != 0}) : std::nullopt;
}

// x of -x.
Output negated(const Output& output) {
    const Node& node = *output.node;
    if (node.is("Negative")) {
        return node.input(0);
    }
    for (const std::size_t i : {1, 0}) {
        if (node.is("Multiply") && constant_number(node.input(i)) == std::optional<double>(-1)) {
            return node.input(1 - i);
        }
    }
    return {};
}

// x of concat(-b, a) for x = [a, b].
Output rotated_source(const Output& output) {
    const Node& node = *output.node;
    if (!node.is("Concat") || node.input_count() != 2 || !has_single_use(output) ||
        !output.partial_shape().rank_is_static()) {
        return {};
    }
    const std::size_t rank = output.partial_shape().rank();
    const Output negative = negated(node.input(0));
    if (!negative || wrapped_axis(node.attrs<ConcatAttrs>().axis, rank) != rank - 1) {
        return {};
    }
    const auto first = half_of(negative);
    const auto second = half_of(node.input(1));
    const bool fits = first && second && first->second && !second->second &&
                      first->source == second->source && output.type() == ElementType::f32;
    return fits ? first->source : Output{};
}

// -1 for the first half, 1 for the second.
std::vector<float> signs(std::size_t width) {
    std::vector<float> values(width, 1.0f);
    std::fill(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(width / 2), -1.0f);
    return values;
}

// The sines with the sign of the first half changed.
Output signed_sines(const Node& product, const Output& sines, std::size_t width) {
    Model& model = product.model();
    const std::string name = product.name() + "/signed";
    const Tensor* known = known_constant(sines);
    const bool whole_rows =
        known != nullptr && !known->get_shape().empty() && known->get_shape().back() == width;
    if (whole_rows) {
        std::vector<float> values = to_floats(*known);
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = i % width < width / 2 ? -values[i] : values[i];
        }
        return make_constant(model, name, Tensor::of(known->get_shape(), values));
    }
    const Output sign = make_constant(model, name + "/signs", Tensor::of({width}, signs(width)));
    Node* made = model.add("Multiply", 1, name, {sines, sign}, BinaryAttrs{});
    made->origins = origins_of(product);
    return made->output();
}

bool fits_rows(const Output& sines, std::int64_t width) {
    const PartialShape& shape = sines.partial_shape();
    return shape.rank_is_static() &&
           (shape.rank() == 0 || shape[shape.rank() - 1] == Dimension(1) ||
            shape[shape.rank() - 1] == Dimension(width));
}

bool fuse(Node& product) {
    for (const std::size_t i : {0, 1}) {
        const Output x = rotated_source(product.input(i));
        if (!x) {
            continue;
        }
        const std::size_t rank = x.partial_shape().rank();
        const std::int64_t width = x.partial_shape()[rank - 1].get_length();
        if (!fits_rows(product.input(1 - i), width)) {
            continue;
        }
        Model& model = product.model();
        const std::string name = product.name() + "/rolled";
        const Output by =
            make_constant(model, name + "/by", Tensor::of({1}, std::vector{width / 2}));
        const Output axis =
            make_constant(model, name + "/axis", Tensor::of({1}, std::vector<std::int64_t>{-1}));
        Node* roll = model.add("Roll", 7, name, {x, by, axis});
        roll->origins = origins_of(*product.input_node(i));
        add_origins(*roll, *product.input_node(i)->input_node(0));
        const Output sines =
            signed_sines(product, product.input(1 - i), static_cast<std::size_t>(width));
        product.set_input(i, roll->output());
        product.set_input(1 - i, sines);
        product.infer();
        return true;
    }
    return false;
}

bool run(Model& model, PassContext& context) {
    return rewrite_each(model, "Multiply", context, kName, fuse);
}

}  // namespace
}  // namespace fuse_rotate_half_pass

bool fuse_rotate_half(Model& model, PassContext& context) {
    return fuse_rotate_half_pass::run(model, context);
}

}  // namespace fuseq
