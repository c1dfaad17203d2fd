// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/lowering/resize_request.hpp"

#include <algorithm>
#include <numeric>

#include "ops/axes.hpp"
#include "ops/resize/interpolate.hpp"

namespace fuseq::cpu {
namespace {

bool no_pads(const std::vector<std::int64_t>& pads) {
    return std::all_of(pads.begin(), pads.end(), [](std::int64_t pad) { return pad == 0; });
}

double ratio(const Node& node, std::size_t d) {
    return static_cast<double>(node.port(0).shape.to_shape()[d]) /
           static_cast<double>(node.input(0).shape()[d]);
}

// What a node asks for; one entry a dimension, none for a dimension that stays.
struct Request {
    TapSettings settings;
    std::vector<std::optional<AxisResize>> axes;
};

void set_axis(Request& request, const Node& node, std::size_t d, double scale) {
    request.axes[d] = AxisResize{d, node.port(0).shape.to_shape()[d], scale};
}

// The taps of every position of dimension d.
AxisTaps taps_of(const Request& request, std::size_t d, std::size_t old_size) {
    if (request.axes[d]) {
        return resize_taps(request.settings, *request.axes[d], old_size);
    }
    AxisTaps taps;
    for (std::size_t i = 0; i < old_size; ++i) {
        taps.push_back({{i, 1.0}});
    }
    return taps;
}

std::optional<Request> request_of_1(const Node& node) {
    const auto& attrs = node.attrs<Interpolate1Attrs>();
    const std::size_t rank = node.port(0).shape.rank();
    const bool linear = attrs.mode == Interpolate1Mode::kLinear;
    if ((!linear && attrs.mode != Interpolate1Mode::kNearest) || attrs.antialias ||
        !no_pads(attrs.pads_begin) || !no_pads(attrs.pads_end)) {
        return std::nullopt;
    }
    Request request{{InterpolateMode::kNearest,
                     attrs.align_corners ? CoordinateTransformation::kAlignCorners
                                         : CoordinateTransformation::kAsymmetric,
                     NearestMode::kSimple, false, -0.75},
                    std::vector<std::optional<AxisResize>>(rank)};
    if (linear) {
        request.settings.mode = rank < 5 ? InterpolateMode::kLinearOnnx : InterpolateMode::kLinear;
    }
    for (const std::int64_t axis : attrs.axes) {
        const std::size_t d = wrapped_axis(axis, rank);
        set_axis(request, node, d, ratio(node, d));
    }
    return request;
}

std::optional<Request> request_of_4(const Node& node) {
    const auto& attrs = node.attrs<InterpolateAttrs>();
    const std::size_t rank = node.port(0).shape.rank();
    const bool by_scales = attrs.shape_calculation_mode == ShapeCalculation::kScales;
    const bool newest = node.spec().version >= 11;
    const std::size_t scales_port = newest ? 1 : 2;
    const std::size_t axes_port = newest ? 2 : 3;
    if (attrs.antialias || !no_pads(attrs.pads_begin) || !no_pads(attrs.pads_end) ||
        (by_scales && !node.input_node(scales_port)->is_constant())) {
        return std::nullopt;
    }
    std::vector<std::int64_t> axes(rank);
    std::iota(axes.begin(), axes.end(), 0);
    if (node.has_input(axes_port)) {
        if (!node.input_node(axes_port)->is_constant()) {
            return std::nullopt;
        }
        axes = to_ints(node.input_node(axes_port)->constant());
    }
    Request request{{attrs.mode, attrs.coordinate_transformation_mode, attrs.nearest_mode, false,
                     static_cast<double>(attrs.cube_coeff)},
                    std::vector<std::optional<AxisResize>>(rank)};
    const std::vector<float> scales =
        by_scales ? to_floats(node.input_node(scales_port)->constant()) : std::vector<float>();
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::size_t d = wrapped_axis(axes[i], rank);
        set_axis(request, node, d, by_scales ? static_cast<double>(scales[i]) : ratio(node, d));
    }
    return request;
}

// Whether every position of `size` takes its own value alone.
bool is_identity(const AxisTaps& taps, std::size_t size) {
    if (taps.size() != size) {
        return false;
    }
    for (std::size_t i = 0; i < taps.size(); ++i) {
        if (taps[i].size() != 1 || taps[i][0].index != i || taps[i][0].weight != 1.0) {
            return false;
        }
    }
    return true;
}

// The kernel's table; nothing when a position needs more than two neighbours, or none.
std::optional<kernels::ResizeAxis> table_of(const AxisTaps& taps, bool nearest) {
    kernels::ResizeAxis axis;
    for (const auto& list : taps) {
        if (list.empty() || list.size() > (nearest ? 1u : 2u)) {
            return std::nullopt;
        }
        axis.low.push_back(static_cast<std::uint32_t>(list.front().index));
        if (!nearest) {
            const bool two = list.size() == 2;
            axis.high.push_back(static_cast<std::uint32_t>(list.back().index));
            axis.weight.push_back(two ? static_cast<float>(list.back().weight) : 0.0f);
        }
    }
    return axis;
}

// A row or column that is not there: one position that takes itself.
kernels::ResizeAxis single(bool nearest) {
    if (nearest) {
        return {{0}, {}, {}};
    }
    return {{0}, {0}, {0.0f}};
}

std::optional<kernels::ResizeParams> params_of(const Node& node, const Request& request) {
    const Shape src = node.input(0).shape();
    const std::size_t rank = src.size();
    const bool nearest = request.settings.mode == InterpolateMode::kNearest;
    kernels::ResizeParams params;
    params.src_type = node.input(0).type();
    params.dst_type = params.src_type;
    params.channels = src[1];
    params.src_height = 1;
    params.rows = single(nearest);
    for (std::size_t d = 0; d < rank; ++d) {
        const AxisTaps taps = taps_of(request, d, src[d]);
        if (d + 1 == rank || (d + 2 == rank && rank >= 4)) {
            auto table = table_of(taps, nearest);
            if (!table) {
                return std::nullopt;
            }
            (d + 1 == rank ? params.src_width : params.src_height) = src[d];
            (d + 1 == rank ? params.columns : params.rows) = std::move(*table);
        } else if (!is_identity(taps, src[d])) {
            return std::nullopt;
        } else if (d != 1) {
            params.batch *= src[d];
        }
    }
    return params;
}

// Tables of longer axes take seconds to make, and nobody resizes such images.
bool has_short_axes(const Shape& shape) {
    constexpr std::size_t kMaxSize = std::size_t{1} << 20U;
    return std::all_of(shape.begin(), shape.end(),
                       [](std::size_t size) { return size <= kMaxSize; });
}

bool takes_resize(const Node& node) {
    const std::size_t rank = node.port(0).shape.rank();
    const ElementType type = node.input(0).type();
    return rank >= 3 && rank <= 5 && shape_size(node.input(0).shape()) != 0 &&
           (type == ElementType::f32 || type == ElementType::u8 || type == ElementType::i8);
}

}  // namespace

Verdict resize_request(const Node& node, kernels::ResizeParams& params) {
    if (!node.is("Interpolate") || !takes_resize(node)) {
        return node.is("Interpolate")
                   ? Verdict::no("for f32, u8 and i8 of three to five dimensions")
                   : Verdict::other_kind();
    }
    if (!has_short_axes(node.input(0).shape()) || !has_short_axes(node.port(0).shape.to_shape())) {
        return Verdict::no("an axis of more than 1048576 positions");
    }
    const auto request = node.spec().version == 1 ? request_of_1(node) : request_of_4(node);
    if (!request) {
        return Verdict::no("a mode, pads or computed sizes that the kernel lacks");
    }
    // A weighted sum of integers is converted by truncation, which the kernel does not do.
    const bool nearest = request->settings.mode == InterpolateMode::kNearest;
    if (!nearest && node.input(0).type() != ElementType::f32) {
        return Verdict::no("a weighted sum of integers");
    }
    auto found = params_of(node, *request);
    if (!found) {
        return Verdict::no("more taps than the kernel takes, or another axis");
    }
    params = std::move(*found);
    return Verdict::yes();
}

bool is_linear_resize(const Node& node) {
    if (!node.is("Interpolate")) {
        return false;
    }
    if (node.spec().version == 1) {
        return node.attrs<Interpolate1Attrs>().mode == Interpolate1Mode::kLinear;
    }
    const InterpolateMode mode = node.attrs<InterpolateAttrs>().mode;
    return mode == InterpolateMode::kLinear || mode == InterpolateMode::kLinearOnnx;
}

}  // namespace fuseq::cpu
