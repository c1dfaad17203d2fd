// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// SoftMax-1 and -8: exp(x) / sum(exp(x)) along an axis. LogSoftmax-5: its logarithm.
#include "ops/softmax.hpp"

#include <algorithm>
#include <cmath>

#include "model/typed.hpp"
#include "ops/axes.hpp"
#include "ops/op_list.hpp"

namespace fuseq::softmax_ops {
namespace {

template <class Context>
std::size_t axis_of(const Context& context, std::size_t rank) {
    const std::int64_t axis = context.template attrs<SoftmaxAttrs>().axis;
    const bool from_front = context.node().is("SoftMax") && context.node().spec().version == 1;
    context.require(!from_front || axis >= 0, "axis is ", axis, ", expected 0 or more");
    return checked_axis(context, axis, rank);
}

void infer(InferContext& context) {
    context.require(is_real(context.type(0)), "input is ", to_string(context.type(0)),
                    ", expected a real type");
    if (context.shape(0).rank_is_static()) {
        axis_of(context, context.shape(0).rank());
    }
    context.set_output(0, context.type(0), context.shape(0));
}

template <class T>
void run_line(const T* x, T* y, std::size_t count, std::size_t stride, bool logarithm) {
    double largest = static_cast<double>(x[0]);
    for (std::size_t i = 1; i < count; ++i) {
        largest = std::max(largest, static_cast<double>(x[i * stride]));
    }
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
        sum += std::exp(static_cast<double>(x[i * stride]) - largest);
    }
    const double log_sum = std::log(sum);
    for (std::size_t i = 0; i < count; ++i) {
        const double shifted = static_cast<double>(x[i * stride]) - largest;
        y[i * stride] = static_cast<T>(logarithm ? shifted - log_sum : std::exp(shifted) / sum);
    }
}

void evaluate(EvalContext& context) {
    const Tensor& in = context.input(0);
    const Shape& shape = in.get_shape();
    const std::size_t axis = axis_of(context, shape.size());
    Tensor& out = context.output(0, shape);
    const bool logarithm = context.node().is("LogSoftmax");
    std::size_t inner = 1;
    for (std::size_t d = axis + 1; d < shape.size(); ++d) {
        inner *= shape[d];
    }
    const std::size_t block = inner * shape[axis];
    dispatch_numeric(in.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        for (std::size_t first = 0; first < in.get_size(); first += block) {
            for (std::size_t i = 0; i < inner; ++i) {
                run_line(in.data<T>() + first + i, out.data<T>() + first + i, shape[axis], inner,
                         logarithm);
            }
        }
    });
}

OpSpec row(std::string_view type, int version, std::string_view summary) {
    return {.type = type,
            .version = version,
            .inputs = {1, 1},
            .make_attributes = make_attributes<SoftmaxAttrs>,
            .infer = infer,
            .evaluate = evaluate,
            .summary = summary};
}

const OpSpec kOps[] = {
    row("SoftMax", 1, "exp(x) / sum(exp(x)) along an axis"),
    row("SoftMax", 8, "SoftMax-1 with an axis that may count from the end"),
    row("LogSoftmax", 5, "Logarithm of SoftMax"),
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::softmax_ops
