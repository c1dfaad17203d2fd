// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/code_chain.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "transformations/support/constants.hpp"

namespace fuseq {
namespace {

// The input with the constant. All inputs are constant expressions; the other one is the chain,
// which has the shape of the result.
std::size_t constant_input(const Node& node) {
    const bool first = !node.is("Subtract") && node.input(1).partial_shape() == node.port().shape &&
                       node.input(0).partial_shape() != node.port().shape;
    return first ? 0 : 1;
}

// Steps from `at` over an operation with a constant.
bool skip(CodeChain& chain, Output& at, std::string_view type, Tensor& value) {
    if (!at.node->is(type) || at.type() != ElementType::f32) {
        return false;
    }
    const std::size_t i = constant_input(*at.node);
    const auto constant = evaluate_constant(at.node->input(i));
    if (!constant) {
        return false;
    }
    value = *constant;
    chain.nodes.push_back(at.node);
    at = at.node->input(1 - i);
    return true;
}

Tensor negated(const Tensor& values) {
    Tensor result(values.get_element_type(), values.get_shape());
    std::transform(values.data<float>(), values.data<float>() + values.get_size(),
                   result.data<float>(), std::negate<>());
    return result;
}

}  // namespace

std::optional<CodeChain> match_code_chain(const Output& values) {
    CodeChain chain;
    Output at = values;
    if (!skip(chain, at, "Add", chain.offset) && skip(chain, at, "Subtract", chain.offset)) {
        chain.offset = negated(chain.offset);
    }
    if (!skip(chain, at, "Multiply", chain.scale)) {
        return std::nullopt;
    }
    skip(chain, at, "Subtract", chain.zero_point);
    if (!at.node->is("Convert") || at.type() != ElementType::f32 ||
        !at.node->input_node(0)->is_constant()) {
        return std::nullopt;
    }
    chain.nodes.push_back(at.node);
    chain.codes = at.node->input(0);
    return chain;
}

}  // namespace fuseq
