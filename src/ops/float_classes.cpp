// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// IsFinite, IsInf, IsNaN and SoftSign: element-wise operations on real tensors.
#include "ops/float_classes.hpp"

#include <algorithm>
#include <cmath>

#include "ops/axis_groups.hpp"
#include "ops/op_list.hpp"

namespace fuseq::float_classes_ops {
namespace {

void infer_class(InferContext& context) {
    require_real(context, 0, "input");
    context.set_output(0, ElementType::boolean, context.shape(0));
}

void infer_same(InferContext& context) {
    require_real(context, 0, "input");
    context.set_output(0, context.type(0), context.shape(0));
}

template <class Function>
void classify(EvalContext& context, Function function) {
    const Tensor& in = context.input(0);
    bool* out = context.output(0, in.get_shape()).data<bool>();
    dispatch_real(context, in.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        std::transform(in.data<T>(), in.data<T>() + in.get_size(), out,
                       [&](T x) { return function(static_cast<double>(x)); });
    });
}

void is_finite(EvalContext& context) {
    classify(context, [](double x) { return std::isfinite(x); });
}

void is_nan(EvalContext& context) {
    classify(context, [](double x) { return std::isnan(x); });
}

void is_inf(EvalContext& context) {
    const auto& attrs = context.attrs<IsInfAttrs>();
    classify(context, [&](double x) {
        return std::isinf(x) && (x > 0 ? attrs.detect_positive : attrs.detect_negative);
    });
}

void soft_sign(EvalContext& context) {
    const Tensor& in = context.input(0);
    Tensor& out = context.output(0, in.get_shape());
    dispatch_real(context, in.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        std::transform(in.data<T>(), in.data<T>() + in.get_size(), out.data<T>(),
                       [](T x) { return x / (T{1} + std::abs(x)); });
    });
}

const OpSpec kOps[] = {
    {.type = "IsFinite",
     .version = 10,
     .inputs = {1, 1},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer_class,
     .evaluate = is_finite,
     .summary = "Neither infinite nor NaN"},
    {.type = "IsInf",
     .version = 10,
     .inputs = {1, 1},
     .make_attributes = make_attributes<IsInfAttrs>,
     .infer = infer_class,
     .evaluate = is_inf,
     .summary = "Infinite, of the signs that are asked for"},
    {.type = "IsNaN",
     .version = 10,
     .inputs = {1, 1},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer_class,
     .evaluate = is_nan,
     .summary = "Not a number"},
    {.type = "SoftSign",
     .version = 9,
     .inputs = {1, 1},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer_same,
     .evaluate = soft_sign,
     .summary = "x / (1 + |x|)"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::float_classes_ops
