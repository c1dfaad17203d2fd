// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Resizing and sampling.
#include <algorithm>

#include "readers/onnx/operator_table.hpp"
#include "readers/onnx/ops/resize_by_matrices.hpp"

namespace fuseq::onnx_reader::resize_operators {
namespace {

using Outputs = std::vector<Output>;

constexpr const char* kCoordinates[] = {
    "half_pixel",           "half_pixel_symmetric", "pytorch_half_pixel", "asymmetric",
    "tf_half_pixel_for_nn", "align_corners",        "tf_crop_and_resize"};
constexpr const char* kRoundings[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};

template <std::size_t N>
void check_word(const Operator& op,
                const char* attribute,
                const std::string& word,
                const char* const (&words)[N]) {
    std::string all;
    for (const char* one : words) {
        all += (all.empty() ? "" : ", ") + std::string(one);
    }
    op.require(std::find(std::begin(words), std::end(words), word) != std::end(words), "attribute ",
               attribute, " is '", word, "'; supported: ", all);
}

std::string mode_of(const Operator& op) {
    const std::string mode = op.attributes.text("mode", "nearest");
    op.require(mode == "nearest" || mode == "linear" || mode == "bilinear" || mode == "cubic",
               "attribute mode is '", mode, "', expected nearest, linear or cubic");
    return mode == "cubic" ? mode : mode == "nearest" ? mode : "linear_onnx";
}

struct Target {
    Output values;
    bool by_scales = true;
    std::vector<std::int64_t> axes;
};

// Axes that keep their size: linear_onnx resizes some only.
void drop_kept_axes(Operator& op, Target& target) {
    const auto known = op.value(target.values);
    if (!known || known->get_size() != target.axes.size()) {
        return;
    }
    const PartialShape& shape = op.input(0).partial_shape();
    const std::vector<float> scales = target.by_scales ? to_floats(*known) : std::vector<float>{};
    const std::vector<std::int64_t> sizes =
        target.by_scales ? std::vector<std::int64_t>{} : to_ints(*known);
    std::vector<std::int64_t> axes;
    std::vector<std::int64_t> chosen;
    for (std::size_t i = 0; i < target.axes.size(); ++i) {
        const Dimension& size = shape[static_cast<std::size_t>(target.axes[i])];
        const bool kept = target.by_scales ? scales[i] == 1.0F : size == Dimension(sizes[i]);
        if (!kept) {
            axes.push_back(target.axes[i]);
            chosen.push_back(static_cast<std::int64_t>(i));
        }
    }
    if (axes.empty() || axes.size() == target.axes.size()) {
        return;
    }
    target.values = op.add("Gather", {target.values, op.int_list(chosen), op.int_scalar(0)});
    target.axes = axes;
}

ResizeForm form_of(const Operator& op, const std::string& coordinates) {
    const std::string mode = mode_of(op);
    ResizeForm form{.mode = mode == "linear_onnx" ? "linear" : mode,
                    .coordinates = coordinates,
                    .rounding = op.attributes.text("nearest_mode", "round_prefer_floor"),
                    .cubic_coefficient = op.attributes.real("cubic_coeff_a", -0.75F),
                    .antialias = op.attributes.integer("antialias", 0) != 0,
                    .exclude_outside = op.attributes.integer("exclude_outside", 0) != 0};
    check_word(op, "coordinate_transformation_mode", form.coordinates, kCoordinates);
    check_word(op, "nearest_mode", form.rounding, kRoundings);
    op.require(!form.antialias || (form.mode != "nearest" && coordinates != "tf_crop_and_resize"),
               "antialias=1 needs mode linear or cubic, and another coordinate_transformation_mode "
               "than tf_crop_and_resize");
    return form;
}

Outputs interpolate(Operator& op, Target target, const std::string& coordinates) {
    const ResizeForm form = form_of(op, coordinates);
    const bool keeps_ratio =
        !target.by_scales && op.attributes.text("keep_aspect_ratio_policy", "stretch") != "stretch";
    if (!is_interpolate(form) || keeps_ratio ||
        takes_other_pixels(op, form, target.values, target.by_scales, target.axes)) {
        const Output crop = form.coordinates == "tf_crop_and_resize" ? op.input(1) : Output{};
        return {resize_by_matrices(op, form, target.values, target.by_scales, target.axes, crop)};
    }
    drop_kept_axes(op, target);
    return {op.add("Interpolate", {op.input(0), target.values, op.int_list(target.axes)},
                   {{"mode", mode_of(op)},
                    {"shape_calculation_mode", std::string(target.by_scales ? "scales" : "sizes")},
                    {"coordinate_transformation_mode", coordinates},
                    {"nearest_mode", form.rounding},
                    {"cube_coeff", op.attributes.real("cubic_coeff_a", -0.75F)}})};
}

std::vector<std::int64_t> resized_axes(const Operator& op) {
    const std::size_t rank = op.rank(op.input(0));
    std::vector<std::int64_t> axes = op.attributes.integers("axes");
    if (!op.attributes.has("axes")) {
        for (std::size_t d = 0; d < rank; ++d) {
            axes.push_back(static_cast<std::int64_t>(d));
        }
    }
    for (std::int64_t& axis : axes) {
        axis = static_cast<std::int64_t>(op.axis(axis, rank));
    }
    return axes;
}

Outputs resize(Operator& op) {
    const bool has_sizes = op.has_input(3);
    // Where sizes are given, scales may be an empty tensor.
    return interpolate(op,
                       {.values = has_sizes ? op.input(3) : op.input(2),
                        .by_scales = !has_sizes,
                        .axes = resized_axes(op)},
                       op.attributes.text("coordinate_transformation_mode", "half_pixel"));
}

// The first form has no modes of coordinates: nearest takes the pixel below.
Outputs resize_by_floor(Operator& op, const Output& scales) {
    Target target{.values = scales, .by_scales = true, .axes = resized_axes(op)};
    drop_kept_axes(op, target);
    return {op.add("Interpolate", {op.input(0), target.values, op.int_list(target.axes)},
                   {{"mode", mode_of(op)},
                    {"shape_calculation_mode", std::string("scales")},
                    {"coordinate_transformation_mode", std::string("asymmetric")},
                    {"nearest_mode", std::string("floor")}})};
}

Outputs upsample_by_attribute(Operator& op) {
    const std::vector<float> scales = op.attributes.reals("scales");
    return resize_by_floor(op, op.constant(Tensor::of<float>(Shape{scales.size()}, scales)));
}

Outputs upsample_by_input(Operator& op) {
    return resize_by_floor(op, op.input(1));
}

Outputs grid_sample(Operator& op) {
    std::string mode = op.attributes.text("mode", op.version() < 20 ? "bilinear" : "linear");
    mode = mode == "linear" ? "bilinear" : mode == "cubic" ? "bicubic" : mode;
    constexpr const char* kModes[] = {"bilinear", "bicubic", "nearest"};
    constexpr const char* kPaddings[] = {"zeros", "border", "reflection"};
    const std::string padding = op.attributes.text("padding_mode", "zeros");
    check_word(op, "mode", mode, kModes);
    check_word(op, "padding_mode", padding, kPaddings);
    return {op.add("GridSample", {op.input(0), op.input(1)},
                   {{"mode", mode},
                    {"padding_mode", padding},
                    {"align_corners", op.attributes.integer("align_corners", 0) != 0}})};
}

const OperatorRow kRows[] = {
    {.type = "Resize", .since = 10, .translate = upsample_by_input},
    {.type = "Resize",
     .since = 11,
     .translate = resize,
     .note = "tf_crop_and_resize, half_pixel_symmetric, exclude_outside, antialias and "
             "keep_aspect_ratio_policy for known sizes, as products"},
    {.type = "Upsample", .since = 7, .translate = upsample_by_attribute},
    {.type = "Upsample", .since = 9, .translate = upsample_by_input},
    {.type = "GridSample", .since = 16, .translate = grid_sample, .note = "2D"},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::onnx_reader::resize_operators
