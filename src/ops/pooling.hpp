// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What MaxPool and AvgPool share. src [N, C, spatial...] -> dst [N, C, positions...]
#pragma once

#include "ops/spatial.hpp"

namespace fuseq {

// Torch: like ceil, but a window that would begin in the end padding is not added.
enum class RoundingType { kFloor, kCeil, kCeilTorch };
template <>
struct EnumNames<RoundingType> {
    static constexpr const char* kNames[] = {"floor", "ceil", "ceil_torch"};
};

// MaxPool-1 and the window of every pooling.
struct PoolAttrs {
    std::vector<std::int64_t> strides;
    std::vector<std::int64_t> pads_begin;
    std::vector<std::int64_t> pads_end;
    std::vector<std::int64_t> kernel;
    std::vector<std::int64_t> dilations;  // MaxPool-8, MaxPool-14, AvgPool-16
    RoundingType rounding_type = RoundingType::kFloor;
    AutoPad auto_pad = AutoPad::kExplicit;
};

struct MaxPoolAttrs final : AttributesOf<MaxPoolAttrs>, PoolAttrs {
    void visit(AttributeVisitor& v) override {
        v.required("strides", strides);
        v.optional("pads_begin", pads_begin);
        v.optional("pads_end", pads_end);
        v.required("kernel", kernel);
        v.optional("rounding_type", rounding_type);
        v.optional("auto_pad", auto_pad);
    }
};

// MaxPool-8 and MaxPool-14.
struct MaxPool8Attrs final : AttributesOf<MaxPool8Attrs>, PoolAttrs {
    ElementType index_element_type = ElementType::i64;
    std::int64_t axis = 0;  // indices count elements from this dimension on
    void visit(AttributeVisitor& v) override {
        v.required("strides", strides);
        v.optional("dilations", dilations);
        v.optional("pads_begin", pads_begin);
        v.optional("pads_end", pads_end);
        v.required("kernel", kernel);
        v.optional("rounding_type", rounding_type);
        v.optional("auto_pad", auto_pad);
        v.optional("index_element_type", index_element_type);
        v.optional("axis", axis);
    }
};

struct AverageAttrs : PoolAttrs {
    bool exclude_pad = true;
    // Set by transformations: an integer src is averaged to this real type. Undefined: the type of
    // src, integers rounded half to even.
    ElementType output_type = ElementType::undefined;

protected:
    void visit_average(AttributeVisitor& v, bool dilated) {
        v.required("strides", strides);
        if (dilated) {
            v.optional("dilations", dilations);
        }
        v.optional("pads_begin", pads_begin);
        v.optional("pads_end", pads_end);
        v.required("kernel", kernel);
        v.required("exclude-pad", exclude_pad);
        v.optional("rounding_type", rounding_type);
        v.optional("auto_pad", auto_pad);
        v.internal("output_type", output_type);
    }
};

// AvgPool-1 and AvgPool-14.
struct AvgPoolAttrs final : AttributesOf<AvgPoolAttrs>, AverageAttrs {
    void visit(AttributeVisitor& v) override { visit_average(v, false); }
};

struct AvgPool16Attrs final : AttributesOf<AvgPool16Attrs>, AverageAttrs {
    void visit(AttributeVisitor& v) override { visit_average(v, true); }
};

// The pool attributes of a MaxPool or AvgPool of any version.
const PoolAttrs& pool_attrs(const Node& node);
// The attributes of an AvgPool of any version.
const AverageAttrs& average_attrs(const Node& node);
AverageAttrs& average_attrs(Node& node);

// Windows of the spatial dimensions with padding resolved, and the number of their positions.
struct PoolGeometry {
    std::vector<Window> windows;
    std::vector<std::int64_t> positions;
};
PoolGeometry pool_geometry(const PoolAttrs& attrs, const Shape& src);

// Whether a window meets no element of src: it lies in the padding, or a dilated one steps over
// src.
bool has_window_in_padding(const PoolGeometry& geometry, const Shape& src);

// Whether the result of a MaxPool is the maxima alone: it has no indices, or they are not read.
bool gives_maxima_only(const Node& node);

// Checks the attributes; shape of dst. Operations before version 14 do not know ceil_torch.
PartialShape pool_output_shape(const InferContext& context, const PoolAttrs& attrs);

// Every pooling as one over three spatial dimensions; missing leading ones have size 1.
struct PoolLoops {
    std::int64_t planes = 1;  // N * C
    std::int64_t in[3]{1, 1, 1};
    std::int64_t out[3]{1, 1, 1};
    Window window[3];
    Shape dst;
};
// The shape of src fits the attributes.
PoolLoops pool_loops(const PoolAttrs& attrs, const Shape& src);
// Throws Error when the shape of src does not fit the attributes.
PoolLoops pool_loops(const EvalContext& context, const PoolAttrs& attrs, const Shape& src);

// Calls window(plane, first[3]) for every position in the order of dst; first may be negative.
template <class Function>
void for_each_pool_window(const PoolLoops& loops, Function window) {
    for (std::int64_t plane = 0; plane < loops.planes; ++plane) {
        for (std::int64_t d = 0; d < loops.out[0]; ++d) {
            for (std::int64_t h = 0; h < loops.out[1]; ++h) {
                for (std::int64_t w = 0; w < loops.out[2]; ++w) {
                    const std::int64_t first[3] = {
                        d * loops.window[0].stride - loops.window[0].pad_begin,
                        h * loops.window[1].stride - loops.window[1].pad_begin,
                        w * loops.window[2].stride - loops.window[2].pad_begin};
                    window(plane, first);
                }
            }
        }
    }
}

// Calls element(offset in the plane) for every element of src that the window covers.
template <class Function>
void for_each_pool_element(const PoolLoops& loops, const std::int64_t first[3], Function element) {
    const auto inside = [&](std::size_t d, std::int64_t k, std::int64_t& at) {
        at = first[d] + k * loops.window[d].dilation;
        return at >= 0 && at < loops.in[d];
    };
    std::int64_t z = 0;
    std::int64_t y = 0;
    std::int64_t x = 0;
    for (std::int64_t kd = 0; kd < loops.window[0].size; ++kd) {
        for (std::int64_t kh = 0; inside(0, kd, z) && kh < loops.window[1].size; ++kh) {
            for (std::int64_t kw = 0; inside(1, kh, y) && kw < loops.window[2].size; ++kw) {
                if (inside(2, kw, x)) {
                    element((z * loops.in[1] + y) * loops.in[2] + x);
                }
            }
        }
    }
}

}  // namespace fuseq
