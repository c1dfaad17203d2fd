// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes batch normalisation by constants as a Multiply and an Add.
//
//   Law:     gamma * (x - mean) / sqrt(variance + epsilon) + beta = x * a + b with
//            a = gamma / sqrt(variance + epsilon), b = beta - mean * a; computed in double.
//   Before:  BatchNormInference(x, Const gamma, beta, mean, variance)
//   After:   Multiply(x, Const [1, C, 1, 1]) -> Add(Const [1, C, 1, 1])
//   Refuses: parameters that are computed (parameters_not_constant), a result that is not finite
//            (not_finite).
//   Source:  Ioffe and Szegedy, Batch Normalization, algorithm 2.
#include "transformations/common/decompose_batch_norm.hpp"

#include <cmath>

#include "ops/batch_norm_inference.hpp"
#include "ops/binary_arithmetic.hpp"
#include "ops/op_spec.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace decompose_batch_norm_pass {
namespace {

constexpr std::string_view kName = "decompose_batch_norm";

struct Line {  // x * a + b
    std::vector<float> a;
    std::vector<float> b;
};

// Nothing when a parameter is computed.
std::optional<Line> line_of(const Node& node, const BatchNormPorts& ports) {
    std::vector<std::vector<float>> values;
    for (const std::size_t port : {ports.gamma, ports.beta, ports.mean, ports.variance}) {
        const auto value = evaluate_constant(node.input(port));
        if (!value) {
            return std::nullopt;
        }
        values.push_back(to_floats(*value));
    }
    const double epsilon = node.attrs<BatchNormInferenceAttrs>().epsilon;
    Line line;
    for (std::size_t c = 0; c < values[0].size(); ++c) {
        const double a = values[0][c] / std::sqrt(values[3][c] + epsilon);
        line.a.push_back(static_cast<float>(a));
        line.b.push_back(static_cast<float>(values[1][c] - values[2][c] * a));
    }
    return line;
}

bool all_finite(const Line& line) {
    for (std::size_t c = 0; c < line.a.size(); ++c) {
        if (!std::isfinite(line.a[c]) || !std::isfinite(line.b[c])) {
            return false;
        }
    }
    return true;
}

bool decompose(Node& node, PassContext& context) {
    const BatchNormPorts ports =
        batch_norm_ports(node.spec().version, node.input(0).partial_shape());
    const Output data = node.input(ports.data);
    const auto line = line_of(node, ports);
    if (!line || !data.partial_shape().rank_is_static()) {
        context.refused(kName, node, "parameters_not_constant", "a parameter is computed");
        return false;
    }
    if (!all_finite(*line)) {
        context.refused(kName, node, "not_finite", "a factor or a summand is not finite");
        return false;
    }
    Model& model = node.model();
    const std::size_t rank = data.partial_shape().rank();
    const Output a =
        make_constant(model, node.name() + "/factor", ChannelValues(line->a, 1).to_tensor(rank));
    const Output b =
        make_constant(model, node.name() + "/summand", ChannelValues(line->b, 1).to_tensor(rank));
    Node* multiply = model.add("Multiply", 1, node.name() + "/multiply", {data, a}, BinaryAttrs{});
    Node* add = model.add("Add", 1, node.name(), {multiply->output(), b}, BinaryAttrs{});
    multiply->origins = origins_of(node);
    add->origins = origins_of(node);
    redirect(node.output(), add->output());
    return true;
}

bool run(Model& model, PassContext& context) {
    bool changed = false;
    for (Node* node : model.find_all("BatchNormInference")) {
        const bool known =
            node->port().type == ElementType::f32 && node->port().shape.rank_is_static();
        if (known && decompose(*node, context)) {
            context.rewritten(kName, *node);
            changed = true;
        }
    }
    return changed;
}

}  // namespace
}  // namespace decompose_batch_norm_pass

bool decompose_batch_norm(Model& model, PassContext& context) {
    return decompose_batch_norm_pass::run(model, context);
}

}  // namespace fuseq
