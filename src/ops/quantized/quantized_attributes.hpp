// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Attributes of the operations of the set "fuseq", which work on quantized tensors:
// real = (q - zero_point) * scale. Their files say what each of them computes.
//
// Zero points are integers of the type of their tensor. A list of zero points may be left out: all
// are 0. A fused activation is a clamp in the grid of dst: clamp_min and clamp_max, as integers of
// dst, beside the range of its type.
//
// The operations and their inputs (integers of 8 or 16 bits where not said otherwise):
//
//   Quantize(x f32), Dequantize(q) -> f32, Requantize(q): to another grid; with a clamp also a ReLU
//   DynamicQuantize(x f32) -> u8, scale f32, zero point u8, both found in the data
//   QuantizedConvolution(src, weights [OC, IC/groups, kernel...], bias i32 or i64 [OC], zero point)
//   QuantizedDeconvolution(src, weights [IC, OC/groups, kernel...], bias, optional)
//   QuantizedMatMul(a, b, bias [N], zero point): as MatMul; output_type f32 gives real values
//   QuantizedAdd, QuantizedSubtract, QuantizedMultiply, QuantizedDivide, QuantizedSquaredDifference(a, b):
//     broadcast as numpy does
//   QuantizedConcat(a, b, ...), QuantizedAveragePool(q), QuantizedMaxPool(q), QuantizedMean(q), QuantizedSum(q)
//   QuantizedLeakyRelu(q), QuantizedTable(q), QuantizedSoftmax(q), QuantizedResizeBilinear(q)
//   QuantizedL2Normalization(q)
//
// output_type i32 of a convolution or product gives the sums themselves. Bias and zero point are
// optional. The bias stands in the scale of the product, input_scales[0] * weight_scales[c]; the
// zero point, one integer, is that of src where it is known at run time only. What only moves integers (Reshape,
// Transpose, Pad, Slice, nearest neighbours, Minimum, ...) are the operations of the opsets.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "ops/pooling.hpp"
#include "ops/quantized/quantize_method.hpp"
#include "ops/spatial.hpp"

namespace fuseq {

// Quantize: f32 -> output_type. One scale, or one an index of dimension `axis`.
struct QuantizeAttrs final : AttributesOf<QuantizeAttrs> {
    QuantizeMethod method = QuantizeMethod::kNative;
    std::vector<float> scales;
    std::vector<std::int64_t> zero_points;
    std::int64_t axis = 0;
    ElementType output_type = ElementType::u8;
    void visit(AttributeVisitor& v) override {
        v.optional("method", method);
        v.required("scales", scales);
        v.optional("zero_points", zero_points);
        v.optional("axis", axis);
        v.required("output_type", output_type);
    }
};

// Dequantize: integers -> f32, f32(q - zero_point) * scale under every method.
struct DequantizeAttrs final : AttributesOf<DequantizeAttrs> {
    std::vector<float> scales;
    std::vector<std::int64_t> zero_points;
    std::int64_t axis = 0;
    void visit(AttributeVisitor& v) override {
        v.required("scales", scales);
        v.optional("zero_points", zero_points);
        v.optional("axis", axis);
    }
};

// What the others have in common.
struct QuantizedAttrs {
    static constexpr std::int64_t kNoMin = std::numeric_limits<std::int32_t>::min();
    static constexpr std::int64_t kNoMax = std::numeric_limits<std::int32_t>::max();

    QuantizeMethod method = QuantizeMethod::kNative;
    std::vector<float> input_scales;  // of the data inputs, in order; weights have their own
    std::vector<std::int64_t> input_zero_points;
    float output_scale = 1.0F;
    std::int64_t output_zero_point = 0;
    ElementType output_type = ElementType::u8;
    std::int64_t clamp_min = kNoMin;
    std::int64_t clamp_max = kNoMax;

    std::int64_t input_zero_point(std::size_t i) const {
        return input_zero_points.empty() ? 0 : input_zero_points.at(i);
    }

protected:
    void visit_grids(AttributeVisitor& v) {
        v.optional("method", method);
        v.required("input_scales", input_scales);
        v.optional("input_zero_points", input_zero_points);
        v.required("output_scale", output_scale);
        v.optional("output_zero_point", output_zero_point);
        v.required("output_type", output_type);
        v.optional("clamp_min", clamp_min);
        v.optional("clamp_max", clamp_max);
    }
};

// Requantize, QuantizedAdd, QuantizedSubtract, QuantizedMultiply, QuantizedDivide,
// QuantizedSquaredDifference.
// `slope`: a product with the slope of a PReLU, which has the rule of leaky ReLU. `shifts`: a sum or
// difference of i16 whose scales are powers of two, which TFLite shifts.
struct RequantizeAttrs final : AttributesOf<RequantizeAttrs>, QuantizedAttrs {
    bool slope = false;
    bool shifts = false;
    void visit(AttributeVisitor& v) override {
        visit_grids(v);
        v.optional("slope", slope);
        v.optional("shifts", shifts);
    }
};

// Weights: one scale, or one an output channel; the same for zero points.
struct WeightAttrs : QuantizedAttrs {
    std::vector<float> weight_scales;
    std::vector<std::int64_t> weight_zero_points;

protected:
    void visit_weights(AttributeVisitor& v) {
        visit_grids(v);
        v.required("weight_scales", weight_scales);
        v.optional("weight_zero_points", weight_zero_points);
    }
};

// QuantizedConvolution and QuantizedDeconvolution.
struct QuantizedFilterAttrs : WeightAttrs {
    std::vector<std::int64_t> strides;
    std::vector<std::int64_t> dilations;
    std::vector<std::int64_t> pads_begin;
    std::vector<std::int64_t> pads_end;
    AutoPad auto_pad = AutoPad::kExplicit;
    std::int64_t groups = 1;
    bool channels_last = false;  // src and dst are [N, spatial..., C]

protected:
    void visit_filter(AttributeVisitor& v) {
        visit_weights(v);
        v.required("strides", strides);
        v.optional("dilations", dilations);
        v.optional("pads_begin", pads_begin);
        v.optional("pads_end", pads_end);
        v.optional("auto_pad", auto_pad);
        v.optional("groups", groups);
        v.optional("channels_last", channels_last);
    }
};

struct QuantizedConvolutionAttrs final : AttributesOf<QuantizedConvolutionAttrs>,
                                         QuantizedFilterAttrs {
    // The framework's depthwise operator, which may round by another rule. It is told apart from a
    // convolution of one group where src has one channel.
    bool depthwise = false;
    void visit(AttributeVisitor& v) override {
        visit_filter(v);
        v.optional("depthwise", depthwise);
    }
};

struct QuantizedDeconvolutionAttrs final : AttributesOf<QuantizedDeconvolutionAttrs>,
                                           QuantizedFilterAttrs {
    std::vector<std::int64_t> output_padding;
    // Spatial sizes of dst where they are stated; pads_end and output_padding are not used then.
    std::vector<std::int64_t> output_sizes;
    void visit(AttributeVisitor& v) override {
        visit_filter(v);
        v.optional("output_padding", output_padding);
        v.optional("output_sizes", output_sizes);
    }
};

struct QuantizedMatMulAttrs final : AttributesOf<QuantizedMatMulAttrs>, WeightAttrs {
    bool transpose_a = false;
    bool transpose_b = false;
    // Multiplies the product of the scales, in f32 before all else (Gemm of ONNX).
    float alpha = 1.0F;
    void visit(AttributeVisitor& v) override {
        visit_weights(v);
        v.optional("transpose_a", transpose_a);
        v.optional("transpose_b", transpose_b);
        v.optional("alpha", alpha);
    }
};

struct QuantizedConcatAttrs final : AttributesOf<QuantizedConcatAttrs>, QuantizedAttrs {
    std::int64_t axis = 0;
    void visit(AttributeVisitor& v) override {
        visit_grids(v);
        v.required("axis", axis);
    }
};

// QuantizedAveragePool and QuantizedMaxPool.
struct QuantizedPoolAttrs final : AttributesOf<QuantizedPoolAttrs>, QuantizedAttrs {
    std::vector<std::int64_t> kernel;
    std::vector<std::int64_t> strides;
    std::vector<std::int64_t> dilations;
    std::vector<std::int64_t> pads_begin;
    std::vector<std::int64_t> pads_end;
    AutoPad auto_pad = AutoPad::kExplicit;
    RoundingType rounding_type = RoundingType::kFloor;
    bool exclude_pad = true;     // an average divides by the elements inside src
    bool channels_last = false;  // src and dst are [N, spatial..., C]
    void visit(AttributeVisitor& v) override {
        visit_grids(v);
        v.required("kernel", kernel);
        v.required("strides", strides);
        v.optional("dilations", dilations);
        v.optional("pads_begin", pads_begin);
        v.optional("pads_end", pads_end);
        v.optional("auto_pad", auto_pad);
        v.optional("rounding_type", rounding_type);
        v.optional("exclude_pad", exclude_pad);
        v.optional("channels_last", channels_last);
    }
};

struct QuantizedMeanAttrs final : AttributesOf<QuantizedMeanAttrs>, QuantizedAttrs {
    std::vector<std::int64_t> axes;
    bool keep_dims = false;
    // The framework's mean over height and width of an image, which may round by another rule.
    bool image = false;
    void visit(AttributeVisitor& v) override {
        visit_grids(v);
        v.required("axes", axes);
        v.optional("keep_dims", keep_dims);
        v.optional("image", image);
    }
};

struct QuantizedLeakyReluAttrs final : AttributesOf<QuantizedLeakyReluAttrs>, QuantizedAttrs {
    float alpha = 0.01F;
    void visit(AttributeVisitor& v) override {
        visit_grids(v);
        v.required("alpha", alpha);
    }
};

struct QuantizedL2NormalizationAttrs final : AttributesOf<QuantizedL2NormalizationAttrs>,
                                             QuantizedAttrs {
    std::int64_t axis = -1;
    void visit(AttributeVisitor& v) override {
        visit_grids(v);
        v.optional("axis", axis);
    }
};

enum class QuantizedFunction { kSigmoid, kTanh, kElu, kExp, kGelu };
template <>
struct EnumNames<QuantizedFunction> {
    static constexpr const char* kNames[] = {"sigmoid", "tanh", "elu", "exp", "gelu"};
};

struct QuantizedTableAttrs final : AttributesOf<QuantizedTableAttrs>, QuantizedAttrs {
    QuantizedFunction function = QuantizedFunction::kSigmoid;
    void visit(AttributeVisitor& v) override {
        visit_grids(v);
        v.required("function", function);
    }
};

struct QuantizedSoftmaxAttrs final : AttributesOf<QuantizedSoftmaxAttrs>, QuantizedAttrs {
    std::int64_t axis = -1;
    float beta = 1.0F;
    bool logarithm = false;  // of the shares
    void visit(AttributeVisitor& v) override {
        visit_grids(v);
        v.optional("axis", axis);
        v.optional("beta", beta);
        v.optional("logarithm", logarithm);
    }
};

// QuantizedResizeBilinear.
struct QuantizedResizeAttrs final : AttributesOf<QuantizedResizeAttrs>, QuantizedAttrs {
    std::vector<std::int64_t> sizes;  // height and width of dst
    bool align_corners = false;
    bool half_pixel_centers = false;
    bool channels_last = false;
    void visit(AttributeVisitor& v) override {
        visit_grids(v);
        v.required("sizes", sizes);
        v.optional("align_corners", align_corners);
        v.optional("half_pixel_centers", half_pixel_centers);
        v.optional("channels_last", channels_last);
    }
};

// The common attributes of an operation of this set that has them; null of Quantize, Dequantize and
// all other operations.
const QuantizedAttrs* quantized_attrs(const Node& node);
// Where the method of an operation of this set stands; null where it has none.
QuantizeMethod* quantize_method(Node& node);
const QuantizeMethod* quantize_method(const Node& node);

}  // namespace fuseq
