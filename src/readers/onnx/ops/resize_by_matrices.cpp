// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/onnx/ops/resize_by_matrices.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "readers/common/nearest_pixels.hpp"

namespace fuseq::onnx_reader {
namespace resize_matrices {
namespace {

// A matrix of 4096 by 4096; above that the product costs more than it is worth.
constexpr std::int64_t kMostWeights = std::int64_t{1} << 24;
// Elements of a resized dimension, each of which is listed.
constexpr std::int64_t kMostElements = std::int64_t{1} << 20;

std::int64_t known_size(const Operator& op, const Output& x, std::int64_t axis) {
    const Dimension& size = x.partial_shape()[static_cast<std::size_t>(axis)];
    op.require(size.is_static() && size.get_length() > 0, "dimension ", axis,
               " is not known, which this form of Resize needs");
    return size.get_length();
}

// With keep_aspect_ratio_policy all axes have the smallest or the largest scale.
void keep_aspect_ratio(const Operator& op, std::vector<ResizedAxis>& axes) {
    const std::string policy = op.attributes.text("keep_aspect_ratio_policy", "stretch");
    if (policy == "stretch" || axes.empty()) {
        return;
    }
    op.require(policy == "not_larger" || policy == "not_smaller",
               "attribute keep_aspect_ratio_policy is '", policy,
               "', expected stretch, not_larger or not_smaller");
    const auto smaller = [](const ResizedAxis& a, const ResizedAxis& b) {
        return a.scale < b.scale;
    };
    const float scale = policy == "not_larger"
                            ? std::min_element(axes.begin(), axes.end(), smaller)->scale
                            : std::max_element(axes.begin(), axes.end(), smaller)->scale;
    for (ResizedAxis& axis : axes) {
        axis.scale = scale;
        axis.dst =
            static_cast<std::int64_t>(std::floor(scale * static_cast<float>(axis.src) + 0.5F));
    }
}

std::vector<ResizedAxis> resized_axes(const Operator& op,
                                      const Output& values,
                                      bool by_scales,
                                      const std::vector<std::int64_t>& axes,
                                      const Output& crop) {
    const auto known = op.value(values);
    op.require(known && known->get_size() == axes.size(), by_scales ? "scales" : "sizes",
               " are not known or not one an axis, which this form of Resize needs");
    const std::vector<float> stated = to_floats(*known);
    std::vector<float> corners;
    if (crop) {
        const auto roi = op.value(crop);
        op.require(roi && roi->get_size() == 2 * axes.size(),
                   "roi is not known or does not have two values an axis");
        corners = to_floats(*roi);
    }
    std::vector<ResizedAxis> result;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        ResizedAxis axis{.src = known_size(op, op.input(0), axes[i])};
        const float value = stated[i];
        op.require(std::isfinite(value) && value > 0, by_scales ? "scale " : "size ", value,
                   " is not above 0");
        const auto src = static_cast<float>(axis.src);
        axis.by_scale = by_scales;
        axis.scale = by_scales ? value : value / src;
        const float dst = by_scales ? std::floor(value * src) : value;
        constexpr float kMost = 2147483648.0F;
        op.require(dst <= kMost, "dimension ", axes[i], " of ", axis.src, " elements becomes ",
                   dst);
        axis.dst = static_cast<std::int64_t>(dst);
        if (crop) {
            axis.crop_begin = corners[i];
            axis.crop_end = corners[i + axes.size()];
        }
        result.push_back(axis);
    }
    if (!by_scales) {
        keep_aspect_ratio(op, result);
    }
    return result;
}

// The product along an axis: in place where it is one of the last two, else moved to the end.
Output multiply_axis(
    Operator& op, const Output& x, std::size_t axis, std::size_t rank, const Output& matrix) {
    if (axis + 1 == rank) {
        return op.add("MatMul", {x, matrix}, {{"transpose_a", false}, {"transpose_b", true}});
    }
    if (axis + 2 == rank) {
        return op.add("MatMul", {matrix, x}, {{"transpose_a", false}, {"transpose_b", false}});
    }
    std::vector<std::int64_t> order(rank);
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[axis], order.back());
    const Output last = multiply_axis(op, op.transpose(x, order), rank - 1, rank, matrix);
    return op.transpose(last, order);
}

// Pixels beyond the source get `value`.
Output extrapolate(Operator& op,
                   const Output& x,
                   std::size_t axis,
                   std::size_t rank,
                   const std::vector<bool>& beyond,
                   double value) {
    if (std::find(beyond.begin(), beyond.end(), true) == beyond.end()) {
        return x;
    }
    Shape shape(rank - axis, 1);
    shape[0] = beyond.size();
    Tensor mask(ElementType::boolean, shape);
    std::copy(beyond.begin(), beyond.end(), mask.data<bool>());
    return op.add("Select", {op.constant(std::move(mask)), op.scalar(value, x), x});
}

Output filter_matrix(Operator& op,
                     const ResizedAxis& axis,
                     const ResizeForm& form,
                     std::int64_t dimension) {
    op.require(axis.dst <= kMostWeights / axis.src, "dimension ", dimension, " of ", axis.src,
               " elements becomes ", axis.dst, ", too many for this form of Resize");
    const Shape shape{static_cast<std::size_t>(axis.dst), static_cast<std::size_t>(axis.src)};
    return op.constant(Tensor::of<float>(shape, filter_weights(axis, form)));
}

template <class Enum>
Enum named(const std::string& name) {
    const auto& names = EnumNames<Enum>::kNames;
    const auto* found = std::find(std::begin(names), std::end(names), name);
    return static_cast<Enum>(found - std::begin(names));
}

bool interpolate_agrees(const ResizedAxis& axis, const ResizeForm& form) {
    const double scale = axis.by_scale
                             ? static_cast<double>(axis.scale)
                             : static_cast<double>(axis.dst) / static_cast<double>(axis.src);
    return readers::interpolate_takes(nearest_pixels(axis, form), axis.src, scale,
                                      named<CoordinateTransformation>(form.coordinates),
                                      named<NearestMode>(form.rounding));
}

bool is_listable(const ResizedAxis& axis) {
    return std::max(axis.src, axis.dst) <= kMostElements;
}

bool changes(const ResizedAxis& axis, const ResizeForm& form) {
    return axis.src != axis.dst || axis.scale != 1 ||
           (form.coordinates == "tf_crop_and_resize" &&
            (axis.crop_begin != 0 || axis.crop_end != 1));
}

}  // namespace
}  // namespace resize_matrices

bool is_interpolate(const ResizeForm& form) {
    return !form.antialias && !(form.exclude_outside && form.mode == "cubic") &&
           form.coordinates != "tf_crop_and_resize" && form.coordinates != "half_pixel_symmetric";
}

bool takes_other_pixels(const Operator& op,
                        const ResizeForm& form,
                        const Output& values,
                        bool by_scales,
                        const std::vector<std::int64_t>& axes) {
    const PartialShape& shape = op.input(0).partial_shape();
    const bool known = std::all_of(axes.begin(), axes.end(), [&](std::int64_t axis) {
        const Dimension& size = shape[static_cast<std::size_t>(axis)];
        return size.is_static() && size.get_length() > 0;
    });
    if (form.mode != "nearest" || !known || !op.value(values)) {
        return false;
    }
    const auto resized = resize_matrices::resized_axes(op, values, by_scales, axes, {});
    return !std::all_of(resized.begin(), resized.end(), [&](const ResizedAxis& axis) {
        return axis.dst == 0 || !resize_matrices::is_listable(axis) ||
               !resize_matrices::changes(axis, form) ||
               resize_matrices::interpolate_agrees(axis, form);
    });
}

Output resize_by_matrices(Operator& op,
                          const ResizeForm& form,
                          const Output& values,
                          bool by_scales,
                          const std::vector<std::int64_t>& axes,
                          const Output& crop) {
    using namespace resize_matrices;
    const std::size_t rank = op.rank(op.input(0));
    const ElementType type = op.input(0).type();
    Output x = form.mode == "nearest" ? op.input(0) : op.convert(op.input(0), ElementType::f32);
    const std::vector<ResizedAxis> resized = resized_axes(op, values, by_scales, axes, crop);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const ResizedAxis& axis = resized[i];
        if (!changes(axis, form)) {
            continue;
        }
        op.require(axis.dst > 0 && is_listable(axis), "dimension ", axes[i], " of ", axis.src,
                   " elements becomes ", axis.dst, ", expected 1 to ", kMostElements);
        const auto at = static_cast<std::size_t>(axes[i]);
        x = form.mode == "nearest"
                ? op.add("Gather",
                         {x, op.int_list(nearest_pixels(axis, form)), op.int_scalar(axes[i])})
                : multiply_axis(op, x, at, rank, filter_matrix(op, axis, form, axes[i]));
        x = extrapolate(op, x, at, rank, pixels_beyond(axis, form),
                        op.attributes.real("extrapolation_value", 0.0F));
    }
    return op.convert(x, type);
}

}  // namespace fuseq::onnx_reader
