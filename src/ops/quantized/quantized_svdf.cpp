// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedSvdf, as TFLite's EvalIntegerSVDF. A step forgets the oldest feature of each filter:
//
//   state = [state[1:], sat16(D2(features (x - zx), feature_scale))]
//   y     = sat8(D2(sum over rank and steps of time * state + bias, time_scale) + zy)
#include "ops/quantized/quantized_svdf.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "ops/op_list.hpp"
#include "ops/op_spec.hpp"
#include "ops/quantized/rules/d2.hpp"

namespace fuseq::quantized_svdf_ops {
namespace {

enum SvdfPort : std::size_t { kX, kState, kFeatures, kTime, kBias };

void require_shape(const InferContext& context, std::size_t i, const PartialShape& expected) {
    context.require(context.shape(i).compatible(expected), "input ", i, " has shape ",
                    to_string(context.shape(i)), ", expected ", to_string(expected));
}

Dimension dimension(const PartialShape& shape, std::size_t axis) {
    return shape.rank_is_static() && axis < shape.size() ? shape[axis] : Dimension::dynamic();
}

// a * b where both are known.
Dimension product(const Dimension& a, const Dimension& b) {
    return a.is_static() && b.is_static() ? Dimension(a.get_length() * b.get_length())
                                          : Dimension::dynamic();
}

void check_attributes(const InferContext& context, const QuantizedSvdfAttrs& attrs) {
    for (const float scale : {attrs.feature_scale, attrs.time_scale}) {
        context.require(std::isfinite(scale) && scale > 0, "a scale is ", scale,
                        ", expected a finite value above 0");
    }
    for (const std::int64_t zero : {attrs.input_zero_point, attrs.output_zero_point}) {
        context.require(zero >= -128 && zero <= 127, "a zero point is ", zero,
                        ", which is outside of i8");
    }
}

void infer(InferContext& context) {
    const auto& attrs = context.attrs<QuantizedSvdfAttrs>();
    constexpr ElementType kTypes[] = {ElementType::i8, ElementType::i16, ElementType::i8,
                                      ElementType::i16, ElementType::i32};
    for (std::size_t i = 0; i < context.input_count(); ++i) {
        context.require(context.type(i) == kTypes[i], "input ", i, " is ",
                        to_string(context.type(i)), ", expected ", to_string(kTypes[i]));
    }
    check_attributes(context, attrs);
    require_shape(context, kX, PartialShape::dynamic(2));
    require_shape(context, kTime, PartialShape::dynamic(2));
    const Dimension batch = dimension(context.shape(kX), 0);
    const Dimension filters = dimension(context.shape(kTime), 0);
    const Dimension memory = dimension(context.shape(kTime), 1);
    context.require(!memory.is_static() || memory.get_length() >= 1,
                    "the filters reach over no step");
    Dimension units = Dimension::dynamic();
    if (filters.is_static()) {
        context.require(attrs.rank >= 1 && filters.get_length() % attrs.rank == 0, "rank is ",
                        attrs.rank, ", there are ", filters.get_length(), " filters");
        units = Dimension(filters.get_length() / attrs.rank);
    }
    require_shape(context, kFeatures, {filters, dimension(context.shape(kX), 1)});
    require_shape(context, kState, {batch, product(filters, memory)});
    if (context.has_input(kBias)) {
        require_shape(context, kBias, {units});
    }
    context.set_output_count(2);
    context.set_output(0, ElementType::i8, {batch, units});
    context.set_output(1, ElementType::i16, {batch, product(filters, memory)});
}

// Sums of 32 bits that wrap, as TFLite's do on x86.
template <class A, class B>
std::uint32_t dot(const A* a, const B* b, std::size_t count, std::int32_t zero) {
    std::uint32_t sum = 0;
    for (std::size_t k = 0; k < count; ++k) {
        sum += static_cast<std::uint32_t>(static_cast<std::int32_t>(a[k]) *
                                          (static_cast<std::int32_t>(b[k]) - zero));
    }
    return sum;
}

struct Sizes {
    std::size_t inputs;
    std::size_t filters;
    std::size_t memory;
    std::size_t rank;
};

class Svdf {
public:
    Svdf(const EvalContext& context, const QuantizedSvdfAttrs& attrs, const Sizes& sizes)
        : attrs_(attrs),
          sizes_(sizes),
          features_(context.input(kFeatures).values<std::int8_t>()),
          time_(context.input(kTime).values<std::int16_t>()),
          to_state_(rules::quantize_multiplier(attrs.feature_scale)),
          to_output_(rules::quantize_multiplier(attrs.time_scale)) {
        if (context.has_input(kBias)) {
            bias_ = context.input(kBias).values<std::int32_t>();
        }
    }

    // One item of the batch; `state` is read and written.
    void step(const std::int8_t* x, std::int16_t* state, std::int8_t* y) const {
        const auto zero = static_cast<std::int32_t>(attrs_.input_zero_point);
        for (std::size_t f = 0; f < sizes_.filters; ++f) {
            std::int16_t* steps = state + f * sizes_.memory;
            std::copy(steps + 1, steps + sizes_.memory, steps);
            const std::uint32_t sum =
                dot(features_.data() + f * sizes_.inputs, x, sizes_.inputs, zero);
            steps[sizes_.memory - 1] =
                saturated<std::int16_t>(rules::d2(static_cast<std::int32_t>(sum), to_state_));
        }
        for (std::size_t unit = 0; unit * sizes_.rank < sizes_.filters; ++unit) {
            const std::size_t first = unit * sizes_.rank * sizes_.memory;
            std::uint32_t sum =
                dot(time_.data() + first, state + first, sizes_.rank * sizes_.memory, 0);
            sum += bias_.empty() ? 0U : static_cast<std::uint32_t>(bias_[unit]);
            y[unit] = saturated<std::int8_t>(
                static_cast<std::int64_t>(rules::d2(static_cast<std::int32_t>(sum), to_output_)) +
                attrs_.output_zero_point);
        }
    }

private:
    template <class T>
    static T saturated(std::int64_t value) {
        return static_cast<T>(std::clamp<std::int64_t>(value, std::numeric_limits<T>::min(),
                                                       std::numeric_limits<T>::max()));
    }

    const QuantizedSvdfAttrs& attrs_;
    Sizes sizes_;
    std::span<const std::int8_t> features_;
    std::span<const std::int16_t> time_;
    std::span<const std::int32_t> bias_;
    rules::QuantizedMultiplier to_state_;
    rules::QuantizedMultiplier to_output_;
};

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<QuantizedSvdfAttrs>();
    const Shape& x = context.input(kX).get_shape();
    const Shape& time = context.input(kTime).get_shape();
    const Sizes sizes{x[1], time[0], time[1], static_cast<std::size_t>(attrs.rank)};
    const Svdf svdf(context, attrs, sizes);
    const std::size_t units = sizes.filters / sizes.rank;
    const std::size_t places = sizes.filters * sizes.memory;
    auto* y = context.output(0, Shape{x[0], units}).data<std::int8_t>();
    auto* state = context.output(1, Shape{x[0], places}).data<std::int16_t>();
    std::copy_n(context.input(kState).data<std::int16_t>(), x[0] * places, state);
    for (std::size_t n = 0; n < x[0]; ++n) {
        svdf.step(context.input(kX).data<std::int8_t>() + n * sizes.inputs, state + n * places,
                  y + n * units);
    }
}

const OpSpec kOps[] = {
    {.type = "QuantizedSvdf",
     .version = 1,
     .inputs = {4, 5},
     .make_attributes = make_attributes<QuantizedSvdfAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "SVDF of integers, as TFLite computes it",
     .own_set = true},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::quantized_svdf_ops
