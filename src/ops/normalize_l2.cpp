// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/normalize_l2.hpp"

#include <algorithm>
#include <cmath>

#include "ops/axis_groups.hpp"
#include "ops/broadcast.hpp"
#include "ops/op_list.hpp"

namespace fuseq::normalize_l2_ops {
namespace {

void infer(InferContext& context) {
    const auto& attrs = context.attrs<NormalizeL2Attrs>();
    context.require(std::isfinite(attrs.eps) && attrs.eps >= 0, "eps is ", attrs.eps,
                    ", expected 0 or more");
    require_real(context, 0, "input");
    check_axes_input(context, 1);
    context.set_output(0, context.type(0), context.shape(0));
}

void infer_grn(InferContext& context) {
    const auto& attrs = context.attrs<GrnAttrs>();
    context.require(std::isfinite(attrs.bias) && attrs.bias >= 0, "bias is ", attrs.bias,
                    ", expected 0 or more");
    require_real(context, 0, "input");
    const PartialShape& shape = context.shape(0);
    context.require(!shape.rank_is_static() || (shape.rank() >= 2 && shape.rank() <= 4),
                    "input has shape ", to_string(shape), ", expected rank 2 to 4");
    context.set_output(0, context.type(0), shape);
}

struct Divisor {
    double eps;
    L2EpsMode mode;
    double operator()(double sum) const {
        return std::sqrt(mode == L2EpsMode::kAdd ? sum + eps : std::max(sum, eps));
    }
};

void run(EvalContext& context, const std::vector<std::int64_t>& axes, const Divisor& divisor) {
    const Tensor& in = context.input(0);
    const Shape& shape = in.get_shape();
    const AxisGroups groups = axis_groups(context, shape, axes);
    Tensor& output = context.output(0, shape);
    dispatch_real(context, in.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        const T* src = in.data<T>();
        T* dst = output.data<T>();
        std::vector<double> sums(groups.count, 0);
        for (StridedLoop loop(shape, {groups.strides}); !loop.done(); loop.next()) {
            const auto x = static_cast<double>(src[loop.position()]);
            sums[loop.offset(0)] += x * x;
        }
        for (StridedLoop loop(shape, {groups.strides}); !loop.done(); loop.next()) {
            dst[loop.position()] = static_cast<T>(static_cast<double>(src[loop.position()]) /
                                                  divisor(sums[loop.offset(0)]));
        }
    });
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<NormalizeL2Attrs>();
    run(context, to_ints(context.input(1)), {static_cast<double>(attrs.eps), attrs.eps_mode});
}

void evaluate_grn(EvalContext& context) {
    const auto& attrs = context.attrs<GrnAttrs>();
    run(context, {1}, {static_cast<double>(attrs.bias), L2EpsMode::kAdd});
}

const OpSpec kOps[] = {
    {.type = "NormalizeL2",
     .version = 1,
     .inputs = {2, 2},
     .make_attributes = make_attributes<NormalizeL2Attrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Divides by the Euclidean length over the axes",
     .refused = "negative eps"},
    {.type = "GRN",
     .version = 1,
     .inputs = {1, 1},
     .make_attributes = make_attributes<GrnAttrs>,
     .infer = infer_grn,
     .evaluate = evaluate_grn,
     .summary = "Divides by the Euclidean length over the channels",
     .refused = "negative bias"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::normalize_l2_ops
