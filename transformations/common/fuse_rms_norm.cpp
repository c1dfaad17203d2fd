// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes one operation of a normalisation by the root of the mean square (RMS norm).
//
//   Law:     x / sqrt(mean(x^2) + eps) = MVN(x) that keeps the mean; eps may stand outside the
//            root: x / (sqrt(mean(x^2)) + eps). x * (r * g) = (x * r) * g for r = 1 / sqrt(...).
//   Before:  Power(x, 2) or Multiply(x, x), ReduceMean, Add(eps), Sqrt and Divide; or the
//            reciprocal (Divide, Power(-0.5)) and Multiply
//   After:   MVN(x, axes) keep_mean=true [-> Multiply(g)]
//   Refuses: means that drop dimensions; axes that are not the last ones (inner_axes: there is no
//            kernel for them); eps that is no number above 0.
//   Source:  the definitions of the operations; LlamaRMSNorm and T5LayerNorm as PyTorch exports
//            them.
#include "transformations/common/fuse_rms_norm.hpp"

#include <optional>

#include "ops/binary_arithmetic.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/deviation.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace fuse_rms_norm_pass {
namespace {

constexpr std::string_view kName = "fuse_rms_norm";

struct Norm {
    Output x;
    Deviation deviation;
    std::vector<std::int64_t> axes;
};

bool are_last(const std::vector<std::int64_t>& axes, std::size_t rank) {
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (axes[i] != static_cast<std::int64_t>(rank - axes.size() + i)) {
            return false;
        }
    }
    return true;
}

// Whose mean square the deviation is of.
std::optional<Norm> norm_of(std::optional<Deviation> deviation) {
    auto axes = deviation ? axes_of_mean(deviation->variance) : std::nullopt;
    const Output square = axes ? deviation->variance.node->input(0) : Output{};
    const Output x = square ? under_square(square) : Output{};
    if (!x || x.type() != ElementType::f32) {
        return std::nullopt;
    }
    deviation->nodes.push_back(deviation->variance.node);
    deviation->nodes.push_back(square.node);
    return Norm{x, std::move(*deviation), std::move(*axes)};
}

Output make_norm(const Norm& norm, const Node& last, const std::string& name) {
    Model& model = last.model();
    MvnAttrs attrs;
    attrs.eps = static_cast<float>(norm.deviation.eps);
    attrs.eps_mode = norm.deviation.mode;
    attrs.keep_mean = true;
    const Output axes =
        make_constant(model, name + "/axes", Tensor::of(Shape{norm.axes.size()}, norm.axes));
    Node* mvn = model.add("MVN", 6, name, {norm.x, axes}, attrs);
    mvn->origins = origins_of(last);
    for (const Node* node : norm.deviation.nodes) {
        add_origins(*mvn, *node);
    }
    return mvn->output();
}

// A norm of `x` that `last` may be replaced by.
bool takes(const std::optional<Norm>& norm,
           const Output& x,
           const Node& last,
           PassContext& context) {
    if (!norm || norm->x != x) {
        return false;
    }
    if (!are_last(norm->axes, x.partial_shape().rank())) {
        context.refused(kName, last, "inner_axes", "the mean is not over the last dimensions");
        return false;
    }
    return true;
}

// x / deviation.
bool fuse_quotient(Node& node, PassContext& context) {
    const auto norm = norm_of(match_deviation(node.input(1)));
    if (!takes(norm, node.input(0), node, context)) {
        return false;
    }
    redirect(node.output(), make_norm(*norm, node, node.name()));
    return true;
}

// x * inverse, or x * (inverse * g).
bool fuse_product(Node& node, PassContext& context) {
    for (const std::size_t i : {0, 1}) {
        const Output x = node.input(i);
        const Output factor = node.input(1 - i);
        if (const auto norm = norm_of(match_inverse_deviation(factor));
            takes(norm, x, node, context)) {
            redirect(node.output(), make_norm(*norm, node, node.name()));
            return true;
        }
        for (const std::size_t j : {0, 1}) {
            if (!factor.node->is("Multiply")) {
                break;
            }
            auto norm = norm_of(match_inverse_deviation(factor.node->input(j)));
            if (!takes(norm, x, node, context)) {
                continue;
            }
            norm->deviation.nodes.push_back(factor.node);
            const Output result = make_norm(*norm, node, node.name() + "/norm");
            Node* product = node.model().add("Multiply", 1, node.name(),
                                             {result, factor.node->input(1 - j)}, BinaryAttrs{});
            product->origins = origins_of(node);
            redirect(node.output(), product->output());
            return true;
        }
    }
    return false;
}

bool run(Model& model, PassContext& context) {
    bool changed = false;
    for (Node* node : model.ordered_nodes()) {
        const bool candidate =
            is_one_of(*node, {"Divide", "Multiply"}) && node->port().type == ElementType::f32;
        if (candidate &&
            (node->is("Divide") ? fuse_quotient(*node, context) : fuse_product(*node, context))) {
            context.rewritten(kName, *node);
            changed = true;
        }
    }
    return changed;
}

}  // namespace
}  // namespace fuse_rms_norm_pass

bool fuse_rms_norm(Model& model, PassContext& context) {
    return fuse_rms_norm_pass::run(model, context);
}

}  // namespace fuseq
