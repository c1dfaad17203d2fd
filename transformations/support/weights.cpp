// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/weights.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "transformations/support/attributes.hpp"
#include "transformations/support/constant_cache.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"
#include "transformations/support/weight_levels.hpp"

namespace fuseq {
namespace {

bool match_fake_quantize(Node* node, WeightChain& chain) {
    if (!node->is("FakeQuantize") || !inputs_are_constant(*node, 0)) {
        return false;
    }
    chain.stored = node->input(0);
    chain.quantizer = {node};
    return true;
}

// Convert of an 8-bit Const, then a Subtract and a Multiply, either of which may be missing: a
// Multiply by 1 and a Subtract of 0 are dropped as identities, or were never written.
bool match_converted(Node* node, WeightChain& chain) {
    std::vector<Node*> nodes;
    for (const char* type : {"Multiply", "Subtract"}) {
        if (node->is(type)) {
            if (!inputs_are_constant(*node, 1)) {
                return false;
            }
            nodes.push_back(node);
            node = node->input_node(0);
        }
    }
    if (!node->is("Convert") || !node->input_node(0)->is_constant() ||
        !is_8_bit(node->input(0).type()) || node->port().type != ElementType::f32) {
        return false;
    }
    nodes.push_back(node);
    std::reverse(nodes.begin(), nodes.end());
    chain.stored = node->input(0);
    chain.quantizer = nodes;
    return true;
}

// One value, or one an output channel: what normalize_weights refused has the same form with values
// along other dimensions.
bool is_of_output_channels(const Node& consumer, const Shape& wei, const Shape& values) {
    if (shape_size(values) == 1) {
        return true;
    }
    if (values.size() > wei.size()) {
        return false;
    }
    const std::vector<std::size_t> dims = output_channel_dims(consumer, wei);
    const std::size_t missing = wei.size() - values.size();
    std::size_t channels = 1;
    for (const std::size_t d : dims) {
        channels *= d < missing ? 1 : values[d - missing];
    }
    return channels == shape_size(values) && channels == channel_order(consumer, wei).count();
}

}  // namespace

bool is_8_bit(ElementType type) {
    return type == ElementType::u8 || type == ElementType::i8;
}

bool is_layout_only(const Node& node) {
    if (!is_one_of(node, {"Reshape", "Transpose", "Squeeze", "Unsqueeze"})) {
        return false;
    }
    return inputs_are_constant(node, 1);
}

std::optional<WeightChain> match_weight_chain(const Node& consumer) {
    if (!takes_weights(consumer) || !consumer.has_input(1)) {
        return std::nullopt;
    }
    WeightChain chain;
    Node* node = consumer.input_node(1);
    while (is_layout_only(*node)) {
        chain.layout.push_back(node);
        node = node->input_node(0);
    }
    std::reverse(chain.layout.begin(), chain.layout.end());
    if (match_fake_quantize(node, chain) || match_converted(node, chain)) {
        return chain;
    }
    return std::nullopt;
}

std::optional<NormalizedWeights> match_normalized_weights(const Node& consumer) {
    if (!takes_weights(consumer) || !consumer.has_input(1)) {
        return std::nullopt;
    }
    const Node* multiply = consumer.input_node(1);
    if (!multiply->is("Multiply") || !multiply->input_node(1)->is_constant()) {
        return std::nullopt;
    }
    const Node* convert = multiply->input_node(0);
    const Node* subtract = nullptr;
    if (convert->is("Subtract") && convert->input_node(1)->is_constant()) {
        subtract = convert;
        convert = convert->input_node(0);
    }
    if (!convert->is("Convert") || !convert->input_node(0)->is_constant() ||
        convert->input(0).type() != ElementType::i8) {
        return std::nullopt;
    }
    const Shape wei = convert->input(0).shape();
    NormalizedWeights weights;
    if (subtract != nullptr) {
        if (!is_of_output_channels(consumer, wei, subtract->input(1).shape())) {
            return std::nullopt;
        }
        weights.zero_point = to_floats(subtract->input_node(1)->constant());
    }
    if (!is_of_output_channels(consumer, wei, multiply->input(1).shape())) {
        return std::nullopt;
    }
    weights.values = convert->input(0);
    weights.scale = to_floats(multiply->input_node(1)->constant());
    weights.origins = origins_of(*multiply);
    return weights;
}

std::vector<std::size_t> output_channel_dims(const Node& consumer, const Shape& wei) {
    if (consumer.is("Convolution")) {
        return {0};
    }
    if (consumer.is("GroupConvolution")) {
        return {0, 1};
    }
    if (consumer.is("ConvolutionBackpropData")) {
        return {1};
    }
    if (consumer.is("GroupConvolutionBackpropData")) {
        return {0, 2};
    }
    if (wei.size() < 2) {
        return {};
    }
    const bool transposed = attribute<bool>(consumer, "transpose_b");
    return {wei.size() - (transposed ? 2 : 1)};
}

ChannelOrder channel_order(const Node& consumer, const Shape& wei) {
    const std::vector<std::size_t> dims = output_channel_dims(consumer, wei);
    const auto product = [&](std::size_t begin, std::size_t end) {
        std::size_t size = 1;
        for (std::size_t d = begin; d < end; ++d) {
            size *= wei[d];
        }
        return size;
    };
    ChannelOrder order;
    if (dims.empty()) {
        order.inner = product(0, wei.size());
        return order;
    }
    // Of two dimensions the first numbers groups.
    const std::size_t grouped = dims.size() == 2 ? 1 : 0;
    order.groups = grouped == 1 ? wei[dims[0]] : 1;
    order.depth = product(grouped, dims.back());
    order.channels = wei[dims.back()];
    order.inner = product(dims.back() + 1, wei.size());
    return order;
}

namespace {

std::vector<double> summed(const ChannelOrder& order, const Tensor& weights, bool magnitudes) {
    const std::int8_t* values = weights.data<std::int8_t>();
    std::vector<double> sums(order.count(), 0.0);
    // Sums of 32 bits of as many bytes as cannot overflow them.
    constexpr std::size_t kMax = std::size_t{1} << 20;
    order.for_each_run([&](std::size_t channel, std::size_t begin, std::size_t count) {
        for (std::size_t first = 0; first < count; first += kMax) {
            const std::size_t last = std::min(count, first + kMax);
            sums[channel] += sum_of_run({values + begin + first, last - first}, magnitudes);
        }
    });
    return sums;
}

}  // namespace

std::vector<double> channel_sums(const ChannelOrder& order,
                                 const Tensor& weights,
                                 bool magnitudes) {
    if (weights.get_size() == 0) {
        return {};
    }
    ConstantCache* cache = ConstantCache::current();
    if (cache == nullptr) {
        return summed(order, weights, magnitudes);
    }
    const std::string what = fmt::format("channel_sums {} {} {} {} {}", order.groups, order.depth,
                                         order.channels, order.inner, magnitudes);
    const Tensor inputs[] = {weights};
    const Tensor sums = cache->get(what, inputs, [&] {
        return std::vector{Tensor::of(Shape{order.count()}, summed(order, weights, magnitudes))};
    })[0];
    const auto values = sums.values<double>();
    return {values.begin(), values.end()};
}

}  // namespace fuseq
