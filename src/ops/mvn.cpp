// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/mvn.hpp"

#include <cmath>

#include "ops/axis_groups.hpp"
#include "ops/broadcast.hpp"
#include "ops/op_list.hpp"

namespace fuseq::mvn_ops {
namespace {

void check_eps(const InferContext& context, float eps) {
    context.require(std::isfinite(eps) && eps >= 0, "eps is ", eps, ", expected 0 or more");
    require_real(context, 0, "input");
}

void infer(InferContext& context) {
    check_eps(context, context.attrs<MvnAttrs>().eps);
    check_axes_input(context, 1);
    context.set_output(0, context.type(0), context.shape(0));
}

void infer_1(InferContext& context) {
    const auto& attrs = context.attrs<Mvn1Attrs>();
    check_eps(context, attrs.eps);
    const PartialShape& shape = context.shape(0);
    if (shape.rank_is_static()) {
        context.require(shape.rank() >= 1, "input is a scalar");
        for (const std::int64_t axis : attrs.reduction_axes) {
            context.normalize_axis(axis, shape.rank(), "reduction_axes");
        }
    }
    context.set_output(0, context.type(0), shape);
}

struct Settings {
    bool normalize_variance;
    double eps;
    EpsMode eps_mode;
    bool keep_mean;
};

template <class T>
void normalize(EvalContext& context, const std::vector<std::int64_t>& axes, const Settings& set) {
    const Tensor& in = context.input(0);
    const Shape& shape = in.get_shape();
    const AxisGroups all = axis_groups(context, shape, axes);
    const std::size_t groups = all.count;
    const T* src = in.data<T>();
    T* dst = context.output(0, shape).template data<T>();
    std::vector<double> mean(groups, 0);
    std::vector<double> variance(groups, 0);
    const auto each = [&](auto&& function) {
        for (StridedLoop loop(shape, {all.strides}); !loop.done(); loop.next()) {
            function(loop.position(), loop.offset(0));
        }
    };
    const double count =
        groups == 0 ? 1 : static_cast<double>(in.get_size()) / static_cast<double>(groups);
    if (!set.keep_mean) {
        each([&](std::size_t i, std::size_t g) { mean[g] += static_cast<double>(src[i]); });
    }
    for (double& m : mean) {
        m /= count;
    }
    if (!set.normalize_variance) {
        each([&](std::size_t i, std::size_t g) {
            dst[i] = static_cast<T>(static_cast<double>(src[i]) - mean[g]);
        });
        return;
    }
    each([&](std::size_t i, std::size_t g) {
        const double d = static_cast<double>(src[i]) - mean[g];
        variance[g] += d * d;
    });
    for (double& v : variance) {
        v = set.eps_mode == EpsMode::kInsideSqrt ? std::sqrt(v / count + set.eps)
                                                 : std::sqrt(v / count) + set.eps;
    }
    each([&](std::size_t i, std::size_t g) {
        dst[i] = static_cast<T>((static_cast<double>(src[i]) - mean[g]) / variance[g]);
    });
}

void run(EvalContext& context, const std::vector<std::int64_t>& axes, const Settings& settings) {
    dispatch_real(context, context.input(0).get_element_type(), [&](auto tag) {
        normalize<typename decltype(tag)::type>(context, axes, settings);
    });
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<MvnAttrs>();
    run(context, to_ints(context.input(1)),
        {attrs.normalize_variance, static_cast<double>(attrs.eps), attrs.eps_mode,
         attrs.keep_mean});
}

void evaluate_1(EvalContext& context) {
    const auto& attrs = context.attrs<Mvn1Attrs>();
    std::vector<std::int64_t> axes = attrs.reduction_axes;
    if (axes.empty()) {
        const auto rank = static_cast<std::int64_t>(context.input(0).get_shape().size());
        for (std::int64_t axis = attrs.across_channels ? 1 : 2; axis < rank; ++axis) {
            axes.push_back(axis);
        }
    }
    run(context, axes,
        {attrs.normalize_variance, static_cast<double>(attrs.eps), EpsMode::kInsideSqrt, false});
}

const OpSpec kOps[] = {
    {.type = "MVN",
     .version = 1,
     .inputs = {1, 1},
     .make_attributes = make_attributes<Mvn1Attrs>,
     .infer = infer_1,
     .evaluate = evaluate_1,
     .summary = "Subtracts the mean of an image and divides by its deviation",
     .refused = "negative eps"},
    {.type = "MVN",
     .version = 6,
     .inputs = {2, 2},
     .make_attributes = make_attributes<MvnAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Subtracts the mean over the axes and divides by the deviation",
     .refused = "negative eps"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::mvn_ops
