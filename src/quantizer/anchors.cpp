// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "fuseq/error.hpp"
#include "ops/binary_arithmetic.hpp"
#include "ops/convert.hpp"
#include "ops/fake_quantize.hpp"
#include "quantizer/bias_correction.hpp"
#include "quantizer/insertion.hpp"
#include "quantizer/layer_kinds.hpp"
#include "quantizer/weights.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq::quantizer {
namespace {

// Shape of one value an output channel that broadcasts to the weights.
Shape shape_of_scales(const Node& anchor, const Shape& weights, std::size_t count) {
    if (count == 1) {
        return {};
    }
    Shape shape(std::vector<std::size_t>(weights.size(), 1));
    for (const std::size_t dim : output_channel_dims(anchor, weights)) {
        shape[dim] = weights[dim];
    }
    return shape;
}

// Const -> Convert -> [Subtract] -> Multiply.
Output dequantized(Model& model,
                   const std::string& name,
                   const Tensor& integers,
                   const Tensor& offsets,
                   const Tensor& scales) {
    Output value = make_constant(model, name + "/quantized", integers);
    ConvertAttrs to_float;
    to_float.destination_type = ElementType::f32;
    value =
        model.add("Convert", 1, model.unique_name(name + "/convert"), {value}, to_float)->output();
    if (offsets) {
        const Output offset = make_constant(model, name + "/offset", offsets);
        value = model
                    .add("Subtract", 1, model.unique_name(name + "/subtract"), {value, offset},
                         BinaryAttrs{})
                    ->output();
    }
    const Output scale = make_constant(model, name + "/scale", scales);
    return model
        .add("Multiply", 1, model.unique_name(name + "/dequantize"), {value, scale}, BinaryAttrs{})
        ->output();
}

// Const u8 -> Convert -> FakeQuantize from [0, 255], whose levels are the integers themselves.
Output requantized(Model& model,
                   const std::string& name,
                   const Tensor& integers,
                   const std::vector<ScaleAndOffset>& scales,
                   const Shape& shape) {
    std::vector<std::uint8_t> bytes;
    bytes.reserve(integers.get_size());
    const auto* q = integers.data<std::int8_t>();
    for (std::size_t i = 0; i < integers.get_size(); ++i) {
        bytes.push_back(static_cast<std::uint8_t>(q[i] + 128));
    }
    std::vector<float> low;
    std::vector<float> high;
    for (const ScaleAndOffset& scale : scales) {
        low.push_back(static_cast<float>((-128.0 - scale.offset) * scale.scale));
        high.push_back(static_cast<float>((127.0 - scale.offset) * scale.scale));
    }
    Output value =
        make_constant(model, name + "/quantized", Tensor::of(integers.get_shape(), bytes));
    ConvertAttrs to_float;
    to_float.destination_type = ElementType::f32;
    value =
        model.add("Convert", 1, model.unique_name(name + "/convert"), {value}, to_float)->output();
    const Output first = make_constant(model, name + "/first", Tensor::of<float>({}, {0}));
    const Output last = make_constant(model, name + "/last", Tensor::of<float>({}, {255}));
    const Output min = make_constant(model, name + "/low", Tensor::of(shape, low));
    const Output max = make_constant(model, name + "/high", Tensor::of(shape, high));
    return model
        .add("FakeQuantize", 1, model.unique_name(name + "/fq"), {value, first, last, min, max},
             FakeQuantizeAttrs{})
        ->output();
}

// The Add of constants, one an output channel, that alone reads an anchor; null without one.
Node* bias_of(const Node& anchor, std::size_t channels) {
    const auto& uses = anchor.port().uses;
    if (uses.size() != 1 || !uses[0].node->is("Add") || uses[0].index != 0 ||
        !uses[0].node->input_node(1)->is_constant() || !anchor.port().shape.rank_is_static()) {
        return nullptr;
    }
    const auto values = constant_channels(uses[0].node->input(1), anchor.port().shape.rank());
    const bool fits = values && (values->per_tensor() || values->size() == channels);
    return fits ? uses[0].node : nullptr;
}

// Dimension of the result that numbers the output channels.
std::size_t channel_dim(const Node& anchor) {
    return anchor.is("MatMul") ? anchor.port().shape.rank() - 1 : 1;
}

class Anchor {
public:
    Anchor(Node& node,
           const PlaceScales& input,
           const QuantizerOptions& options,
           std::vector<std::string>& remarks)
        : node_(node),
          input_(input),
          options_(options),
          remarks_(remarks),
          weights_(node.input_node(1)->constant()),
          order_(channel_order(node, weights_.get_shape())),
          bias_(bias_of(node, order_.count())),
          scales_(choose_weight_scales(weights_, order_, options)) {
        if (bias_ != nullptr) {
            const auto values = constant_channels(bias_->input(1), node.port().shape.rank());
            for (std::size_t c = 0; c < order_.count(); ++c) {
                bias_values_.push_back((*values)[c]);
            }
        }
    }

    void move_bias(const std::vector<double>& shifts) {
        if (bias_values_.empty()) {
            bias_values_.assign(order_.count(), 0.0f);
        }
        for (std::size_t c = 0; c < bias_values_.size(); ++c) {
            bias_values_[c] += static_cast<float>(shifts.at(c));
        }
    }

    // `means` of the input's channels; empty when they are not known. `learned` may be null.
    void quantize(const std::vector<double>& means, const LearnedWeights* learned) {
        if (learned != nullptr && take(*learned)) {
            write_weights(learned->rounded);
            write_bias();
            return;
        }
        const WeightScales before = scales_;
        choose_bias_scales();
        RoundedWeights rounded =
            round_weights(weights_, order_, scales_, options_.weights_precision);
        if (options_.bias_correction && !means.empty()) {
            correct_bias(rounded.values, means);
            // A corrected bias may be larger.
            choose_bias_scales();
            rounded = round_weights(weights_, order_, scales_, options_.weights_precision);
        }
        tell_raised(before);
        write_weights(rounded);
        write_bias();
    }

    void describe(QuantizedLayer& layer) const {
        const auto [min, max] =
            std::minmax_element(scales_.channels.begin(), scales_.channels.end(),
                                [](const auto& a, const auto& b) { return a.scale < b.scale; });
        layer.min_weight_scale = min->scale;
        layer.max_weight_scale = max->scale;
    }

private:
    // Scales and biases of what was learned. Not where a bias needs larger scales: the integers
    // belong to theirs.
    bool take(const LearnedWeights& learned) {
        const auto scales = scales_;
        const auto biases = bias_values_;
        scales_ = learned.scales;
        const bool shifted = std::any_of(learned.shifts.begin(), learned.shifts.end(),
                                         [](double shift) { return shift != 0; });
        if (!bias_values_.empty() || shifted) {
            move_bias(learned.shifts);
        }
        choose_bias_scales();
        const bool same = std::equal(
            scales_.channels.begin(), scales_.channels.end(), learned.scales.channels.begin(),
            [](const auto& a, const auto& b) { return a.scale == b.scale; });
        if (!same) {
            scales_ = scales;
            bias_values_ = biases;
        }
        return same;
    }

    float input_scale(std::size_t channel) const {
        // Of a depthwise convolution, the input channel that an output channel reads.
        return input_.size() == 1 ? input_[0].scale
                                  : input_[channel * input_.size() / order_.count()].scale;
    }

    // Says whose scale was raised for an int32 bias: the first channel, and how many others.
    void tell_raised(const WeightScales& before) {
        std::vector<std::size_t> raised;
        for (std::size_t c = 0; c < bias_values_.size(); ++c) {
            if (scales_.channels[c].scale != before.channels[c].scale) {
                raised.push_back(c);
            }
        }
        if (raised.empty()) {
            return;
        }
        const std::size_t c = raised.front();
        const float was = before.channels[c].scale;
        std::string text = fmt::format(
            "layer '{}': bias {:g} of channel {} does not fit into int32 at scale "
            "{:g}; the scale of its weights is raised from {:g} to {:g}",
            node_.name(), bias_values_[c], c, input_scale(c) * was, was, scales_.channels[c].scale);
        if (scales_.per_channel && raised.size() > 1) {
            text += fmt::format("; those of {} more of its {} channels are raised too",
                                raised.size() - 1, bias_values_.size());
        }
        remarks_.push_back(std::move(text));
    }

    // Raises scales of weights where an int32 bias would overflow.
    void choose_bias_scales() {
        if (bias_values_.empty()) {
            return;
        }
        bias_scales_.clear();
        float highest = 0;
        for (std::size_t c = 0; c < bias_values_.size(); ++c) {
            const BiasScale chosen =
                choose_bias_scale(bias_values_[c], input_scale(c), scales_.channels[c].scale,
                                  options_.bias_precision);
            bias_scales_.push_back(chosen.scale);
            if (!chosen.raised_weight_scale) {
                continue;
            }
            highest = std::max(highest, *chosen.raised_weight_scale);
            scales_.channels[c].scale = *chosen.raised_weight_scale;
        }
        if (highest > 0 && !scales_.per_channel) {
            for (std::size_t c = 0; c < bias_scales_.size(); ++c) {
                scales_.channels[c].scale = highest;
                bias_scales_[c] = highest * input_scale(c);
            }
        }
    }

    void correct_bias(const Tensor& rounded, const std::vector<double>& means) {
        if (bias_values_.empty()) {
            bias_values_.assign(order_.count(), 0.0f);
        }
        const std::vector<double> errors = mean_errors(node_, order_, weights_, rounded, means);
        for (std::size_t c = 0; c < errors.size(); ++c) {
            bias_values_[c] -= static_cast<float>(errors[c]);
        }
    }

    void write_weights(const RoundedWeights& rounded) {
        const std::size_t count = scales_.per_channel ? order_.count() : 1;
        const Shape shape = shape_of_scales(node_, weights_.get_shape(), count);
        const std::string name = node_.name() + "/weights";
        if (options_.weights_by_fake_quantize) {
            const std::vector<ScaleAndOffset> scales(
                scales_.channels.begin(),
                scales_.channels.begin() + static_cast<std::ptrdiff_t>(count));
            node_.set_input(1, requantized(node_.model(), name, rounded.integers, scales, shape));
            node_.infer();
            return;
        }
        std::vector<float> scale;
        std::vector<float> offset;
        bool has_offset = false;
        for (std::size_t c = 0; c < count; ++c) {
            scale.push_back(scales_.channels[c].scale);
            offset.push_back(static_cast<float>(scales_.channels[c].offset));
            has_offset = has_offset || offset.back() != 0;
        }
        node_.set_input(1, dequantized(node_.model(), name, rounded.integers,
                                       has_offset ? Tensor::of(shape, offset) : Tensor(),
                                       Tensor::of(shape, scale)));
        node_.infer();
    }

    void write_bias() {
        if (bias_values_.empty()) {
            return;
        }
        if (bias_scales_.empty()) {
            choose_bias_scales();
        }
        const std::size_t rank = node_.port().shape.rank();
        Shape shape(std::vector<std::size_t>(rank, 1));
        if (bias_values_.size() > 1) {
            shape[channel_dim(node_)] = bias_values_.size();
        }
        const Output value =
            dequantized(node_.model(), node_.name() + "/bias", bias_integers(shape), Tensor(),
                        Tensor::of(shape, bias_scales_));
        if (bias_ != nullptr) {
            bias_->set_input(1, value);
            bias_->infer();
            return;
        }
        Model& model = node_.model();
        const std::vector<Use> uses = node_.port().uses;
        Node* add = model.add("Add", 1, model.unique_name(node_.name() + "/corrected"),
                              {node_.output(), value}, BinaryAttrs{});
        move_uses(uses, node_.output(), add->output());
    }

    Tensor bias_integers(const Shape& shape) const {
        const IntegerRange integers = integer_range(options_.bias_precision);
        std::vector<std::int32_t> q;
        for (std::size_t c = 0; c < bias_values_.size(); ++c) {
            const double exact =
                static_cast<double>(bias_values_[c]) / static_cast<double>(bias_scales_[c]);
            q.push_back(static_cast<std::int32_t>(std::clamp(std::nearbyint(exact),
                                                             static_cast<double>(integers.min),
                                                             static_cast<double>(integers.max))));
        }
        const Tensor wide = Tensor::of(shape, q);
        switch (options_.bias_precision) {
            case QuantizationPrecision::kInt8: return wide.to(ElementType::i8);
            case QuantizationPrecision::kInt16: return wide.to(ElementType::i16);
            case QuantizationPrecision::kInt32: break;
        }
        return wide;
    }

    Node& node_;
    const PlaceScales& input_;
    const QuantizerOptions& options_;
    std::vector<std::string>& remarks_;
    const Tensor weights_;  // may be mapped from a file
    ChannelOrder order_;
    Node* bias_;
    WeightScales scales_;
    std::vector<float> bias_values_;  // one an output channel; empty without a bias
    std::vector<float> bias_scales_;
};

// What must be known of an anchor before its source changes.
struct Work {
    Node* node;
    const PlaceScales* input;
    std::vector<double> means;
    std::size_t layer;  // in the report
};

// The place that a layer reads. Of a Concat whose inputs keep ranges of their own the one with the
// largest scale, at which its bias fits best.
std::size_t widest_place(const Placement& placement,
                         const std::vector<PlaceScales>& scales,
                         Node& node) {
    Node& source = *node.input_node(0);
    const std::size_t first = place_read_by(placement, node, 0);
    if (!source.is("Concat") || first == scales.size() ||
        placement.places[first].tensor == node.input(0)) {
        return first;
    }
    std::size_t widest = scales.size();
    for (std::size_t i = 0; i < source.input_count(); ++i) {
        const std::size_t place = place_read_by(placement, source, i);
        if (place < scales.size() &&
            (widest == scales.size() || scales[place][0].scale > scales[widest][0].scale)) {
            widest = place;
        }
    }
    return widest;
}

QuantizedLayer describe(const Node& node, const Placement& placement) {
    QuantizedLayer layer;
    layer.name = node.name();
    layer.kind = node.type();
    layer.quantized = placement.quantized.contains(&node);
    if (!layer.quantized) {
        layer.reason = placement.reasons.at(&node);
    }
    return layer;
}

}  // namespace

InsertionReport insert_integers(Model& model,
                                const Placement& placement,
                                const std::vector<PlaceScales>& scales,
                                const Profile& profile,
                                const QuantizerOptions& options,
                                const LearnedLayers& learned,
                                const BiasShifts& shifts) {
    InsertionReport report;
    std::vector<Work> work;
    for (Node* node : model.ordered_nodes()) {
        if (!placement.quantized.contains(node) && !placement.reasons.contains(node)) {
            continue;
        }
        QuantizedLayer layer = describe(*node, placement);
        const std::size_t place = widest_place(placement, scales, *node);
        if (place < scales.size() && scales[place].size() == 1) {
            layer.input_scale = scales[place][0].scale;
            layer.input_offset = scales[place][0].offset;
        }
        if (layer.quantized && kind_of(*node) == LayerKind::kAnchor &&
            node->input_node(1)->is_constant()) {
            work.push_back(
                {node, &scales.at(place), input_means(*node, profile), report.layers.size()});
        }
        report.layers.push_back(std::move(layer));
    }
    insert_fake_quantize(model, placement, scales);
    for (const Work& item : work) {
        const QuantizerOptions own = weight_options_of(*item.node, options);
        Anchor anchor(*item.node, *item.input, own, report.remarks);
        const auto shift = shifts.find(item.node->name());
        if (shift != shifts.end()) {
            anchor.move_bias(shift->second);
        }
        const auto found = learned.find(item.node->name());
        anchor.quantize(item.means, found == learned.end() ? nullptr : &found->second);
        anchor.describe(report.layers[item.layer]);
    }
    model.remove_dead_nodes();
    model.validate();
    return report;
}

}  // namespace fuseq::quantizer
