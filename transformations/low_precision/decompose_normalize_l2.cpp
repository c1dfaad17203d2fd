// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Takes a NormalizeL2 over channels apart: a reduction, and a factor for each pixel that one pass
// applies together with the scales and the quantization after it.
//
//   Law:     x / sqrt(s + eps) = x * (r^2 + eps)^(-1/2) with s = sum of x^2 over the channels and
//            r = sqrt(s); likewise with max(s, eps).
//   Before:  NormalizeL2(x, axes {1}), x of rank 3 or more
//   After:   ReduceL2(x) -> Power(2) -> Add or Maximum(eps) -> Power(-0.5) -> Multiply(x, .)
//   Refuses: other axes, other ranks, types that are not f32: the reference kernel runs them.
//   Source:  the definition of NormalizeL2.
#include "transformations/low_precision/decompose_normalize_l2.hpp"

#include "ops/binary_arithmetic.hpp"
#include "ops/normalize_l2.hpp"
#include "ops/reduce.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace decompose_normalize_l2_pass {
namespace {

constexpr std::string_view kName = "decompose_normalize_l2";
constexpr std::size_t kMinRank = 3;

bool over_channels(const Node& node) {
    const PartialShape& shape = node.input(0).partial_shape();
    const Tensor* axes = known_constant(node.input(1));
    if (node.port().type != ElementType::f32 || !shape.rank_is_static() ||
        shape.rank() < kMinRank || axes == nullptr || axes->get_size() != 1) {
        return false;
    }
    const std::int64_t axis = to_ints(*axes)[0];
    return axis == 1 || axis + static_cast<std::int64_t>(shape.rank()) == 1;
}

bool decompose(Node& node) {
    if (!over_channels(node)) {
        return false;
    }
    Model& model = node.model();
    const auto& attrs = node.attrs<NormalizeL2Attrs>();
    const auto add = [&](const char* type, const std::string& name, std::vector<Output> inputs) {
        Node* made = model.add(type, 1, name, std::move(inputs), BinaryAttrs{});
        made->origins = origins_of(node);
        return made->output();
    };
    const auto number = [&](const char* name, float value) {
        return make_constant(model, node.name() + name, Tensor::scalar(value));
    };
    ReduceAttrs keep;
    keep.keep_dims = true;
    Node* root =
        model.add("ReduceL2", 4, node.name() + "/root", {node.input(0), node.input(1)}, keep);
    root->origins = origins_of(node);
    const Output sum = add("Power", node.name() + "/sum", {root->output(), number("/two", 2.0F)});
    const char* const limit = attrs.eps_mode == L2EpsMode::kAdd ? "Add" : "Maximum";
    const Output clamped = add(limit, node.name() + "/eps", {sum, number("/least", attrs.eps)});
    const Output factor =
        add("Power", node.name() + "/factor", {clamped, number("/inverse", -0.5F)});
    redirect(node.output(), add("Multiply", node.name(), {node.input(0), factor}));
    return true;
}

bool run(Model& model, PassContext& context) {
    return rewrite_each(model, "NormalizeL2", context, kName, decompose);
}

}  // namespace
}  // namespace decompose_normalize_l2_pass

bool decompose_normalize_l2(Model& model, PassContext& context) {
    return decompose_normalize_l2_pass::run(model, context);
}

}  // namespace fuseq
