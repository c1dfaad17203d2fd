// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Gives the weights of a convolution the order of channels that its source has, as of a picture in
// BGR for a network of RGB.
//
//   Law:     a convolution sums over its input channels, in any order; operations on elements may
//            change places with a permutation when their constants are permuted too.
//   Before:  x -> Gather(every channel once) -> [Convert | Add | Subtract | Multiply | Divide |
//            Maximum | Minimum | FakeQuantize | Clamp | ReLU | Transpose, with constants] ->
//            Convolution(weights of constants)
//   After:   x -> the same with permuted constants -> Convolution(permuted weights)
//   Refuses: an operation on the way that others read too (read_by_others), that is none of these
//            or whose other operands are computed (no_convolution), weights that are no expression
//            of constants (computed_weights); silently, a Gather that does not take every channel
//            once.
//   Source:  the definitions of the operations.
#include "transformations/common/fold_channel_order_into_weights.hpp"

#include <algorithm>
#include <optional>

#include "transformations/support/channelwise.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace fold_channel_order_into_weights_pass {
namespace {

constexpr std::string_view kName = "fold_channel_order_into_weights";
constexpr int kMaxDepth = 5;  // of weights: Const -> Convert -> Subtract -> Multiply

// Channel c of the result is channel order[c] of the source, along a dimension.
struct ChannelOrder {
    std::size_t axis = 0;
    std::vector<std::size_t> inverse;  // order[inverse[c]] = c
};

std::optional<ChannelOrder> order_of(const Node& gather) {
    const PartialShape& shape = gather.input(0).partial_shape();
    const Tensor* indices = known_constant(gather.input(1));
    const auto axis = constant_number(gather.input(2));
    if (!shape.rank_is_static() || indices == nullptr || indices->get_shape().size() != 1 ||
        !axis) {
        return std::nullopt;
    }
    const auto rank = static_cast<std::int64_t>(shape.rank());
    const std::int64_t dimension = static_cast<std::int64_t>(*axis) + (*axis < 0 ? rank : 0);
    if (dimension < 0 || dimension >= rank) {
        return std::nullopt;
    }
    const std::size_t count = indices->get_size();
    ChannelOrder order{static_cast<std::size_t>(dimension), std::vector<std::size_t>(count, count)};
    const std::vector<std::int64_t> channels = to_ints(*indices);
    for (std::size_t c = 0; c < count; ++c) {
        const auto from = channels[c] + (channels[c] < 0 ? static_cast<std::int64_t>(count) : 0);
        if (from < 0 || from >= static_cast<std::int64_t>(count)) {
            return std::nullopt;
        }
        order.inverse[static_cast<std::size_t>(from)] = c;
    }
    const bool each_once =
        std::find(order.inverse.begin(), order.inverse.end(), count) == order.inverse.end();
    const bool all = shape[order.axis] == Dimension(static_cast<std::int64_t>(count));
    return each_once && all ? std::optional(order) : std::nullopt;
}

std::optional<Output> permuted(const Output& operand,
                               const ChannelOrder& order,
                               std::size_t rank,
                               int depth) {
    return remapped_operand(operand, {order.axis, order.inverse.size(), rank, order.inverse},
                            "/in_order", depth);
}

// What was found between the Gather and the convolution: new inputs, which are set at the end.
struct Rewrite {
    struct NewInput {
        Node* node;
        std::size_t input;
        Output source;
    };
    std::vector<NewInput> inputs;
    Node* convolution = nullptr;
    std::string code;
    std::string why;
};

bool is_elementwise(const Node& node) {
    return is_one_of(node, {"Convert", "Add", "Subtract", "Multiply", "Divide", "Maximum",
                            "Minimum", "FakeQuantize", "Clamp", "ReLU"});
}

bool pass_transpose(const Node& transpose, ChannelOrder& order) {
    const Tensor* dimensions = known_constant(transpose.input(1));
    if (dimensions == nullptr || dimensions->get_size() == 0) {
        return false;
    }
    const std::vector<std::int64_t> from = to_ints(*dimensions);
    order.axis = static_cast<std::size_t>(
        std::find(from.begin(), from.end(), static_cast<std::int64_t>(order.axis)) - from.begin());
    return true;
}

bool pass_elementwise(Node& node, std::size_t data, const ChannelOrder& order, Rewrite& rewrite) {
    const PartialShape& shape = node.input(data).partial_shape();
    if (!shape.rank_is_static() || node.port().shape.rank() != shape.rank()) {
        return false;
    }
    for (std::size_t i = 0; i < node.input_count(); ++i) {
        if (i == data) {
            continue;
        }
        const auto moved = permuted(node.input(i), order, shape.rank(), 1);
        if (!moved) {
            return false;
        }
        rewrite.inputs.push_back({&node, i, *moved});
    }
    return true;
}

bool end_at(Node& convolution, std::size_t data, const ChannelOrder& order, Rewrite& rewrite) {
    const PartialShape& weights = convolution.input(1).partial_shape();
    const bool known = data == 0 && order.axis == 1 && weights.rank_is_static();
    const auto moved =
        known ? permuted(convolution.input(1), order, weights.rank(), kMaxDepth) : std::nullopt;
    if (!moved) {
        rewrite.code = "computed_weights";
        rewrite.why = "the weights of " + describe(convolution) + " are no constants";
        return false;
    }
    rewrite.inputs.push_back({&convolution, 1, *moved});
    rewrite.convolution = &convolution;
    return true;
}

// Follows the channels to the convolution.
Rewrite follow(Node& gather, ChannelOrder order) {
    Rewrite rewrite;
    Output at = gather.output();
    while (rewrite.convolution == nullptr) {
        if (!has_single_use(at)) {
            rewrite.code = "read_by_others";
            rewrite.why = describe(*at.node) + " is read by others too";
            return rewrite;
        }
        const Use use = at.node->port(at.index).uses[0];
        Node& node = *use.node;
        if (node.is("Convolution")) {
            end_at(node, use.index, order, rewrite);
            return rewrite;
        }
        const bool passed = node.is("Transpose") && use.index == 0 ? pass_transpose(node, order)
                            : is_elementwise(node)
                                ? pass_elementwise(node, use.index, order, rewrite)
                                : false;
        if (!passed) {
            rewrite.code = "no_convolution";
            rewrite.why = "the channels meet " + describe(node) + " before a convolution";
            return rewrite;
        }
        at = node.output();
    }
    return rewrite;
}

bool rewrite_gather(Node& gather, PassContext& context) {
    auto order = order_of(gather);
    if (!order) {
        return false;
    }
    const Rewrite rewrite = follow(gather, *order);
    if (rewrite.convolution == nullptr) {
        context.refused(kName, gather, rewrite.code, rewrite.why);
        return false;
    }
    for (const auto& [node, input, source] : rewrite.inputs) {
        node->set_input(input, source);
    }
    add_origins(*rewrite.convolution, gather);
    redirect(gather.output(), gather.input(0));
    return true;
}

bool run(Model& model, PassContext& context) {
    return rewrite_each(model, "Gather", context, kName,
                        [&](Node& gather) { return rewrite_gather(gather, context); });
}

}  // namespace
}  // namespace fold_channel_order_into_weights_pass

bool fold_channel_order_into_weights(Model& model, PassContext& context) {
    return fold_channel_order_into_weights_pass::run(model, context);
}

}  // namespace fuseq
