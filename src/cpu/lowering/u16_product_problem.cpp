// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/lowering/u16_product_problem.hpp"

#include <algorithm>

#include "cpu/lowering/group.hpp"
#include "ops/matmul.hpp"
#include "transformations/support/anchor_zero_points.hpp"
#include "transformations/support/wide_source.hpp"

namespace fuseq::cpu {
namespace {

constexpr std::size_t kZeroPoint = 2;

bool has_dimensions(const Node& node) {
    const std::size_t rank = node.input(0).shape().size();
    if (node.is("MatMul")) {
        return rank >= 2 && node.input(1).shape().size() == 2 &&
               !node.attrs<MatMulAttrs>().transpose_a;
    }
    return node.is("Convolution") ? rank == 3 || rank == 4 : rank == 4 && is_u16_depthwise(node);
}

// Empty: there is one, and it is no constant.
std::vector<double> zero_points_of(const Node& node) {
    if (!node.has_input(kZeroPoint)) {
        return {0.0};
    }
    if (!node.input_node(kZeroPoint)->is_constant()) {
        return {};
    }
    const std::vector<std::int64_t> values = to_ints(node.input_node(kZeroPoint)->constant());
    return {values.begin(), values.end()};
}

}  // namespace

bool is_u16_depthwise(const Node& node) {
    const Shape& wei = node.input(1).shape();
    return node.is("GroupConvolution") && wei.size() == 5 && wei[1] == 1 && wei[2] == 1;
}

bool is_u16_product(const Node& node) {
    if (node.input(0).type() != ElementType::u16 || node.input(1).type() != ElementType::i8 ||
        !node.input_node(1)->is_constant() || weight_zero_points(node) != 0 ||
        !has_static_shapes(node) || !has_dimensions(node)) {
        return false;
    }
    constexpr double kLargest = 65535;
    const std::vector<double> zero_points = zero_points_of(node);
    const bool known = zero_points.size() == 1 ||
                       (is_u16_depthwise(node) && zero_points.size() == node.input(1).shape()[0]);
    return known &&
           std::all_of(zero_points.begin(), zero_points.end(),
                       [](double z) { return z >= 0 && z <= kLargest; }) &&
           sums_of_u16_fit(node, node.input_node(1)->constant(), zero_points);
}

}  // namespace fuseq::cpu
