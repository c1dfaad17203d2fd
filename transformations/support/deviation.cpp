// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/deviation.hpp"

#include <algorithm>

#include "ops/axes.hpp"
#include "ops/reduce.hpp"
#include "transformations/support/constants.hpp"

namespace fuseq {
namespace {

bool is_number(const Output& source, double number) {
    return constant_number(source) == std::optional<double>(number);
}

// The other operand of an Add of a number above 0.
Output without_eps(const Output& sum, Deviation& found) {
    if (!sum.node->is("Add")) {
        return {};
    }
    for (const std::size_t i : {1, 0}) {
        const auto eps = constant_number(sum.node->input(i));
        if (eps && *eps > 0) {
            found.eps = *eps;
            found.nodes.push_back(sum.node);
            return sum.node->input(1 - i);
        }
    }
    return {};
}

Output under_root(const Output& root, Deviation& found) {
    if (root.node->is("Sqrt") || (root.node->is("Power") && is_number(root.node->input(1), 0.5))) {
        found.nodes.push_back(root.node);
        return root.node->input(0);
    }
    return {};
}

}  // namespace

std::optional<Deviation> match_deviation(const Output& deviation) {
    Deviation found;
    if (const Output sum = under_root(deviation, found)) {
        found.variance = without_eps(sum, found);
    } else {
        found.mode = EpsMode::kOutsideSqrt;
        const Output root = without_eps(deviation, found);
        found.variance = root ? under_root(root, found) : Output{};
    }
    return found.variance ? std::optional(found) : std::nullopt;
}

std::optional<Deviation> match_inverse_deviation(const Output& inverse) {
    const Node& node = *inverse.node;
    if (node.is("Divide") && is_number(node.input(0), 1)) {
        auto found = match_deviation(node.input(1));
        if (found) {
            found->nodes.push_back(&node);
        }
        return found;
    }
    // A power of -1 of the root, or of -0.5 of what is under it.
    if (node.is("Power") && is_number(node.input(1), -1)) {
        auto found = match_deviation(node.input(0));
        if (found) {
            found->nodes.push_back(&node);
        }
        return found;
    }
    if (!node.is("Power") || !is_number(node.input(1), -0.5)) {
        return std::nullopt;
    }
    Deviation found;
    found.nodes.push_back(&node);
    found.variance = without_eps(node.input(0), found);
    return found.variance ? std::optional(found) : std::nullopt;
}

std::optional<std::vector<std::int64_t>> axes_of_mean(const Output& mean) {
    if (!mean.node->is("ReduceMean") || !mean.node->attrs<ReduceAttrs>().keep_dims ||
        !mean.partial_shape().rank_is_static()) {
        return std::nullopt;
    }
    const Tensor* constant = known_constant(mean.node->input(1));
    if (constant == nullptr || constant->get_size() == 0) {
        return std::nullopt;
    }
    std::vector<std::int64_t> axes = to_ints(*constant);
    for (std::int64_t& axis : axes) {
        axis = static_cast<std::int64_t>(wrapped_axis(axis, mean.partial_shape().rank()));
    }
    std::sort(axes.begin(), axes.end());
    return axes;
}

Output under_square(const Output& square) {
    const Node& node = *square.node;
    const bool is_square = (node.is("Power") && is_number(node.input(1), 2)) ||
                           (node.is("Multiply") && node.input(0) == node.input(1));
    return is_square ? node.input(0) : Output{};
}

}  // namespace fuseq
