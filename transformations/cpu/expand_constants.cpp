// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Repeats a constant that varies within an image for each image of the batch, so that the
// arithmetic with it can be fused as a binary source of the shape of the data. Corrections of a
// zero point at the borders are such constants.
//
//   Law:     x + broadcast(c) = x + c, by the rules of broadcasting
//   Before:  Add(x, c)    x [N, ...], c the same without the batch or with a batch of 1
//   After:   Add(x, c')   c' of the shape of x
//            likewise Subtract, Multiply, Maximum and Minimum, the constant on either side
//   Refuses: open shapes; types other than f32; one value a channel, which is fused as it is;
//            other broadcasts.
//   Source:  the definition of these operations (numpy broadcasting).
#include "transformations/cpu/expand_constants.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/core.h>

#include "ops/binary_arithmetic.hpp"

namespace fuseq {
namespace expand_constants_pass {
namespace {

constexpr std::string_view kName = "expand_constants";

bool is_arithmetic(const Node& node) {
    return (node.is("Add") || node.is("Subtract") || node.is("Multiply") || node.is("Maximum") ||
            node.is("Minimum")) &&
           node.attrs<BinaryAttrs>().auto_broadcast != AutoBroadcast::kPdpd;
}

// The shape of the constant is that of the data but for the batch (1, or left out) and differs from
// it, and more than one dimension varies: less is a value a channel, which chains take as it is.
bool lacks_batch(const Shape& constant, const Shape& data) {
    if (data.size() < 2 || constant == data || constant.size() > data.size() ||
        constant.size() + 1 < data.size()) {
        return false;
    }
    const std::size_t batch = constant.size() == data.size() ? 1 : 0;
    const bool same_image = std::equal(constant.begin() + static_cast<std::ptrdiff_t>(batch),
                                       constant.end(), data.begin() + 1);
    const auto varying = std::count_if(data.begin() + 1, data.end(), [](auto d) { return d != 1; });
    return same_image && (batch == 0 || constant[0] == 1) && varying > 1;
}

Tensor repeated(const Tensor& image, const Shape& shape) {
    Tensor result(image.get_element_type(), shape);
    auto* to = static_cast<std::byte*>(result.data());
    for (std::size_t n = 0; n < shape[0]; ++n, to += image.get_byte_size()) {
        std::memcpy(to, image.data(), image.get_byte_size());
    }
    return result;
}

bool run(Model& model, PassContext& context) {
    bool changed = false;
    for (Node* node : model.ordered_nodes()) {
        if (!is_arithmetic(*node) || !node->port(0).shape.is_static() ||
            node->port(0).type != ElementType::f32) {
            continue;
        }
        for (std::size_t i = 0; i < 2; ++i) {
            const Node* source = node->input_node(i);
            const Output& data = node->input(1 - i);
            if (!source->is_constant() || data.node->is_constant() ||
                data.partial_shape() != node->port(0).shape ||
                !lacks_batch(source->constant().get_shape(), data.shape())) {
                continue;
            }
            Node* whole = model.add_constant(source->name() + "/repeated",
                                             repeated(source->constant(), data.shape()));
            node->set_input(i, whole->output(0));
            context.rewritten(
                kName, *node,
                fmt::format("'{}' is repeated for {} images", source->name(), data.shape()[0]));
            changed = true;
        }
    }
    return changed;
}

}  // namespace
}  // namespace expand_constants_pass

bool expand_constants(Model& model, PassContext& context) {
    return expand_constants_pass::run(model, context);
}

}  // namespace fuseq
