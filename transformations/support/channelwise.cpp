// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/channelwise.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "ops/binary_arithmetic.hpp"
#include "ops/divide.hpp"
#include "ops/fake_quantize.hpp"
#include "transformations/support/channel_values.hpp"
#include "transformations/support/constant_cache.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace {

bool is_arithmetic(const Node& node) {
    return is_one_of(node, {"Add", "Subtract", "Multiply", "Divide", "Maximum", "Minimum"});
}

bool aligned_by_numpy(const Node& node) {
    const AutoBroadcast mode = node.is("FakeQuantize")
                                   ? node.attrs<FakeQuantizeAttrs>().auto_broadcast
                               : node.is("Divide") ? node.attrs<DivideAttrs>().auto_broadcast
                                                   : node.attrs<BinaryAttrs>().auto_broadcast;
    return mode != AutoBroadcast::kPdpd;
}

// The slope of a PReLU is aligned with the channels when it has one dimension.
std::optional<ChannelValues> values_of(const Node& node, std::size_t input, std::size_t rank) {
    const Tensor* constant = known_constant(node.input(input));
    if (constant == nullptr) {
        return std::nullopt;
    }
    if (node.is("PReLU") && constant->get_shape().size() == 1 && constant->get_size() != 1) {
        return ChannelValues(to_floats(*constant), 1);
    }
    return channel_values(*constant, rank);
}

bool constants_are_channelwise(const Node& node, std::size_t data) {
    const PartialShape& shape = node.input(data).partial_shape();
    for (std::size_t i = 0; i < node.input_count(); ++i) {
        if (i == data) {
            continue;
        }
        const auto values =
            node.has_input(i) ? values_of(node, i, shape.rank()) : std::optional<ChannelValues>();
        if (!values || (!values->per_tensor() && values->axis() != 1)) {
            return false;
        }
    }
    return true;
}

}  // namespace

std::optional<std::size_t> channelwise_input(const Node& node) {
    const bool arithmetic = is_arithmetic(node);
    if (!arithmetic && !is_one_of(node, {"FakeQuantize", "ReLU", "PReLU", "Clamp", "Elu", "Sigmoid",
                                         "Tanh", "HSwish", "HSigmoid", "Swish", "Mish", "SoftPlus",
                                         "Gelu", "Abs", "Sqrt", "Exp"})) {
        return std::nullopt;
    }
    const std::size_t data = arithmetic && known_constant(node.input(0)) != nullptr ? 1 : 0;
    const PartialShape& shape = node.input(data).partial_shape();
    const bool keeps_shape = shape.is_static() && node.port().shape.is_static() &&
                             shape.to_shape() == node.port().shape.to_shape();
    if (!keeps_shape || shape.rank() < 2 ||
        ((arithmetic || node.is("FakeQuantize")) && !aligned_by_numpy(node)) ||
        !constants_are_channelwise(node, data)) {
        return std::nullopt;
    }
    return data;
}

void remap_channels(Node& node, const std::vector<std::size_t>& source) {
    const std::size_t data = channelwise_input(node).value();
    const std::size_t rank = node.input(data).partial_shape().rank();
    for (std::size_t i = 0; i < node.input_count(); ++i) {
        const auto values = i == data ? std::nullopt : values_of(node, i, rank);
        if (!values || values->per_tensor()) {
            continue;
        }
        std::vector<float> mapped;
        mapped.reserve(source.size());
        for (const std::size_t channel : source) {
            mapped.push_back((*values)[channel]);
        }
        const ChannelValues result(std::move(mapped), 1);
        node.set_input(
            i, make_constant(node.model(), node.name() + "/remapped", result.to_tensor(rank)));
    }
}

Tensor remapped(const Tensor& tensor, std::size_t axis, const std::vector<std::size_t>& source) {
    Shape shape = tensor.get_shape();
    const std::size_t old = shape.at(axis);
    shape[axis] = source.size();
    Tensor result(tensor.get_element_type(), shape);
    std::size_t outer = 1;
    for (std::size_t d = 0; d < axis; ++d) {
        outer *= shape[d];
    }
    std::size_t bytes = size_of(tensor.get_element_type());
    for (std::size_t d = axis + 1; d < shape.size(); ++d) {
        bytes *= shape[d];
    }
    const auto* from = static_cast<const std::byte*>(tensor.data());
    auto* to = static_cast<std::byte*>(result.data());
    for (std::size_t o = 0; o < outer; ++o) {
        for (const std::size_t s : source) {
            std::memcpy(to, from + (o * old + s) * bytes, bytes);
            to += bytes;
        }
    }
    return result;
}

namespace {

// Plans for several shapes share the result, and with it what is packed of it.
Tensor remapped_once(const Tensor& tensor,
                     std::size_t axis,
                     const std::vector<std::size_t>& source) {
    ConstantCache* const cache = ConstantCache::current();
    if (cache == nullptr) {
        return remapped(tensor, axis, source);
    }
    const std::string what = fmt::format("remapped {}: {}", axis, fmt::join(source, ","));
    return cache->get(what, {&tensor, 1},
                      [&] { return std::vector{remapped(tensor, axis, source)}; })[0];
}

}  // namespace

std::optional<Output> remapped_operand(const Output& operand,
                                       const Remapping& remapping,
                                       const std::string& suffix,
                                       int depth) {
    const PartialShape& shape = operand.partial_shape();
    if (!shape.is_static() || shape.rank() > remapping.rank || depth == 0) {
        return std::nullopt;
    }
    const std::size_t missing = remapping.rank - shape.rank();
    if (is_constant_expression(operand) &&
        (remapping.axis < missing || shape[remapping.axis - missing] == Dimension(1))) {
        return operand;
    }
    const Node& node = *operand.node;
    if (node.is_constant()) {
        if (is_packed(operand.type()) ||
            node.constant().get_shape()[remapping.axis - missing] != remapping.size) {
            return std::nullopt;
        }
        return make_constant(
            node.model(), node.name() + suffix,
            remapped_once(node.constant(), remapping.axis - missing, remapping.source));
    }
    if (!is_one_of(node, {"Convert", "Subtract", "Multiply", "FakeQuantize"})) {
        return std::nullopt;
    }
    std::vector<Output> inputs;
    for (const Output& input : node.inputs()) {
        const auto moved = remapped_operand(input, remapping, suffix, depth - 1);
        if (!moved) {
            return std::nullopt;
        }
        inputs.push_back(*moved);
    }
    return copy_node(node, node.name() + suffix, std::move(inputs))->output();
}

}  // namespace fuseq
