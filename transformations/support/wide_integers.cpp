// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/wide_integers.hpp"

#include <algorithm>
#include <cmath>

#include "ops/fake_quantize.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace {

constexpr std::int64_t kByteLevels = 256;
constexpr std::int64_t kMaxLevels = 65536;

bool has_wide_levels(const Node& fq) {
    const std::int64_t levels = fq.attrs<FakeQuantizeAttrs>().levels;
    return levels > kByteLevels && levels <= kMaxLevels;
}

// Const i16 or u16 -> Convert, then a Subtract and a Multiply, either of which may be missing.
bool match_converted_wide(Node* node, WeightChain& chain) {
    for (const char* type : {"Multiply", "Subtract"}) {
        if (node->is(type)) {
            if (!inputs_are_constant(*node, 1)) {
                return false;
            }
            chain.quantizer.insert(chain.quantizer.begin(), node);
            node = node->input_node(0);
        }
    }
    const bool matches =
        node->is("Convert") && node->input_node(0)->is_constant() &&
        node->port().type == ElementType::f32 &&
        (node->input(0).type() == ElementType::i16 || node->input(0).type() == ElementType::u16);
    if (matches) {
        chain.quantizer.insert(chain.quantizer.begin(), node);
        chain.stored = node->input(0);
    }
    return matches;
}

// The scales of a chain, in the order of its channels; empty: not known.
std::vector<float> scales_of(const WeightChain& chain) {
    const Node& last = *chain.quantizer.back();
    if (last.is("Multiply")) {
        const auto scale = evaluate_constant(last.input(1));
        return scale ? to_floats(*scale) : std::vector<float>();
    }
    if (!last.is("FakeQuantize")) {
        return {1.0f};
    }
    const auto low = evaluate_constant(last.input(3));
    const auto high = evaluate_constant(last.input(4));
    if (!low || !high || low->get_size() != high->get_size()) {
        return {};
    }
    const auto steps = static_cast<float>(last.attrs<FakeQuantizeAttrs>().levels - 1);
    const std::vector<float> lows = to_floats(*low);
    std::vector<float> scales = to_floats(*high);
    for (std::size_t i = 0; i < scales.size(); ++i) {
        scales[i] = (scales[i] - lows[i]) / steps;
    }
    return scales;
}

}  // namespace

bool is_wide_quantizer(const Node& fq, const PassOptions& options) {
    const auto& keep = options.keep_float;
    return fq.is("FakeQuantize") && has_wide_levels(fq) &&
           fq.attrs<FakeQuantizeAttrs>().output_type == ElementType::undefined &&
           fq.port().type == ElementType::f32 && fq.port().shape.rank_is_static() &&
           !is_constant_expression(fq.input(0)) &&
           std::find(keep.begin(), keep.end(), fq.name()) == keep.end();
}

Output add_quantizer(const Node& node,
                     const std::string& suffix,
                     const Output& source,
                     const std::array<ChannelValues, 4>& limits,
                     std::int64_t levels,
                     ElementType type) {
    Model& model = node.model();
    const std::size_t rank = source.partial_shape().rank();
    std::vector<Output> inputs{source};
    for (const ChannelValues& values : limits) {
        inputs.push_back(
            make_constant(model, node.name() + suffix + "/limit", values.to_tensor(rank)));
    }
    FakeQuantizeAttrs attrs;
    attrs.levels = levels;
    attrs.output_type = type;
    Node* fq = model.add("FakeQuantize", 1, node.name() + suffix, std::move(inputs), attrs);
    fq->origins = origins_of(node);
    return fq->output();
}

std::optional<WeightChain> match_wide_weights(const Node& consumer) {
    if (!takes_weights(consumer) || !consumer.has_input(1)) {
        return std::nullopt;
    }
    WeightChain chain;
    Node* node = consumer.input_node(1);
    while (is_layout_only(*node)) {
        chain.layout.insert(chain.layout.begin(), node);
        node = node->input_node(0);
    }
    if (node->is("FakeQuantize") && has_wide_levels(*node) && inputs_are_constant(*node, 0)) {
        chain.stored = node->input(0);
        chain.quantizer = {node};
        return chain;
    }
    return match_converted_wide(node, chain) ? std::optional(std::move(chain)) : std::nullopt;
}

std::optional<WideWeightIntegers> wide_weight_integers(const Node& consumer,
                                                       const WeightChain& chain) {
    // Rounding in f32 moves a multiple by less; another scale than the weight's own by more.
    constexpr double kNoise = 0.05;
    const auto weights = evaluate_constant(consumer.input(1));
    WideWeightIntegers result{{}, scales_of(chain)};
    if (!weights || weights->get_size() == 0) {
        return std::nullopt;
    }
    const ChannelOrder order = channel_order(consumer, weights->get_shape());
    const std::size_t count = result.scales.size();
    const auto usable = [](float scale) { return std::isfinite(scale) && scale >= 0; };
    if ((count != 1 && count != order.count()) ||
        !std::all_of(result.scales.begin(), result.scales.end(), usable)) {
        return std::nullopt;
    }
    // Weights that are all zero have no scale.
    std::replace(result.scales.begin(), result.scales.end(), 0.0f, 1.0f);
    const std::vector<float> values = to_floats(*weights);
    result.values = Tensor(ElementType::i16, weights->get_shape());
    auto* to = result.values.data<std::int16_t>();
    bool whole = true;
    order.for_each_run([&](std::size_t channel, std::size_t begin, std::size_t length) {
        const double scale = result.scales[count == 1 ? 0 : channel];
        for (std::size_t i = begin; i < begin + length; ++i) {
            const double exact = values[i] / scale;
            const double integer = std::rint(exact);
            whole = whole && std::abs(exact - integer) < kNoise && integer >= INT16_MIN &&
                    integer <= INT16_MAX;
            to[i] = whole ? static_cast<std::int16_t>(integer) : std::int16_t{0};
        }
    });
    return whole ? std::optional(std::move(result)) : std::nullopt;
}

}  // namespace fuseq
