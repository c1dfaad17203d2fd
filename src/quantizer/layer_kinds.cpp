// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/layer_kinds.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "quantizer/activation_formula.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq::quantizer {
namespace {

constexpr std::string_view kMovements[] = {
    "BatchToSpace", "Broadcast",    "Concat",        "DepthToSpace", "Gather",          "MaxPool",
    "ReduceMax",    "ReduceMin",    "Reshape",       "Reverse",      "ShuffleChannels", "Slice",
    "SpaceToBatch", "SpaceToDepth", "Split",         "Squeeze",      "StridedSlice",    "Tile",
    "Transpose",    "Unsqueeze",    "VariadicSplit",
};
constexpr std::string_view kActivations[] = {
    "Abs",         "Clamp",    "Elu",      "Exp",      "Gelu",  "HSigmoid", "HSwish",
    "HardSigmoid", "Log",      "Mish",     "Negative", "PReLU", "ReLU",     "Selu",
    "Sigmoid",     "SoftPlus", "SoftSign", "Sqrt",     "Swish", "Tanh",
};
constexpr std::string_view kBinaries[] = {
    "Add", "Divide", "Maximum", "Minimum", "Multiply", "Power", "Subtract",
};
constexpr std::string_view kCarriers[] = {
    "Add", "AvgPool", "LRN", "Maximum", "Minimum", "TopK", "Multiply", "ReduceMean", "Subtract",
};

template <class List>
bool contains(const List& list, std::string_view type) {
    return std::find(std::begin(list), std::end(list), type) != std::end(list);
}

// Zero is an integer of every scale.
bool pads_with_zero_or_copies(const Node& node) {
    if (!node.has_input(3)) {
        return true;
    }
    const auto value = constant_number(node.input(3));
    return value && *value == 0;
}

bool takes_nearest(const Node& node) {
    const auto attributes = list_attributes(node.attributes());
    return std::any_of(attributes.begin(), attributes.end(), [](const NamedAttribute& item) {
        return item.name == "mode" && attribute_to_text(item.ref) == "nearest";
    });
}

bool is_anchor(const Node& node) {
    if (!takes_weights(node)) {
        return false;
    }
    // Weights that are computed, or a matrix of constants at the left, have no integer kernel.
    return !is_constant_input(node, 0) && (node.is("MatMul") || node.input_node(1)->is_constant());
}

}  // namespace

bool is_constant_input(const Node& node, std::size_t i) {
    return is_constant_expression(node.input(i));
}

LayerKind kind_of(const Node& node) {
    const std::string type = node.type();
    if (node.output_count() == 0 || node.port().type != ElementType::f32) {
        return LayerKind::kFloat;
    }
    if (is_anchor(node)) {
        return LayerKind::kAnchor;
    }
    if (type == "Pad") {
        return pads_with_zero_or_copies(node) ? LayerKind::kMovement : LayerKind::kFloat;
    }
    if (type == "Interpolate") {
        return takes_nearest(node) ? LayerKind::kMovement : LayerKind::kCarrier;
    }
    if (contains(kMovements, type)) {
        for (std::size_t i = 0; i < node.input_count(); ++i) {
            if (is_data_input(node, i) && is_constant_input(node, i)) {
                return LayerKind::kFloat;
            }
        }
        return LayerKind::kMovement;
    }
    if (contains(kActivations, type)) {
        return LayerKind::kActivation;
    }
    if (contains(kBinaries, type) && (is_constant_input(node, 1) || is_activation_formula(node))) {
        return LayerKind::kActivation;
    }
    if (contains(kBinaries, type) && is_normalization_formula(node)) {
        return LayerKind::kFloat;
    }
    return contains(kCarriers, type) && !is_constant_input(node, 0) ? LayerKind::kCarrier
                                                                    : LayerKind::kFloat;
}

bool is_data_input(const Node& node, std::size_t i) {
    if (node.is("Concat")) {
        return true;
    }
    const bool two = contains(kBinaries, node.type()) || node.is("MatMul");
    return i == 0 || (two && i == 1 && !is_constant_input(node, 1));
}

bool needs_one_scale(const Node& node) {
    return is_one_of(node, {"Concat", "LRN", "Maximum", "Minimum", "TopK"});
}

bool is_depthwise(const Node& node) {
    // Weights are [groups, outputs, inputs, spatial...].
    return node.is("GroupConvolution") && node.input(1).partial_shape().is_static() &&
           node.input(1).shape()[2] == 1;
}

}  // namespace fuseq::quantizer
