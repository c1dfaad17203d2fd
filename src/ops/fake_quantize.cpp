// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/fake_quantize.hpp"

#include <algorithm>
#include <cmath>

#include "model/typed.hpp"
#include "ops/op_list.hpp"

namespace fuseq {

double fake_quantize(double x, double il, double ih, double ol, double oh, std::int64_t levels) {
    if (x <= std::min(il, ih)) {
        return ol;
    }
    if (x > std::max(il, ih)) {
        return oh;
    }
    const auto steps = static_cast<double>(levels - 1);
    // nearbyint rounds half to even in the default rounding mode.
    return std::nearbyint((x - il) / (ih - il) * steps) / steps * (oh - ol) + ol;
}

}  // namespace fuseq

namespace fuseq::fake_quantize_ops {
namespace {

void infer(InferContext& context) {
    const auto& attrs = context.attrs<FakeQuantizeAttrs>();
    context.require(attrs.levels >= 2, "levels is ", attrs.levels, ", expected 2 or more");
    context.require(is_real(context.type(0)), "input is ", to_string(context.type(0)),
                    ", expected a real type");
    static constexpr const char* kNames[] = {"", "input_low", "input_high", "output_low",
                                             "output_high"};
    const PartialShape& shape = context.shape(0);
    for (std::size_t i = 1; i < 5; ++i) {
        context.require_same_type(i, 0);
        const PartialShape both =
            broadcast_shapes(context, shape, context.shape(i), attrs.auto_broadcast);
        context.require(both.compatible(shape), kNames[i], " has shape ",
                        to_string(context.shape(i)), ", expected one that broadcasts to ",
                        to_string(shape));
    }
    const bool typed = attrs.output_type != ElementType::undefined;
    context.set_output(0, typed ? attrs.output_type : context.type(0), shape);
}

template <class T>
void run(EvalContext& context) {
    const auto& attrs = context.attrs<FakeQuantizeAttrs>();
    const Tensor& in = context.input(0);
    const Shape& shape = in.get_shape();
    std::vector<std::vector<std::size_t>> strides;
    const float* limits[4];
    for (std::size_t i = 0; i < 4; ++i) {
        strides.push_back(broadcast_strides(context.input(i + 1).get_shape(), shape));
        limits[i] = context.input(i + 1).data<float>();
    }
    const float* src = in.data<float>();
    T* dst = context.output(0, shape).data<T>();
    for (StridedLoop loop(shape, strides); !loop.done(); loop.next()) {
        const double value = fake_quantize(src[loop.position()], limits[0][loop.offset(0)],
                                           limits[1][loop.offset(1)], limits[2][loop.offset(2)],
                                           limits[3][loop.offset(3)], attrs.levels);
        if constexpr (std::is_integral_v<T>) {
            dst[loop.position()] = static_cast<T>(std::nearbyint(value));
        } else {
            dst[loop.position()] = static_cast<T>(value);
        }
    }
}

void evaluate(EvalContext& context) {
    switch (context.output_type()) {
        case ElementType::f32: return run<float>(context);
        case ElementType::u8: return run<std::uint8_t>(context);
        case ElementType::i8: return run<std::int8_t>(context);
        case ElementType::i32: return run<std::int32_t>(context);
        default: context.fail("no kernel for output type ", to_string(context.output_type()));
    }
}

const OpSpec kOps[] = {
    {.type = "FakeQuantize",
     .version = 1,
     .inputs = {5, 5},
     .make_attributes = make_attributes<FakeQuantizeAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Quantizes to `levels` values and back",
     .refused = "levels below 2"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::fake_quantize_ops
