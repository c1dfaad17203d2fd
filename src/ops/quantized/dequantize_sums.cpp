// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// DequantizeSums, made by split_dynamic_products.
#include "ops/quantized/dequantize_sums.hpp"

#include <algorithm>

#include "ops/op_list.hpp"
#include "ops/op_spec.hpp"

namespace fuseq::dequantize_sums_ops {
namespace {

// Columns of dst for so many of src.
template <class Context>
std::size_t channels_of(const Context& context,
                        const DequantizeSumsAttrs& attrs,
                        std::size_t columns) {
    const std::size_t channels = columns - (attrs.weight_shifts.empty() ? 0 : 1);
    context.require(
        channels != 0 && attrs.weight_sums.size() % channels == 0 && !attrs.weight_sums.empty(),
        "weight_sums has ", attrs.weight_sums.size(), " values for ", channels, " channels");
    context.require(attrs.weight_shifts.empty() || attrs.weight_shifts.size() == channels,
                    "weight_shifts has ", attrs.weight_shifts.size(), " values for ", channels,
                    " channels");
    const auto classes = static_cast<std::int64_t>(attrs.weight_sums.size() / channels);
    const auto largest = [](const std::vector<std::int64_t>& list) {
        return list.empty() ? 0 : *std::max_element(list.begin(), list.end());
    };
    context.require(attrs.row_classes.empty() == attrs.column_classes.empty() &&
                        largest(attrs.row_classes) + largest(attrs.column_classes) < classes,
                    "a pixel has class ",
                    largest(attrs.row_classes) + largest(attrs.column_classes), ", of ", classes);
    return channels;
}

std::size_t class_of(const DequantizeSumsAttrs& attrs, std::size_t pixel) {
    if (attrs.row_classes.empty()) {
        return 0;
    }
    const std::size_t width = attrs.column_classes.size();
    const std::int64_t row = attrs.row_classes[pixel / width % attrs.row_classes.size()];
    return static_cast<std::size_t>(row + attrs.column_classes[pixel % width]);
}

void infer(InferContext& context) {
    const auto& attrs = context.attrs<DequantizeSumsAttrs>();
    context.require_type(0, ElementType::f32, "the source");
    context.require_type(2, ElementType::f32, "the scale");
    for (std::size_t i = 3; i < context.input_count(); ++i) {
        context.require_type(i, ElementType::f32, "more sums");
    }
    PartialShape shape = context.shape(0);
    if (shape.rank_is_static()) {
        context.require(shape.rank() >= 1, "the source is a scalar");
        Dimension& last = shape[shape.rank() - 1];
        if (last.is_static()) {
            last = static_cast<std::int64_t>(
                channels_of(context, attrs, static_cast<std::size_t>(last.get_length())));
        }
    }
    context.set_output(0, ElementType::f32, shape);
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<DequantizeSumsAttrs>();
    const Tensor& src = context.input(0);
    Shape shape = src.get_shape();
    context.require(!shape.empty(), "the source is a scalar");
    const std::size_t columns = shape.back();
    const std::size_t channels = channels_of(context, attrs, columns);
    shape.back() = channels;
    const auto zero = static_cast<std::int32_t>(to_ints(context.input(1)).at(0));
    const std::span<const float> scale = context.input(2).values<float>();
    std::vector<std::int32_t> sums(src.get_size(), 0);
    for (std::size_t i = 0; i < context.input_count(); i += i == 0 ? 3 : 1) {
        context.require(context.input(i).get_shape() == src.get_shape(), "more sums have shape ",
                        to_string(context.input(i).get_shape()));
        for (std::size_t k = 0; k < sums.size(); ++k) {
            sums[k] += static_cast<std::int32_t>(context.input(i).data<float>()[k]);
        }
    }
    const std::int32_t* from = sums.data();
    auto* dst = context.output(0, shape).data<float>();
    for (std::size_t r = 0; r < shape_size(shape) / channels; ++r, from += columns) {
        const std::size_t window = class_of(attrs, r);
        for (std::size_t c = 0; c < channels; ++c) {
            std::int32_t sum = from[c] - zero * static_cast<std::int32_t>(
                                                    attrs.weight_sums[window * channels + c]);
            if (!attrs.weight_shifts.empty()) {
                sum += static_cast<std::int32_t>(attrs.weight_shifts[c]) * from[channels];
            }
            *dst++ = static_cast<float>(sum) * scale[scale.size() == 1 ? 0 : c];
        }
    }
}

const OpSpec kOps[] = {
    {.type = "DequantizeSums",
     .version = 1,
     .inputs = {3, 2 + kMaxSumParts},
     .make_attributes = make_attributes<DequantizeSumsAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Sums of a product of integers to real values, by a grid found at run time",
     .internal = true},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::dequantize_sums_ops
