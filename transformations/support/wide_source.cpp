// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/wide_source.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/convert.hpp"
#include "ops/fake_quantize.hpp"
#include "transformations/support/rewrite.hpp"
#include "transformations/support/weights.hpp"
#include "transformations/support/wide_integers.hpp"

namespace fuseq {
namespace {

Node* quantizer_of(const Output& tensor, const PassOptions& options) {
    Node& node = *tensor.node;
    if (is_wide_quantizer(node, options)) {
        return &node;
    }
    const bool moves = is_layout_only(node) || (node.is("MaxPool") && tensor.index == 0);
    return moves ? quantizer_of(node.input(0), options) : nullptr;
}

}  // namespace

bool WideSource::per_tensor() const {
    return zero_points.size() == 1 && integers.scale.per_tensor() && integers.il.per_tensor() &&
           integers.ih.per_tensor();
}

bool WideSource::has_whole_zero_points() const {
    const auto last = static_cast<float>(fq->attrs<FakeQuantizeAttrs>().levels - 1);
    return std::all_of(zero_points.begin(), zero_points.end(),
                       [&](float z) { return z == std::rint(z) && z >= 0 && z <= last; });
}

std::optional<WideSource> match_wide_source(const Output& tensor, const PassOptions& options) {
    WideSource source;
    source.fq = quantizer_of(tensor, options);
    if (source.fq == nullptr || read_activation_integers(*source.fq, source.integers)) {
        return std::nullopt;
    }
    source.zero_points =
        source.integers.zero_points(source.fq->attrs<FakeQuantizeAttrs>().levels, 0);
    return source;
}

Output WideTensors::integers_of(const Output& tensor, const WideSource& source) {
    const auto [at, is_new] = integers_.try_emplace({tensor.node, tensor.index});
    if (is_new) {
        ConvertAttrs attrs;
        attrs.destination_type = ElementType::u16;
        const Output real = real_integers_of(tensor, source);
        Node* convert = model_.add("Convert", 1, model_.unique_name(tensor.node->name() + "/u16"),
                                   {real}, attrs);
        convert->origins = origins_of(*tensor.node);
        at->second = convert->output();
    }
    return at->second;
}

Output WideTensors::real_integers_of(const Output& tensor, const WideSource& source) {
    Node& node = *tensor.node;
    if (&node == source.fq) {
        const auto [at, is_new] = real_.try_emplace(&node);
        if (is_new) {
            const std::int64_t levels = node.attrs<FakeQuantizeAttrs>().levels;
            const std::string name = model_.unique_name(node.name() + "/wide");
            at->second = add_quantizer(
                node, name.substr(node.name().size()), node.input(0),
                {source.integers.il, source.integers.ih, 0.0f, static_cast<float>(levels - 1)},
                levels, ElementType::f32);
        }
        return at->second;
    }
    std::vector<Output> inputs = node.inputs();
    inputs[0] = real_integers_of(node.input(0), source);
    return copy_node(node, model_.unique_name(node.name() + "/wide"), std::move(inputs))->output();
}

bool sums_of_u16_fit(const Node& layer,
                     const Tensor& weights,
                     const std::vector<double>& zero_points) {
    constexpr double kMax = std::numeric_limits<std::int32_t>::max();
    constexpr double kLargest = std::numeric_limits<std::uint16_t>::max();
    const ChannelOrder order = channel_order(layer, weights.get_shape());
    const std::vector<double> sums = channel_sums(order, weights, false);
    const std::vector<double> magnitudes = channel_sums(order, weights, true);
    for (std::size_t c = 0; c < sums.size(); ++c) {
        const double above = (magnitudes[c] + sums[c]) / 2;  // of weights above zero
        const double below = magnitudes[c] - above;
        const double z = zero_points[zero_points.size() == 1 ? 0 : c];
        const double highest = above * (kLargest - z) + below * z;
        const double lowest = below * (kLargest - z) + above * z;
        if (std::max(highest, lowest) > kMax) {
            return false;
        }
    }
    return true;
}

}  // namespace fuseq
