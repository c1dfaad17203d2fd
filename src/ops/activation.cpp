// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Activations: real tensors in, the same type and shape out.
#include "ops/activation_functions.hpp"
#include "ops/elu.hpp"
#include "ops/gelu.hpp"
#include "ops/op_list.hpp"
#include "ops/unary_elementwise.hpp"

namespace fuseq::activation_ops {
namespace {

void sigmoid_values(EvalContext& context) {
    evaluate_real(context, activation::sigmoid);
}
void tanh_values(EvalContext& context) {
    evaluate_real(context, [](double x) { return std::tanh(x); });
}
void elu_values(EvalContext& context) {
    const double alpha = context.attrs<EluAttrs>().alpha;
    evaluate_real(context, [&](double x) { return activation::elu(x, alpha); });
}
void hswish_values(EvalContext& context) {
    evaluate_real(context, activation::hswish);
}
void hsigmoid_values(EvalContext& context) {
    evaluate_real(context, activation::hsigmoid);
}
void mish_values(EvalContext& context) {
    evaluate_real(context, activation::mish);
}
void softplus_values(EvalContext& context) {
    evaluate_real(context, activation::softplus);
}
void gelu_2_values(EvalContext& context) {
    evaluate_real(context, activation::gelu_erf);
}
void gelu_7_values(EvalContext& context) {
    const bool tanh = context.attrs<GeluAttrs>().approximation_mode == GeluApproximation::kTanh;
    evaluate_real(context, tanh ? activation::gelu_tanh : activation::gelu_erf);
}

// Selu-1: lambda * elu(x, alpha).
void infer_selu(InferContext& context) {
    infer_real_unary(context);
    require_single(context, 1, "alpha");
    require_single(context, 2, "lambda");
}
void selu_values(EvalContext& context) {
    const double alpha = single_real(context, 1, "alpha");
    const double lambda = single_real(context, 2, "lambda");
    evaluate_real(context, [&](double x) { return lambda * activation::elu(x, alpha); });
}

void infer_hard_sigmoid(InferContext& context) {
    infer_real_unary(context);
    require_single(context, 1, "alpha");
    require_single(context, 2, "beta");
}
void hard_sigmoid_values(EvalContext& context) {
    const double alpha = single_real(context, 1, "alpha");
    const double beta = single_real(context, 2, "beta");
    evaluate_real(context, [&](double x) { return activation::hard_sigmoid(x, alpha, beta); });
}

// Swish-4: x * sigmoid(beta * x); without the input, beta is 1.
void infer_swish(InferContext& context) {
    infer_real_unary(context);
    if (context.has_input(1)) {
        require_single(context, 1, "beta");
    }
}
void swish_values(EvalContext& context) {
    const double beta = context.has_input(1) ? single_real(context, 1, "beta") : 1.0;
    evaluate_real(context, [&](double x) { return activation::swish(x, beta); });
}

OpSpec row(std::string_view type,
           int version,
           std::unique_ptr<Attributes> (*attributes)(),
           void (*evaluate)(EvalContext&),
           std::string_view summary) {
    return {.type = type,
            .version = version,
            .inputs = {1, 1},
            .make_attributes = attributes,
            .infer = infer_real_unary,
            .evaluate = evaluate,
            .summary = summary};
}

OpSpec with_inputs(OpSpec spec, Arity inputs, void (*infer)(InferContext&)) {
    spec.inputs = inputs;
    spec.infer = infer;
    return spec;
}

constexpr auto kNone = make_attributes<NoAttrs>;

const OpSpec kOps[] = {
    row("Sigmoid", 1, kNone, sigmoid_values, "1 / (1 + exp(-x))"),
    row("Tanh", 1, kNone, tanh_values, "tanh(x)"),
    row("Elu", 1, make_attributes<EluAttrs>, elu_values, "x, or alpha * (exp(x) - 1) below zero"),
    row("HSwish", 4, kNone, hswish_values, "x * min(max(x + 3, 0), 6) / 6"),
    row("HSigmoid", 5, kNone, hsigmoid_values, "min(max(x + 3, 0), 6) / 6"),
    row("Mish", 4, kNone, mish_values, "x * tanh(log(1 + exp(x)))"),
    row("SoftPlus", 4, kNone, softplus_values, "log(1 + exp(x))"),
    row("Gelu", 2, kNone, gelu_2_values, "x / 2 * (1 + erf(x / sqrt(2)))"),
    row("Gelu", 7, make_attributes<GeluAttrs>, gelu_7_values, "Gelu-2, or its tanh approximation"),
    with_inputs(row("Selu", 1, kNone, selu_values, "lambda * Elu(x, alpha)"), {3, 3}, infer_selu),
    with_inputs(
        row("HardSigmoid", 1, kNone, hard_sigmoid_values, "min(max(alpha * x + beta, 0), 1)"),
        {3, 3},
        infer_hard_sigmoid),
    with_inputs(
        row("Swish", 4, kNone, swish_values, "x / (1 + exp(-beta * x))"), {1, 2}, infer_swish),
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::activation_ops
