// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/detection/region_yolo.hpp"

#include <algorithm>
#include <cmath>

#include "ops/axes.hpp"
#include "ops/axis_groups.hpp"
#include "ops/op_list.hpp"

namespace fuseq::region_yolo_ops {
namespace {

constexpr std::int64_t kLargest = 1 << 20;

std::int64_t regions_of(const RegionYoloAttrs& attrs) {
    return attrs.do_softmax ? attrs.num : static_cast<std::int64_t>(attrs.mask.size());
}

std::int64_t channels_of(const RegionYoloAttrs& attrs) {
    return regions_of(attrs) * (attrs.coords + attrs.classes + 1);
}

void check(const InferContext& context, const RegionYoloAttrs& attrs) {
    context.require(attrs.coords >= 2 && attrs.coords <= kLargest, "coords is ", attrs.coords,
                    ", expected 2 or more");
    context.require(attrs.classes >= 1 && attrs.classes <= kLargest, "classes is ", attrs.classes,
                    ", expected 1 or more");
    context.require(attrs.num >= 1 && attrs.num <= kLargest, "num is ", attrs.num,
                    ", expected 1 or more");
    context.require(attrs.do_softmax || !attrs.mask.empty(), "mask is empty");
    require_real(context, 0, "input");
}

void infer(InferContext& context) {
    const auto& attrs = context.attrs<RegionYoloAttrs>();
    check(context, attrs);
    PartialShape shape = context.shape(0);
    shape = shape.rank_is_static() ? shape : PartialShape::dynamic(4);
    context.require(shape.rank() == 4, "input has shape ", to_string(shape), ", expected rank 4");
    context.require(shape[1].compatible(channels_of(attrs)), "input has shape ", to_string(shape),
                    ", but ", regions_of(attrs), " regions of ", attrs.coords, " coords and ",
                    attrs.classes, " classes need ", channels_of(attrs), " channels");
    shape[1] = channels_of(attrs);
    if (!attrs.do_softmax) {
        context.set_output(0, context.type(0), shape);
        return;
    }
    const std::size_t axis = context.normalize_axis(attrs.axis, 4, "axis");
    const std::size_t end = context.normalize_axis(attrs.end_axis, 4, "end_axis");
    context.require(axis <= end, "axis is ", attrs.axis, ", which stands after end_axis ",
                    attrs.end_axis);
    std::vector<Dimension> dims(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis));
    dims.emplace_back(1);
    for (std::size_t d = axis; d < 4; ++d) {
        if (d <= end) {
            dims.back() = dims.back() * shape[d];
        } else {
            dims.push_back(shape[d]);
        }
    }
    context.set_output(0, context.type(0), PartialShape(std::move(dims)));
}

double sigmoid(double x) {
    return 1.0 / (1.0 + std::exp(-x));
}

// Softmax over `count` values that lie `stride` apart.
template <class T>
void soft_max(T* values, std::size_t count, std::size_t stride) {
    double largest = static_cast<double>(values[0]);
    for (std::size_t i = 1; i < count; ++i) {
        largest = std::max(largest, static_cast<double>(values[i * stride]));
    }
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
        sum += std::exp(static_cast<double>(values[i * stride]) - largest);
    }
    for (std::size_t i = 0; i < count; ++i) {
        T& value = values[i * stride];
        value = static_cast<T>(std::exp(static_cast<double>(value) - largest) / sum);
    }
}

// One region: coords, confidence and classes, each a plane of `area` values.
template <class T>
void activate(T* region, std::size_t area, const RegionYoloAttrs& attrs) {
    const auto coords = static_cast<std::size_t>(attrs.coords);
    const auto classes = static_cast<std::size_t>(attrs.classes);
    const auto squash = [&](std::size_t plane) {
        std::transform(region + plane * area, region + (plane + 1) * area, region + plane * area,
                       [](T x) { return static_cast<T>(sigmoid(static_cast<double>(x))); });
    };
    squash(0);
    squash(1);
    squash(coords);
    for (std::size_t c = 0; !attrs.do_softmax && c < classes; ++c) {
        squash(coords + 1 + c);
    }
    for (std::size_t i = 0; attrs.do_softmax && i < area; ++i) {
        soft_max(region + (coords + 1) * area + i, classes, area);
    }
}

Shape flattened(const EvalContext& context, const Shape& shape) {
    const auto& attrs = context.attrs<RegionYoloAttrs>();
    if (!attrs.do_softmax) {
        return shape;
    }
    const std::size_t axis = wrapped_axis(attrs.axis, 4);
    const std::size_t end = wrapped_axis(attrs.end_axis, 4);
    Shape result(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis));
    result.push_back(1);
    for (std::size_t d = axis; d < 4; ++d) {
        if (d <= end) {
            result.back() *= shape[d];
        } else {
            result.push_back(shape[d]);
        }
    }
    return result;
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<RegionYoloAttrs>();
    const Tensor& in = context.input(0);
    const Shape& shape = in.get_shape();
    const auto channels = static_cast<std::size_t>(channels_of(attrs));
    context.require(shape.size() == 4 && shape[1] == channels, "input has shape ", to_string(shape),
                    ", expected ", channels, " channels");
    Tensor& output = context.output(0, flattened(context, shape));
    const std::size_t area = shape[2] * shape[3];
    const std::size_t planes = channels / static_cast<std::size_t>(regions_of(attrs));
    dispatch_real(context, in.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        T* out = output.data<T>();
        std::copy(in.data<T>(), in.data<T>() + in.get_size(), out);
        for (std::size_t n = 0; n < shape[0] * channels / planes; ++n) {
            activate(out + n * planes * area, area, attrs);
        }
    });
}

// --- ReorgYolo -----------------------------------------------------------------------------------

std::int64_t stride_of(const ReorgYoloAttrs& attrs) {
    return attrs.stride.empty() ? 0 : attrs.stride.front();
}

void infer_reorg(InferContext& context) {
    const auto& attrs = context.attrs<ReorgYoloAttrs>();
    const std::int64_t stride = stride_of(attrs);
    context.require(stride >= 1 && stride <= 1024 &&
                        std::all_of(attrs.stride.begin(), attrs.stride.end(),
                                    [&](std::int64_t s) { return s == stride; }),
                    "stride is ", stride, ", expected one value of 1 or more");
    PartialShape shape = context.shape(0);
    shape = shape.rank_is_static() ? shape : PartialShape::dynamic(4);
    context.require(shape.rank() == 4, "input has shape ", to_string(shape), ", expected rank 4");
    const std::int64_t divisors[] = {stride * stride, stride, stride};
    for (std::size_t d = 1; d < 4; ++d) {
        context.require(shape[d].is_dynamic() || shape[d].get_length() % divisors[d - 1] == 0,
                        "stride is ", stride, ", which does not divide the sizes of ",
                        to_string(shape));
    }
    shape[1] = shape[1] * Dimension(stride * stride);
    for (const std::size_t d : {std::size_t{2}, std::size_t{3}}) {
        shape[d] =
            shape[d].is_static() ? Dimension(shape[d].get_length() / stride) : Dimension::dynamic();
    }
    context.set_output(0, context.type(0), shape);
}

// As Darknet computes it: the input is read as [N, C / s^2, H * s, W * s], whatever its shape.
void evaluate_reorg(EvalContext& context) {
    const Tensor& in = context.input(0);
    const Shape& shape = in.get_shape();
    const auto stride = static_cast<std::size_t>(stride_of(context.attrs<ReorgYoloAttrs>()));
    context.require(shape.size() == 4 && shape[1] % (stride * stride) == 0 &&
                        shape[2] % stride == 0 && shape[3] % stride == 0,
                    "stride is ", stride, ", which does not divide the sizes of ",
                    to_string(shape));
    Tensor& output = context.output(
        0, {shape[0], shape[1] * stride * stride, shape[2] / stride, shape[3] / stride});
    const std::size_t channels = shape[1] / (stride * stride);
    dispatch_numeric(in.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        const T* src = in.data<T>();
        T* dst = output.data<T>();
        for (std::size_t i = 0; i < in.get_size(); ++i) {
            const std::size_t w = i % shape[3];
            const std::size_t h = i / shape[3] % shape[2];
            const std::size_t c = i / (shape[3] * shape[2]) % shape[1];
            const std::size_t n = i / (shape[3] * shape[2] * shape[1]);
            const std::size_t cell = c / channels;
            const std::size_t from_h = h * stride + cell / stride;
            const std::size_t from_w = w * stride + cell % stride;
            const std::size_t from_c = n * channels + c % channels;
            dst[i] = src[(from_c * shape[2] * stride + from_h) * shape[3] * stride + from_w];
        }
    });
}

const OpSpec kOps[] = {
    {.type = "RegionYolo",
     .version = 1,
     .inputs = {1, 1},
     .make_attributes = make_attributes<RegionYoloAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Activations of the regions of a YOLO head",
     .refused = "channels that the regions do not fill"},
    {.type = "ReorgYolo",
     .version = 2,
     .inputs = {1, 1},
     .make_attributes = make_attributes<ReorgYoloAttrs>,
     .infer = infer_reorg,
     .evaluate = evaluate_reorg,
     .summary = "Moves blocks of pixels into channels, as Darknet does",
     .refused = "strides that differ or do not divide the sizes"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::region_yolo_ops
