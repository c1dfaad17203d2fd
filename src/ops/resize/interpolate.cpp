// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/resize/interpolate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ops/op_list.hpp"

namespace fuseq::interpolate_ops {
namespace {

// Sizes and pads beyond this are mistakes; it keeps all sums and products far from overflow.
constexpr std::int64_t kLargest = 1LL << 31;
// What a scale may lack to reach the next size (0.3333333 * 3 is 1).
constexpr double kAlmost = 1e-5;

// The inputs of a version: 4 has sizes and scales, 11 one of both.
struct Ports {
    std::size_t wanted;
    std::size_t axes;
};
Ports ports_of(const Node& node) {
    const bool by_scales =
        node.attrs<InterpolateAttrs>().shape_calculation_mode == ShapeCalculation::kScales;
    return node.spec().version >= 11 ? Ports{1, 2} : Ports{by_scales ? 2u : 1u, 3};
}

void check_pads(const InferContext& context,
                const char* name,
                const std::vector<std::int64_t>& pads,
                const PartialShape& shape) {
    for (const std::int64_t pad : pads) {
        context.require(pad >= 0 && pad <= kLargest, name, " has the value ", pad,
                        ", expected one in [0, ", kLargest, "]");
    }
    if (shape.rank_is_static()) {
        context.require(pads.size() <= shape.rank() ||
                            std::all_of(pads.begin(), pads.end(), [](auto p) { return p == 0; }),
                        name, " has ", pads.size(), " values for a tensor of rank ", shape.rank());
    }
}

Dimension padded_size(const PartialShape& shape,
                      std::size_t d,
                      const std::vector<std::int64_t>& begin,
                      const std::vector<std::int64_t>& end) {
    return shape[d] + Dimension(d < begin.size() ? begin[d] : 0) +
           Dimension(d < end.size() ? end[d] : 0);
}

std::int64_t scaled(std::int64_t size, double scale) {
    return static_cast<std::int64_t>(
        std::min(std::floor(static_cast<double>(size) * scale + kAlmost), 1e15));
}

Dimension scaled(const Dimension& size, double scale) {
    if (size.get_max_length() == Dimension::kUnbounded) {
        return {scaled(size.get_min_length(), scale), Dimension::kUnbounded};
    }
    return {scaled(size.get_min_length(), scale), scaled(size.get_max_length(), scale)};
}

bool good_scale(double scale) {
    return std::isfinite(scale) && scale > 0 && scale <= static_cast<double>(kLargest);
}

// Axes in [0, rank), each once.
std::vector<std::size_t> checked_axes(const InferContext& context,
                                      const std::vector<std::int64_t>& axes,
                                      std::size_t rank) {
    std::vector<std::size_t> result;
    for (const std::int64_t axis : axes) {
        result.push_back(context.normalize_axis(axis, rank, "axes"));
        context.require(std::count(result.begin(), result.end(), result.back()) == 1,
                        "axes names axis ", axis, " twice");
    }
    return result;
}

// A list of that many values; a list of one may be a scalar.
bool may_hold(const PartialShape& shape, std::size_t count) {
    return shape.compatible({static_cast<std::int64_t>(count)}) ||
           (count == 1 && shape.compatible(PartialShape(std::vector<Dimension>{})));
}

// The dimensions named by the sizes or scales input, in `shape`.
void set_wanted(const InferContext& context,
                std::size_t port,
                const std::vector<std::size_t>& axes,
                PartialShape& shape) {
    const auto& attrs = context.attrs<InterpolateAttrs>();
    const bool by_scales = attrs.shape_calculation_mode == ShapeCalculation::kScales;
    const char* what = by_scales ? "scales" : "sizes";
    context.require(may_hold(context.shape(port), axes.size()), what, " has shape ",
                    to_string(context.shape(port)), ", expected ", axes.size(), " values");
    if (by_scales) {
        const auto value = context.value(port);
        const std::vector<float> scales = value ? to_floats(*value) : std::vector<float>();
        for (std::size_t i = 0; i < axes.size(); ++i) {
            Dimension& d = shape[axes[i]];
            if (!value) {
                d = Dimension::dynamic();
                continue;
            }
            context.require(good_scale(scales[i]), "scales has the value ", scales[i],
                            ", expected one above 0");
            d = scaled(d, scales[i]);
        }
        return;
    }
    const auto exact = context.ints(port);
    const auto dims = context.dims(port);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        context.require(!exact || ((*exact)[i] >= 1 && (*exact)[i] <= kLargest),
                        "sizes has the value ", exact ? (*exact)[i] : 0, ", expected 1 or more");
        shape[axes[i]] = dims && i < dims->size() ? (*dims)[i] : Dimension::dynamic();
    }
}

void check_types(const InferContext& context, const Ports& ports, bool by_scales) {
    const ElementType type = context.type(ports.wanted);
    context.require(by_scales ? is_real(type) : is_integral(type), by_scales ? "scales" : "sizes",
                    " is ", to_string(type), ", expected ", by_scales ? "a real" : "an integer",
                    " type");
    if (context.has_input(ports.axes)) {
        context.require(is_integral(context.type(ports.axes)), "axes is ",
                        to_string(context.type(ports.axes)), ", expected an integer type");
    }
}

void infer(InferContext& context) {
    const auto& attrs = context.attrs<InterpolateAttrs>();
    const Ports ports = ports_of(context.node());
    const bool by_scales = attrs.shape_calculation_mode == ShapeCalculation::kScales;
    const bool pillow = attrs.mode == InterpolateMode::kBilinearPillow ||
                        attrs.mode == InterpolateMode::kBicubicPillow;
    context.require(!pillow || context.node().spec().version >= 11, "mode is ",
                    EnumNames<InterpolateMode>::kNames[static_cast<int>(attrs.mode)],
                    ", which exists from opset 11 on");
    check_types(context, ports, by_scales);
    PartialShape shape = context.shape(0);
    check_pads(context, "pads_begin", attrs.pads_begin, shape);
    check_pads(context, "pads_end", attrs.pads_end, shape);
    if (!shape.rank_is_static()) {
        context.set_output(0, context.type(0), shape);
        return;
    }
    for (std::size_t d = 0; d < shape.rank(); ++d) {
        shape[d] = padded_size(shape, d, attrs.pads_begin, attrs.pads_end);
    }
    std::vector<std::int64_t> axes(shape.rank());
    std::iota(axes.begin(), axes.end(), 0);
    if (context.has_input(ports.axes)) {
        const auto known = context.ints(ports.axes);
        if (!known) {
            context.set_output(0, context.type(0), PartialShape::dynamic(shape.rank()));
            return;
        }
        axes = *known;
    }
    set_wanted(context, ports.wanted, checked_axes(context, axes, shape.rank()), shape);
    context.set_output(0, context.type(0), shape);
}

bool some_axis_shrinks(const std::vector<AxisResize>& axes) {
    return std::any_of(axes.begin(), axes.end(), [](const AxisResize& a) { return a.scale < 1; });
}

std::vector<std::int64_t> run_time_axes(const EvalContext& context, std::size_t port) {
    const auto rank = static_cast<std::int64_t>(context.input(0).get_shape().size());
    std::vector<std::int64_t> axes(static_cast<std::size_t>(rank));
    std::iota(axes.begin(), axes.end(), 0);
    if (context.has_input(port)) {
        axes = to_ints(context.input(port));
    }
    for (std::int64_t& axis : axes) {
        context.require(axis >= -rank && axis < rank, "axes has the value ", axis,
                        " for a tensor of rank ", rank);
        axis += axis < 0 ? rank : 0;
    }
    return axes;
}

std::size_t size_with_pads(const Shape& shape,
                           std::size_t d,
                           const std::vector<std::int64_t>& begin,
                           const std::vector<std::int64_t>& end) {
    return static_cast<std::size_t>(padded_size(shape, d, begin, end).get_length());
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<InterpolateAttrs>();
    const Ports ports = ports_of(context.node());
    const bool by_scales = attrs.shape_calculation_mode == ShapeCalculation::kScales;
    const auto axes = run_time_axes(context, ports.axes);
    const Tensor& wanted = context.input(ports.wanted);
    context.require(wanted.get_size() == axes.size(), by_scales ? "scales" : "sizes", " has ",
                    wanted.get_size(), " values for ", axes.size(), " axes");
    ResizeRequest request{
        .settings = {attrs.mode, attrs.coordinate_transformation_mode, attrs.nearest_mode, false,
                     static_cast<double>(attrs.cube_coeff)},
        .pads_begin = attrs.pads_begin,
        .pads_end = attrs.pads_end,
        .axes = {}};
    const std::vector<float> scales = by_scales ? to_floats(wanted) : std::vector<float>();
    const auto sizes = by_scales ? std::vector<std::int64_t>() : to_ints(wanted);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const auto axis = static_cast<std::size_t>(axes[i]);
        const std::size_t old =
            size_with_pads(context.input(0).get_shape(), axis, attrs.pads_begin, attrs.pads_end);
        if (by_scales) {
            context.require(good_scale(scales[i]), "scales has the value ", scales[i],
                            ", expected one above 0");
            const std::int64_t size = scaled(static_cast<std::int64_t>(old), scales[i]);
            context.require(size <= kLargest, "scales makes axis ", axis, " of size ", old,
                            " too large: ", size);
            request.axes.push_back({axis, static_cast<std::size_t>(size), scales[i]});
        } else {
            context.require(sizes[i] >= 1 && sizes[i] <= kLargest, "sizes has the value ", sizes[i],
                            ", expected 1 or more");
            context.require(old > 0, "cannot resize axis ", axis, " of size 0");
            request.axes.push_back({axis, static_cast<std::size_t>(sizes[i]),
                                    static_cast<double>(sizes[i]) / static_cast<double>(old)});
        }
    }
    request.settings.antialias = attrs.antialias && some_axis_shrinks(request.axes);
    run_resize(context, request);
}

// --- opset 1 ------------------------------------------------------------------------------------

void infer_1(InferContext& context) {
    const auto& attrs = context.attrs<Interpolate1Attrs>();
    context.require(attrs.mode != Interpolate1Mode::kArea, "mode is area, which is not supported");
    context.require(is_integral(context.type(1)), "the target shape is ",
                    to_string(context.type(1)), ", expected an integer type");
    PartialShape shape = context.shape(0);
    check_pads(context, "pads_begin", attrs.pads_begin, shape);
    check_pads(context, "pads_end", attrs.pads_end, shape);
    context.require(may_hold(context.shape(1), attrs.axes.size()), "the target shape has shape ",
                    to_string(context.shape(1)), ", expected ", attrs.axes.size(),
                    " values, one an axis");
    if (!shape.rank_is_static()) {
        context.set_output(0, context.type(0), shape);
        return;
    }
    for (std::size_t d = 0; d < shape.rank(); ++d) {
        shape[d] = padded_size(shape, d, attrs.pads_begin, attrs.pads_end);
    }
    const auto axes = checked_axes(context, attrs.axes, shape.rank());
    const auto exact = context.ints(1);
    const auto dims = context.dims(1);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        context.require(!exact || ((*exact)[i] >= 1 && (*exact)[i] <= kLargest),
                        "the target shape has the value ", exact ? (*exact)[i] : 0,
                        ", expected 1 or more");
        shape[axes[i]] = dims && i < dims->size() ? (*dims)[i] : Dimension::dynamic();
    }
    context.set_output(0, context.type(0), shape);
}

// Said by newer versions: sizes, asymmetric or with aligned corners.
void evaluate_1(EvalContext& context) {
    const auto& attrs = context.attrs<Interpolate1Attrs>();
    const Shape& shape = context.input(0).get_shape();
    const auto sizes = to_ints(context.input(1));
    context.require(sizes.size() == attrs.axes.size(), "the target shape has ", sizes.size(),
                    " values for ", attrs.axes.size(), " axes");
    InterpolateMode mode = InterpolateMode::kNearest;
    if (attrs.mode == Interpolate1Mode::kLinear) {
        mode = shape.size() < 5 ? InterpolateMode::kLinearOnnx : InterpolateMode::kLinear;
    } else if (attrs.mode == Interpolate1Mode::kCubic) {
        mode = InterpolateMode::kCubic;
    }
    constexpr double kCubeCoeff = -0.75;
    ResizeRequest request{.settings = {mode,
                                       attrs.align_corners ? CoordinateTransformation::kAlignCorners
                                                           : CoordinateTransformation::kAsymmetric,
                                       NearestMode::kSimple, false, kCubeCoeff},
                          .pads_begin = attrs.pads_begin,
                          .pads_end = attrs.pads_end,
                          .axes = {}};
    const auto rank = static_cast<std::int64_t>(shape.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const std::int64_t axis = attrs.axes[i] + (attrs.axes[i] < 0 ? rank : 0);
        context.require(axis >= 0 && axis < rank, "axes has the value ", attrs.axes[i],
                        " for a tensor of rank ", rank);
        const auto d = static_cast<std::size_t>(axis);
        const std::size_t old = size_with_pads(shape, d, attrs.pads_begin, attrs.pads_end);
        context.require(old > 0 && sizes[i] >= 1 && sizes[i] <= kLargest, "cannot resize axis ",
                        axis, " of size ", old, " to ", sizes[i]);
        request.axes.push_back({d, static_cast<std::size_t>(sizes[i]),
                                static_cast<double>(sizes[i]) / static_cast<double>(old)});
    }
    request.settings.antialias = attrs.antialias && some_axis_shrinks(request.axes);
    run_resize(context, request);
}

constexpr std::string_view kRefused = "sizes below 1, scales not above 0, negative pads";

const OpSpec kOps[] = {
    {.type = "Interpolate",
     .version = 1,
     .inputs = {2, 2},
     .make_attributes = make_attributes<Interpolate1Attrs>,
     .infer = infer_1,
     .evaluate = evaluate_1,
     .summary = "Resizes dimensions to given sizes",
     .refused = "mode=area; sizes below 1, negative pads"},
    {.type = "Interpolate",
     .version = 4,
     .inputs = {3, 4},
     .make_attributes = make_attributes<InterpolateAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Resizes dimensions to given sizes or by scales",
     .refused = kRefused},
    {.type = "Interpolate",
     .version = 11,
     .inputs = {2, 3},
     .make_attributes = make_attributes<InterpolateAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "The same, with sizes or scales in one input; the Pillow modes",
     .refused = kRefused},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::interpolate_ops
