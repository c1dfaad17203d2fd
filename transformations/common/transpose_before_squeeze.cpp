// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Moves a transposition before the loss of a dimension of size one, as when a detector takes
// the image of a batch and makes it channels-last: with all its dimensions the tensor is in that
// order in memory already.
//
//   Law:     the elements stay in order when a dimension of size one goes, whatever the order of
//            the others.
//   Before:  x -> Squeeze(axis), or Gather(0, axis) of a number -> Transpose(order)
//   After:   x -> Transpose(order with the axis first) -> Squeeze(0)
//   Refuses: silently, when several dimensions go, or one whose size is not known to be one; orders
//            that are not constant; a Transpose that a Result reads, whose layer names it.
//   Source:  the definitions of the operations.
#include "transformations/common/transpose_before_squeeze.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace transpose_before_squeeze_pass {
namespace {

constexpr std::string_view kName = "transpose_before_squeeze";

// The dimension of size one that is gone after this node.
std::optional<std::int64_t> lost_dimension(const Node& node) {
    if (!is_one_of(node, {"Squeeze", "Gather"}) || node.input_count() < 2 ||
        !node.input(0).partial_shape().rank_is_static() || !node.port().shape.rank_is_static()) {
        return std::nullopt;
    }
    const PartialShape& src = node.input(0).partial_shape();
    const bool gathers = node.is("Gather");
    const auto axis = constant_number(node.input(gathers ? 2 : 1));
    if (!axis || node.port().shape.rank() + 1 != src.rank()) {
        return std::nullopt;
    }
    if (gathers) {
        const auto index = constant_number(node.input(1));
        if (!index || (*index != 0.0 && *index != -1.0)) {
            return std::nullopt;
        }
    }
    const auto rank = static_cast<std::int64_t>(src.rank());
    const auto number = static_cast<std::int64_t>(*axis);
    const std::int64_t dimension = number < 0 ? number + rank : number;
    const bool is_one = dimension >= 0 && dimension < rank &&
                        src[static_cast<std::size_t>(dimension)] == Dimension(1);
    return is_one ? std::optional(dimension) : std::nullopt;
}

bool rewrite(Node& transpose) {
    Node& before = *transpose.input_node(0);
    const auto lost = lost_dimension(before);
    const Tensor* constant = known_constant(transpose.input(1));
    const auto& uses = transpose.port().uses;
    if (!lost || constant == nullptr || constant->get_size() == 0 ||
        std::any_of(uses.begin(), uses.end(),
                    [](const Use& use) { return use.node->is("Result"); })) {
        return false;
    }
    std::vector<std::int64_t> order{*lost};
    for (const std::int64_t dimension : to_ints(*constant)) {
        order.push_back(dimension + (dimension >= *lost ? 1 : 0));
    }
    Model& model = transpose.model();
    const std::string name = transpose.name();
    transpose.set_name(name + "/whole");
    const Output order_of_all =
        make_constant(model, name + "/order", Tensor::of(Shape{order.size()}, order));
    const Output first =
        make_constant(model, name + "/axis", Tensor::of(Shape{1}, std::vector<std::int64_t>{0}));
    Node* whole = model.add("Transpose", 1, name + "/transpose", {before.input(0), order_of_all});
    Node* squeeze = model.add("Squeeze", 1, name, {whole->output(), first});
    transpose.origins = {};
    for (Node* node : {whole, squeeze}) {
        add_origin(*node, name);
        add_origins(*node, before);
    }
    redirect(transpose.output(), squeeze->output());
    return true;
}

bool run(Model& model, PassContext& context) {
    return rewrite_each(model, "Transpose", context, kName,
                        [](Node& transpose) { return rewrite(transpose); });
}

}  // namespace
}  // namespace transpose_before_squeeze_pass

bool transpose_before_squeeze(Model& model, PassContext& context) {
    return transpose_before_squeeze_pass::run(model, context);
}

}  // namespace fuseq
