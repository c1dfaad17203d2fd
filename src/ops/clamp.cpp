// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/clamp.hpp"

#include <cmath>
#include <limits>

#include "ops/op_list.hpp"
#include "ops/unary_elementwise.hpp"

namespace fuseq::clamp_ops {
namespace {

void infer(InferContext& context) {
    const auto& attrs = context.attrs<ClampAttrs>();
    context.require(attrs.min <= attrs.max, "min is ", attrs.min, ", max ", attrs.max,
                    ", expected min <= max");
    infer_numeric_unary(context);
}

// The limit as a value of type T; what lies outside T's range becomes its nearest value.
template <class T>
T limit(double value) {
    T result{};
    convert_values(ElementType::f64, &value, element_type_of<T>(), &result, 1);
    return result;
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<ClampAttrs>();
    evaluate_unary(context, [&]<class T>(T x) {
        // Only whole numbers lie between the limits of integers.
        const bool whole = std::is_integral_v<T>;
        const T low = limit<T>(whole ? std::ceil(double{attrs.min}) : double{attrs.min});
        const T high = limit<T>(whole ? std::floor(double{attrs.max}) : double{attrs.max});
        return x < low ? low : high < x ? high : x;
    });
}

const OpSpec kOps[] = {
    {.type = "Clamp",
     .version = 1,
     .inputs = {1, 1},
     .make_attributes = make_attributes<ClampAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "min(max(x, min), max)",
     .refused = "min above max"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::clamp_ops
