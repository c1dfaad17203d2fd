// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/batch_norm_inference.hpp"

#include <cmath>

#include "ops/axis_groups.hpp"
#include "ops/op_list.hpp"

namespace fuseq::batch_norm_inference_ops {
namespace {

void infer(InferContext& context) {
    const auto& attrs = context.attrs<BatchNormInferenceAttrs>();
    context.require(std::isfinite(attrs.epsilon) && attrs.epsilon >= 0, "epsilon is ",
                    attrs.epsilon, ", expected 0 or more");
    const int version = context.node().spec().version;
    if (version < 5 && !context.shape(0).rank_is_static()) {
        // Not known yet which input holds the data.
        context.set_output(0, context.type(0), PartialShape::dynamic());
        return;
    }
    const BatchNormPorts ports = batch_norm_ports(version, context.shape(0));
    require_real(context, ports.data, "input");
    PartialShape shape = context.shape(ports.data);
    context.require(!shape.rank_is_static() || shape.rank() >= 2, "input has shape ",
                    to_string(shape), ", expected rank 2 or more");
    for (const std::size_t i : {ports.gamma, ports.beta, ports.mean, ports.variance}) {
        context.require_same_type(i, ports.data);
        const PartialShape& vector = context.shape(i);
        if (!vector.rank_is_static()) {
            continue;
        }
        const bool fits =
            vector.rank() == 1 && (!shape.rank_is_static() || vector[0].compatible(shape[1]));
        context.require(fits, "input ", i, " has shape ", to_string(vector),
                        ", expected one value a channel of ", to_string(shape));
        if (shape.rank_is_static()) {
            Dimension::merge(shape[1], shape[1], vector[0]);
        }
    }
    context.set_output(0, context.type(ports.data), shape);
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<BatchNormInferenceAttrs>();
    const BatchNormPorts ports =
        batch_norm_ports(context.node().spec().version, context.input(0).get_shape());
    const Tensor& in = context.input(ports.data);
    const Shape& shape = in.get_shape();
    context.require(shape.size() >= 2, "input has shape ", to_string(shape),
                    ", expected rank 2 or more");
    for (const std::size_t i : {ports.gamma, ports.beta, ports.mean, ports.variance}) {
        context.require(context.input(i).get_size() == shape[1], "input ", i, " has ",
                        context.input(i).get_size(), " values for ", shape[1], " channels");
    }
    Tensor& output = context.output(0, shape);
    const std::size_t inner = in.get_size() == 0 ? 1 : in.get_size() / (shape[0] * shape[1]);
    dispatch_real(context, in.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        const T* src = in.data<T>();
        T* dst = output.data<T>();
        const T* gamma = context.input(ports.gamma).data<T>();
        const T* beta = context.input(ports.beta).data<T>();
        const T* mean = context.input(ports.mean).data<T>();
        const T* variance = context.input(ports.variance).data<T>();
        for (std::size_t i = 0; i < in.get_size(); ++i) {
            const std::size_t c = i / inner % shape[1];
            const double deviation =
                std::sqrt(static_cast<double>(variance[c]) + static_cast<double>(attrs.epsilon));
            dst[i] = static_cast<T>((static_cast<double>(src[i]) - static_cast<double>(mean[c])) /
                                        deviation * static_cast<double>(gamma[c]) +
                                    static_cast<double>(beta[c]));
        }
    });
}

OpSpec row(int version, std::string_view summary) {
    return {.type = "BatchNormInference",
            .version = version,
            .inputs = {5, 5},
            .make_attributes = make_attributes<BatchNormInferenceAttrs>,
            .infer = infer,
            .evaluate = evaluate,
            .summary = summary,
            .refused = "negative epsilon"};
}

const OpSpec kOps[] = {
    row(1, "(x - mean) / sqrt(variance + epsilon) * gamma + beta; the data is input 0 or 2"),
    row(5, "The same; the data is input 0"),
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::batch_norm_inference_ops

namespace fuseq {

BatchNormPorts batch_norm_ports(int version, const PartialShape& first) {
    if (version < 5 && first.rank_is_static() && first.rank() == 1) {
        return {.data = 2, .gamma = 0, .beta = 1};
    }
    return {};
}

}  // namespace fuseq
