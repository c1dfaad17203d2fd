// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Range-1 and -4: start, start + step, ... as long as stop is not reached. Where the output is of
// an integer type, real bounds are truncated first.
#include "ops/range.hpp"

#include <cmath>

#include "model/typed.hpp"
#include "ops/op_list.hpp"

namespace fuseq::range_ops {
namespace {

constexpr std::size_t kLongest = std::size_t{1} << 28;

struct Bounds {
    double start, stop, step;
};

template <class Context>
double single(const Context& context, const Tensor& tensor, const char* what) {
    context.require(tensor.get_size() == 1, what, " has ", tensor.get_size(),
                    " values, expected 1");
    return is_integral(tensor.get_element_type()) ? static_cast<double>(to_ints(tensor)[0])
                                                  : tensor.to(ElementType::f64).data<double>()[0];
}

template <class Context>
Bounds bounds_of(const Context& context, const Tensor (&inputs)[3], ElementType type) {
    Bounds bounds{single(context, inputs[0], "start"), single(context, inputs[1], "stop"),
                  single(context, inputs[2], "step")};
    if (is_integral(type)) {
        bounds = {std::trunc(bounds.start), std::trunc(bounds.stop), std::trunc(bounds.step)};
    }
    return bounds;
}

template <class Context>
std::size_t length_of(const Context& context, const Bounds& bounds) {
    context.require(std::isfinite(bounds.start) && std::isfinite(bounds.stop) &&
                        std::isfinite(bounds.step) && bounds.step != 0,
                    "start ", bounds.start, ", stop ", bounds.stop, ", step ", bounds.step,
                    " make no range: expected finite values and a step other than 0");
    const double count = std::ceil((bounds.stop - bounds.start) / bounds.step);
    context.require(count <= static_cast<double>(kLongest), "start ", bounds.start, ", stop ",
                    bounds.stop, ", step ", bounds.step, " make ", count, " values, at most ",
                    kLongest, " are allowed");
    return count <= 0 ? 0 : static_cast<std::size_t>(count);
}

void infer(InferContext& context) {
    ElementType type = context.type(0);
    static constexpr const char* kNames[] = {"start", "stop", "step"};
    for (std::size_t i = 0; i < 3; ++i) {
        const ElementType in = context.type(i);
        context.require(is_real(in) || is_integral(in), kNames[i], " is ", to_string(in),
                        ", expected a numeric type");
    }
    if (context.node().spec().version == 1) {
        context.require_same_type(0, 1);
        context.require_same_type(0, 2);
    } else {
        type = context.attrs<RangeAttrs>().output_type;
        context.require(is_real(type) || is_integral(type), "output_type is ", to_string(type),
                        ", expected a numeric type");
    }
    const auto start = context.value(0);
    const auto stop = context.value(1);
    const auto step = context.value(2);
    if (!start || !stop || !step) {
        context.set_output(0, type, PartialShape::dynamic(1));
        return;
    }
    const Tensor inputs[3] = {*start, *stop, *step};
    context.set_output(0, type, Shape{length_of(context, bounds_of(context, inputs, type))});
}

void evaluate(EvalContext& context) {
    const Tensor inputs[3] = {context.input(0), context.input(1), context.input(2)};
    const Bounds bounds = bounds_of(context, inputs, context.output_type());
    const std::size_t count = length_of(context, bounds);
    Tensor& out = context.output(0, Shape{count});
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = bounds.start + static_cast<double>(i) * bounds.step;
    }
    convert_values(ElementType::f64, values.data(), out.get_element_type(), out.data(), count);
}

const OpSpec kOps[] = {
    {.type = "Range",
     .version = 1,
     .inputs = {3, 3},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "start, start + step, ... up to stop",
     .refused = "a step of 0; more than 2^28 values"},
    {.type = "Range",
     .version = 4,
     .inputs = {3, 3},
     .make_attributes = make_attributes<RangeAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Range-1 with the output type as an attribute",
     .refused = "a step of 0; more than 2^28 values"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::range_ops
