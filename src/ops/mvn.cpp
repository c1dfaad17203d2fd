// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/mvn.hpp"

#include <cmath>

#include "ops/broadcast.hpp"
#include "ops/op_list.hpp"

namespace fuseq {
namespace {

void check_eps(const InferContext& context, float eps) {
    context.require(std::isfinite(eps) && eps >= 0, "eps is ", eps, ", expected 0 or more");
    context.require(is_real(context.type(0)), "input is ", to_string(context.type(0)),
                    ", expected a real type");
}

void infer(InferContext& context) {
    check_eps(context, context.attrs<MvnAttrs>().eps);
    context.require(is_integral(context.type(1)), "axes is ", to_string(context.type(1)),
                    ", expected an integer type");
    const PartialShape& shape = context.shape(0);
    if (const auto axes = context.ints(1); axes && shape.rank_is_static()) {
        for (const std::int64_t axis : *axes) {
            context.normalize_axis(axis, shape.rank(), "axes");
        }
    }
    context.set_output(0, context.type(0), shape);
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
};

// Strides with which the positions of `shape` read one value a group of the axes.
std::vector<std::size_t> group_strides(const EvalContext& context,
                                       const Shape& shape,
                                       const std::vector<std::int64_t>& axes,
                                       std::size_t& groups) {
    Shape kept = shape;
    const auto rank = static_cast<std::int64_t>(shape.size());
    for (const std::int64_t axis : axes) {
        context.require(axis >= -rank && axis < rank, "axes has the value ", axis,
                        " for a tensor of rank ", rank);
        kept[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)] = 1;
    }
    groups = shape_size(kept);
    return broadcast_strides(kept, shape);
}

template <class T>
void normalize(EvalContext& context, const std::vector<std::int64_t>& axes, const Settings& set) {
    const Tensor& in = context.input(0);
    const Shape& shape = in.get_shape();
    std::size_t groups = 0;
    const auto strides = group_strides(context, shape, axes, groups);
    const T* src = in.data<T>();
    T* dst = context.output(0, shape).template data<T>();
    std::vector<double> mean(groups, 0);
    std::vector<double> variance(groups, 0);
    const auto each = [&](auto&& function) {
        for (StridedWalk walk(shape, {strides}); !walk.done(); walk.next()) {
            function(walk.position(), walk.offset(0));
        }
    };
    const double count =
        groups == 0 ? 1 : static_cast<double>(in.get_size()) / static_cast<double>(groups);
    each([&](std::size_t i, std::size_t g) { mean[g] += static_cast<double>(src[i]); });
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
    switch (context.input(0).get_element_type()) {
        case ElementType::f32: return normalize<float>(context, axes, settings);
        case ElementType::f64: return normalize<double>(context, axes, settings);
        default:
            context.fail("no kernel for input type ",
                         to_string(context.input(0).get_element_type()));
    }
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<MvnAttrs>();
    run(context, to_ints(context.input(1)),
        {attrs.normalize_variance, static_cast<double>(attrs.eps), attrs.eps_mode});
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
        {attrs.normalize_variance, static_cast<double>(attrs.eps), EpsMode::kInsideSqrt});
}

const OpSpec kOps[] = {
    {.type = "MVN",
     .version = 1,
     .inputs = {1, 1},
     .make_attributes = make_attributes<Mvn1Attrs>,
     .infer = infer_1,
     .evaluate = evaluate_1,
     .summary = "Subtracts the mean of a picture and divides by its deviation",
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

std::span<const OpSpec> mvn_ops() {
    return kOps;
}

}  // namespace fuseq
