// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Moves a quantization after operations that only move or repeat elements before them, so
// that they move bytes, and so that it fuses with the integer convolution or matmul there.
//
//   Law:     f(move(x)) = move(f(x)) for f applied to each element; f(concat(a, b)) =
//            concat(f(a), f(b)); padding by a value v becomes padding by f(v).
//   Before:  x -> Reshape | Squeeze | Unsqueeze | Transpose | DepthToSpace | SpaceToDepth |
//            ShuffleChannels | Tile | Interpolate nearest | Pad -> [ReLU, ...] -> FakeQuantize
//            (quantize-only, one range); or a, b, ... -> Concat -> [ReLU, ...] -> FakeQuantize
//   After:   x -> [ReLU, ...] -> FakeQuantize -> the same (integers), named as the FakeQuantize,
//            whose result it is now
//   Refuses: a result of the movement or an activation that others read too (read_by_others), a
//            range per channel (per_channel_range), a padding value that is computed or stands
//            before an activation (pad_value); silently what gains nothing: a movement of an
//            input of the model, a Concat none of whose inputs comes from an integer convolution,
//            matmul or linear Interpolate, operations that read positions of elements from computed
//            inputs.
//   Source:  the definitions of the operations.
#include "transformations/low_precision/quantize_before_movement.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "ops/fake_quantize.hpp"
#include "transformations/support/attributes.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/integer_producer.hpp"
#include "transformations/support/interpolation.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace quantize_before_movement_pass {
namespace {

constexpr std::string_view kName = "quantize_before_movement";

// Limits of a quantization that is the same for every element.
struct Limits {
    double il, ih, ol, oh;
    std::int64_t levels;
};

std::optional<Limits> limits_of(const Node& fq) {
    double values[4];
    for (std::size_t i = 0; i < 4; ++i) {
        const auto number = constant_number(fq.input(i + 1));
        if (!number) {
            return std::nullopt;
        }
        values[i] = *number;
    }
    return Limits{values[0], values[1], values[2], values[3], fq.attrs<FakeQuantizeAttrs>().levels};
}

bool other_inputs_are_constant(const Node& node) {
    for (std::size_t i = 1; i < node.input_count(); ++i) {
        if (node.has_input(i) && known_constant(node.input(i)) == nullptr) {
            return false;
        }
    }
    return true;
}

bool only_moves(const Node& node) {
    if (is_one_of(node, {"Reshape", "Squeeze", "Unsqueeze", "Transpose", "DepthToSpace",
                         "SpaceToDepth", "ShuffleChannels", "Tile", "Pad"})) {
        return other_inputs_are_constant(node);
    }
    return node.is("Interpolate") && attribute_text(node, "mode") == "nearest" && !has_pads(node) &&
           other_inputs_are_constant(node);
}

// A function of one element, whose other inputs are single numbers.
bool is_activation(const Node& node) {
    if (node.is("Swish") && node.input_count() > 1 && node.has_input(1) &&
        !constant_number(node.input(1))) {
        return false;
    }
    return is_one_of(node, {"ReLU", "Clamp", "Sigmoid", "Tanh", "Elu", "HSwish", "HSigmoid",
                            "Swish", "Mish", "Gelu"});
}

// A Concat with a linear Interpolate of integers whose readers are quantizations, all of which may
// move: each gets a Concat of its own, of bytes.
bool may_be_repeated(const Node& movement) {
    constexpr std::size_t kMaxReaders = 3;
    const auto& inputs = movement.inputs();
    const auto& uses = movement.port().uses;
    return movement.is("Concat") && uses.size() <= kMaxReaders &&
           std::any_of(inputs.begin(), inputs.end(), comes_from_resized_integers) &&
           std::all_of(uses.begin(), uses.end(), [](const Use& use) {
               return use.index == 0 && use.node->is("FakeQuantize") &&
                      is_integral(use.node->port().type) && limits_of(*use.node);
           });
}

// What a quantization passes on its way up.
struct Way {
    std::vector<Node*> activations;  // the first one first
    Node* movement = nullptr;        // null: none stands there
};

Way way_up(const Node& fq) {
    Way way;
    Node* at = fq.input_node(0);
    while (is_activation(*at)) {
        way.activations.insert(way.activations.begin(), at);
        at = at->input_node(0);
    }
    if (at->is("Concat") || only_moves(*at)) {
        way.movement = at;
    }
    return way;
}

bool is_worth_it(const Node& movement) {
    const auto& inputs = movement.inputs();
    if (movement.is("Concat")) {
        const auto is_real = [](const Output& in) { return in.type() == ElementType::f32; };
        const auto is_constant = [](const Output& in) { return in.node->is_constant(); };
        return std::all_of(inputs.begin(), inputs.end(), is_real) &&
               std::none_of(inputs.begin(), inputs.end(), is_constant) &&
               (std::any_of(inputs.begin(), inputs.end(), comes_from_integer_anchor) ||
                std::any_of(inputs.begin(), inputs.end(), comes_from_resized_integers));
    }
    return has_single_use(inputs[0]) && !inputs[0].node->is("Parameter") &&
           !inputs[0].node->is_constant() && inputs[0].type() == ElementType::f32;
}

// The reason why it must stay; empty code when it may go.
struct Refusal {
    std::string code;
    std::string text;
};

Refusal why_not(const Way& way, const std::optional<Limits>& limits) {
    const auto shared = [](Node* node) { return !has_single_use(node->output()); };
    if ((shared(way.movement) && !may_be_repeated(*way.movement)) ||
        std::any_of(way.activations.begin(), way.activations.end(), shared)) {
        return {"read_by_others", fmt::format("others read what {} or an activation after it gives",
                                              describe(*way.movement))};
    }
    if (!limits) {
        return {"per_channel_range", "the range is not one for all channels"};
    }
    const bool pads =
        way.movement->is("Pad") && attribute_text(*way.movement, "pad_mode") == "constant";
    const bool known = !way.movement->has_input(3) || constant_number(way.movement->input(3));
    if (pads && (!way.activations.empty() || !known)) {
        return {"pad_value", "the value of padding is computed, or an activation changes it"};
    }
    return {};
}

// The activations and the quantization on `source`.
Node* quantized(const Node& fq, const Way& way, Output source, const std::string& suffix) {
    for (const Node* activation : way.activations) {
        std::vector<Output> inputs = activation->inputs();
        inputs[0] = source;
        source = copy_node(*activation, activation->name() + suffix, std::move(inputs))->output();
    }
    std::vector<Output> inputs = fq.inputs();
    inputs[0] = source;
    return copy_node(fq, fq.name() + suffix, std::move(inputs));
}

// The movement of the quantized tensors; its name says that its result is that of the FQ.
Node* moved(const Node& fq, const Way& way, const Limits& limits, std::vector<Output> inputs) {
    const Node& movement = *way.movement;
    if (movement.is("Pad") && attribute_text(movement, "pad_mode") == "constant") {
        const double value = movement.has_input(3) ? *constant_number(movement.input(3)) : 0.0;
        const double level =
            fake_quantize(value, limits.il, limits.ih, limits.ol, limits.oh, limits.levels);
        const Tensor padding = Tensor::scalar(static_cast<float>(level)).to(fq.port().type);
        inputs.resize(std::max<std::size_t>(inputs.size(), 4));
        inputs[3] = make_constant(fq.model(), movement.name() + "/pad_value", padding);
    }
    Node* result = copy_node(movement, fq.name(), std::move(inputs));
    add_origins(*result, fq);
    return result;
}

// Returns the quantizations that stand before it now.
std::vector<Node*> rewrite(Node& fq, const Way& way, const Limits& limits) {
    std::vector<Output> inputs = way.movement->inputs();
    std::vector<Node*> made;
    const std::size_t count = way.movement->is("Concat") ? inputs.size() : 1;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string suffix = count == 1 ? "/before" : fmt::format("/before{}", i);
        made.push_back(quantized(fq, way, inputs[i], suffix));
        inputs[i] = made.back()->output();
    }
    redirect(fq.output(), moved(fq, way, limits, std::move(inputs))->output());
    // Or they would count as readers of what they stood after.
    Model& model = fq.model();
    model.remove(&fq);
    for (auto it = way.activations.rbegin(); it != way.activations.rend(); ++it) {
        model.remove(*it);
    }
    if (way.movement->users().empty()) {
        model.remove(way.movement);
    }
    return made;
}

bool run(Model& model, PassContext& context) {
    bool changed = false;
    std::vector<Node*> left = model.find_all("FakeQuantize");
    while (!left.empty()) {
        Node* fq = left.back();
        left.pop_back();
        if (!is_integral(fq->port().type) || fq->users().empty()) {
            continue;
        }
        const Way way = way_up(*fq);
        if (way.movement == nullptr || !is_worth_it(*way.movement)) {
            continue;
        }
        const auto limits = limits_of(*fq);
        if (Refusal refusal = why_not(way, limits); !refusal.code.empty()) {
            context.refused(kName, *fq, std::move(refusal.code), std::move(refusal.text));
            continue;
        }
        context.rewritten(kName, *fq);
        const std::vector<Node*> made = rewrite(*fq, way, *limits);
        left.insert(left.end(), made.begin(), made.end());
        changed = true;
    }
    return changed;
}

}  // namespace
}  // namespace quantize_before_movement_pass

bool quantize_before_movement(Model& model, PassContext& context) {
    return quantize_before_movement_pass::run(model, context);
}

}  // namespace fuseq
