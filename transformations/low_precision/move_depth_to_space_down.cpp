// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Moves a DepthToSpace after the element-wise operations that follow it, so that they fuse with
// the convolution before and the elements are moved as bytes; and orders the channels before
// it as [block, channel], so that whole runs of elements move.
//
//   Law:     f(move(x)) = move(f(x)) for f that looks at one element and its channel; a
//            permutation of the channels before it is a permutation of the weights.
//   Before:  Convolution -> [element-wise] -> DepthToSpace -> element-wise ... -> FakeQuantize
//   After:   Convolution -> [element-wise] -> element-wise ... -> FakeQuantize -> DepthToSpace
//            (blocks_first)
//   Refuses: results in the middle that others read, constants that vary along more than the
//            channels, a source that is no convolution with constant weights.
//   Source:  the definition of DepthToSpace.
#include "transformations/low_precision/move_depth_to_space_down.hpp"

#include <algorithm>

#include "ops/depth_to_space.hpp"
#include "transformations/support/channelwise.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace move_depth_to_space_down_pass {
namespace {

constexpr std::string_view kName = "move_depth_to_space_down";

// What stands before a DepthToSpace: the convolution, and the element-wise nodes after it.
struct Front {
    Node* anchor = nullptr;
    std::vector<Node*> nodes;
};

bool has_constant_weights(const Node& convolution) {
    return convolution.input_node(1)->is_constant() &&
           (!convolution.has_input(3) || convolution.input_node(3)->is_constant());
}

std::optional<Front> front_of(const Node& move) {
    Front front;
    Output at = move.input(0);
    while (has_single_use(at)) {
        if (at.node->is("Convolution") && has_constant_weights(*at.node)) {
            front.anchor = at.node;
            return front;
        }
        const auto data = channelwise_input(*at.node);
        if (!data) {
            return std::nullopt;
        }
        front.nodes.push_back(at.node);
        at = at.node->input(*data);
    }
    return std::nullopt;
}

// The element-wise nodes after it, up to the quantization.
std::vector<Node*> followers_of(const Node& move) {
    std::vector<Node*> nodes;
    const OutputPort* port = &move.port();
    while (port->uses.size() == 1) {
        Node* next = port->uses[0].node;
        const auto data = channelwise_input(*next);
        if (!data || *data != port->uses[0].index) {
            break;
        }
        nodes.push_back(next);
        if (is_integral(next->port().type)) {
            break;
        }
        port = &next->port();
    }
    return nodes;
}

// For every channel before the movement: the channel after it.
std::vector<std::size_t> channels_after(const Node& move) {
    const auto& attrs = move.attrs<BlockAttrs>();
    const std::size_t in = move.input(0).shape()[1];
    const std::size_t out = move.port().shape.to_shape()[1];
    std::vector<std::size_t> source(in);
    for (std::size_t c = 0; c < in; ++c) {
        source[c] = attrs.mode == BlockOrder::kBlocksFirst ? c % out : c / (in / out);
    }
    return source;
}

// The layer that feeds a Result gives the output its name; the integers of a FakeQuantize go by its
// name.
void keep_name(Node& last, Node& move) {
    const auto& uses = last.port().uses;
    if (!is_integral(last.port().type) &&
        std::none_of(uses.begin(), uses.end(), [](const Use& u) { return u.node->is("Result"); })) {
        return;
    }
    last.origins = origins_of(last);
    move.origins = origins_of(move);
    const std::string name = last.name();
    last.set_name(move.name());
    move.set_name(name);
}

void move_after(Node& move, const std::vector<Node*>& nodes) {
    const std::vector<std::size_t> source = channels_after(move);
    for (Node* node : nodes) {
        remap_channels(*node, source);
    }
    Node& last = *nodes.back();
    keep_name(last, move);
    redirect(last.output(), move.output());
    nodes.front()->set_input(channelwise_input(*nodes.front()).value(), move.input(0));
    move.set_input(0, last.output());
    for (Node* node : nodes) {
        node->infer();
    }
    move.infer();
}

// Weights, and the zero points that belong to their channels.
void reorder_weights(Node& anchor, const std::vector<std::size_t>& source) {
    constexpr std::size_t kWeights = 1;
    constexpr std::size_t kZeroPoints = 3;
    for (const std::size_t i : {kWeights, kZeroPoints}) {
        if (i == kZeroPoints &&
            (!anchor.has_input(i) || shape_size(anchor.input(i).shape()) == 1)) {
            continue;
        }
        const Node& constant = *anchor.input_node(i);
        const Tensor values = remapped(constant.constant(), 0, source);
        anchor.set_input(i, make_constant(anchor.model(), constant.name(), values));
    }
}

// The integers of a FakeQuantize go by its name, in the order of channels of its layer.
void released_name(Node& node) {
    if (is_integral(node.port().type)) {
        node.origins = origins_of(node);
        node.set_name(node.model().unique_name(node.name() + "/blocks_first"));
    }
}

// Channel [c, b] of the results before it becomes [b, c].
void order_blocks_first(Node& move, const Front& front) {
    auto& attrs = move.attrs<BlockAttrs>();
    const std::size_t in = move.input(0).shape()[1];
    const std::size_t out = move.port().shape.to_shape()[1];
    const std::size_t blocks = in / out;
    std::vector<std::size_t> source(in);
    for (std::size_t c = 0; c < in; ++c) {
        source[c] = c % out * blocks + c / out;
    }
    reorder_weights(*front.anchor, source);
    for (Node* node : front.nodes) {
        remap_channels(*node, source);
        released_name(*node);
    }
    attrs.mode = BlockOrder::kBlocksFirst;
}

bool run(Model& model, PassContext& context) {
    bool changed = false;
    for (Node* move : model.find_all("DepthToSpace")) {
        if (!move->port().shape.is_static() || !move->input(0).partial_shape().is_static()) {
            continue;
        }
        const auto front = front_of(*move);
        if (!front) {
            continue;
        }
        const std::vector<Node*> followers = followers_of(*move);
        const bool depth_first = move->attrs<BlockAttrs>().mode == BlockOrder::kDepthFirst;
        if (depth_first) {
            order_blocks_first(*move, *front);
        }
        if (!followers.empty()) {
            move_after(*move, followers);
        }
        if (depth_first || !followers.empty()) {
            context.rewritten(kName, *move);
            changed = true;
        }
    }
    return changed;
}

}  // namespace
}  // namespace move_depth_to_space_down_pass

bool move_depth_to_space_down(Model& model, PassContext& context) {
    return move_depth_to_space_down_pass::run(model, context);
}

}  // namespace fuseq
