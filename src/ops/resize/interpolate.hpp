// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fuseq/attributes.hpp"
#include "ops/op_spec.hpp"

namespace fuseq {

// The pillow modes exist from opset 11 on; area belongs to opset 1 (refused).
enum class InterpolateMode {
    kNearest,
    kLinear,
    kLinearOnnx,
    kCubic,
    kBilinearPillow,
    kBicubicPillow
};
template <>
struct EnumNames<InterpolateMode> {
    static constexpr const char* kNames[] = {"nearest", "linear",          "linear_onnx",
                                             "cubic",   "bilinear_pillow", "bicubic_pillow"};
};

enum class ShapeCalculation { kSizes, kScales };
template <>
struct EnumNames<ShapeCalculation> {
    static constexpr const char* kNames[] = {"sizes", "scales"};
};

enum class CoordinateTransformation {
    kHalfPixel,
    kPytorchHalfPixel,
    kAsymmetric,
    kTfHalfPixelForNn,
    kAlignCorners
};
template <>
struct EnumNames<CoordinateTransformation> {
    static constexpr const char* kNames[] = {"half_pixel", "pytorch_half_pixel", "asymmetric",
                                             "tf_half_pixel_for_nn", "align_corners"};
};

enum class NearestMode { kRoundPreferFloor, kRoundPreferCeil, kFloor, kCeil, kSimple };
template <>
struct EnumNames<NearestMode> {
    static constexpr const char* kNames[] = {"round_prefer_floor", "round_prefer_ceil", "floor",
                                             "ceil", "simple"};
};

// Opsets 4 and 11.
struct InterpolateAttrs final : AttributesOf<InterpolateAttrs> {
    InterpolateMode mode = InterpolateMode::kNearest;
    ShapeCalculation shape_calculation_mode = ShapeCalculation::kSizes;
    CoordinateTransformation coordinate_transformation_mode = CoordinateTransformation::kHalfPixel;
    NearestMode nearest_mode = NearestMode::kRoundPreferFloor;
    bool antialias = false;
    std::vector<std::int64_t> pads_begin;
    std::vector<std::int64_t> pads_end;
    float cube_coeff = -0.75F;
    void visit(AttributeVisitor& v) override {
        v.required("mode", mode);
        v.required("shape_calculation_mode", shape_calculation_mode);
        v.optional("coordinate_transformation_mode", coordinate_transformation_mode);
        v.optional("nearest_mode", nearest_mode);
        v.optional("antialias", antialias);
        v.optional("pads_begin", pads_begin);
        v.optional("pads_end", pads_end);
        v.optional("cube_coeff", cube_coeff);
    }
};

enum class Interpolate1Mode { kNearest, kLinear, kCubic, kArea };
template <>
struct EnumNames<Interpolate1Mode> {
    static constexpr const char* kNames[] = {"nearest", "linear", "cubic", "area"};
};

struct Interpolate1Attrs final : AttributesOf<Interpolate1Attrs> {
    std::vector<std::int64_t> axes;
    Interpolate1Mode mode = Interpolate1Mode::kNearest;
    bool align_corners = true;
    bool antialias = false;
    std::vector<std::int64_t> pads_begin;
    std::vector<std::int64_t> pads_end;
    void visit(AttributeVisitor& v) override {
        v.required("axes", axes);
        v.required("mode", mode);
        v.optional("align_corners", align_corners);
        v.optional("antialias", antialias);
        v.optional("pads_begin", pads_begin);
        v.optional("pads_end", pads_end);
    }
};

// Resizing of one dimension.
struct AxisResize {
    std::size_t axis = 0;
    std::size_t new_size = 0;
    double scale = 1;  // new / old, or as the model states it
};

// Values read from the padded input to make one output position: their weights, in order.
struct ResizeTap {
    std::size_t index;
    double weight;
};
using AxisTaps = std::vector<std::vector<ResizeTap>>;  // one list an output position

struct TapSettings {
    InterpolateMode mode;
    CoordinateTransformation transformation;
    NearestMode nearest;
    bool antialias;
    double cube_coeff;
};

// Every mode works dimension by dimension. `old_size` is at least 1. `antialias` of the settings
// holds only when some dimension shrinks.
AxisTaps resize_taps(const TapSettings& settings, const AxisResize& resize, std::size_t old_size);

// What a model asks for, in terms of the newest version, with sizes resolved.
struct ResizeRequest {
    TapSettings settings;
    std::vector<std::int64_t> pads_begin;
    std::vector<std::int64_t> pads_end;
    std::vector<AxisResize> axes;
};

// Pads input 0 with zeros, resizes it and writes output 0.
void run_resize(EvalContext& context, const ResizeRequest& request);

}  // namespace fuseq
