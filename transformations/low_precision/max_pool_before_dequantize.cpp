// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Moves a MaxPool before the multiplications and additions that integers go through before it,
// so that it compares bytes and these have fewer elements.
//
//   Law:     max(a * c + d, b * c + d) = max(a, b) * c + d for c > 0, as floats too: rounding does
//            not change an order. The same for ReLU.
//   Before:  q -> Convert -> [Subtract | Multiply | Add of constants | ReLU] -> MaxPool
//   After:   q -> MaxPool (integers) -> Convert -> [Subtract | Multiply | Add | ReLU]
//            move_dequantize_down does it for DQ alone; these are the model's own constants.
//   Refuses: a factor that is not positive (factor), constants that vary along a pooled dimension
//            (constant_shape), indices that are read (indices). Without integers before it, or
//            where others read what is between, there is nothing to do.
//   Source:  monotone functions commute with the maximum.
#include "transformations/low_precision/max_pool_before_dequantize.hpp"

#include <algorithm>
#include <vector>

#include "ops/pooling.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace max_pool_before_dequantize_pass {
namespace {

constexpr std::string_view kName = "max_pool_before_dequantize";

// From the Convert of integers to the MaxPool; empty: they are others.
std::vector<Node*> nodes_between(const Node& pool) {
    std::vector<Node*> found;
    Node* at = pool.input_node(0);
    while (has_single_use(at->output()) &&
           is_one_of(*at, {"Convert", "Multiply", "Add", "Subtract", "ReLU"})) {
        found.push_back(at);
        if (at->is("Convert")) {
            std::reverse(found.begin(), found.end());
            const bool integers = is_integral(at->input(0).type()) &&
                                  bits_of(at->input(0).type()) == 8 &&
                                  at->port().type == ElementType::f32;
            return integers ? found : std::vector<Node*>{};
        }
        at = at->input_node(0);
    }
    return {};
}

struct Reason {
    const char* code;
    const char* sentence;
};

// Why the operation is not the same function, that never falls, of all elements of a channel;
// nothing: it is.
std::optional<Reason> why_not(const Node& node) {
    constexpr std::size_t kChannelAxis = 1;
    if (is_one_of(node, {"Convert", "ReLU"})) {
        return std::nullopt;
    }
    const auto constant = node.port().shape == node.input(0).partial_shape()
                              ? constant_channels(node.input(1), node.port().shape.rank())
                              : std::nullopt;
    if (!constant || !(constant->per_tensor() || constant->axis() == kChannelAxis)) {
        return Reason{"constant_shape", "a constant is neither per tensor nor per channel"};
    }
    const auto positive = [](float v) { return v > 0.0f; };
    if (node.is("Multiply") &&
        !std::all_of(constant->list().begin(), constant->list().end(), positive)) {
        return Reason{"factor", "a factor is not positive"};
    }
    return std::nullopt;
}

std::optional<Reason> why_not(const Node& pool, const std::vector<Node*>& between) {
    if (!gives_maxima_only(pool)) {
        return Reason{"indices", "the indices of the MaxPool are read"};
    }
    for (const Node* node : between) {
        if (const auto reason = why_not(*node)) {
            return reason;
        }
    }
    return std::nullopt;
}

bool run(Model& model, PassContext& context) {
    bool changed = false;
    for (Node* pool : model.find_all("MaxPool")) {
        if (!pool->port(0).shape.rank_is_static()) {
            continue;
        }
        const std::vector<Node*> between = nodes_between(*pool);
        if (between.empty()) {
            continue;
        }
        if (const auto reason = why_not(*pool, between)) {
            context.refused(kName, *pool, reason->code, reason->sentence);
            continue;
        }
        redirect(pool->output(), between.back()->output(), {pool});
        pool->set_input(0, between.front()->input(0));
        between.front()->set_input(0, pool->output());
        pool->infer();
        for (Node* node : between) {
            node->infer();
        }
        add_origin(*pool, pool->name());
        context.rewritten(kName, *pool);
        changed = true;
    }
    return changed;
}

}  // namespace
}  // namespace max_pool_before_dequantize_pass

bool max_pool_before_dequantize(Model& model, PassContext& context) {
    return max_pool_before_dequantize_pass::run(model, context);
}

}  // namespace fuseq
