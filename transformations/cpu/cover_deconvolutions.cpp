// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Lengthens the kernel of a deconvolution by taps of zero, at the end, until every result has a tap
// that reaches it. oneDNN's int8 deconvolutions give wrong numbers where results go on after the
// last tap of the last element of src, as with an output_padding larger than pads_end; and they
// fill the rows between the taps of a kernel smaller than its stride with what was in registers.
//
//   Law:     a tap of zero adds nothing
//   Before:  ConvolutionBackpropData(x, w)    windows that do not reach every result
//   After:   ConvolutionBackpropData(x, w')   w' = w and zeros; pads_end as much larger
//   Refuses: open shapes, weights or output shapes that are no constants, weights with zero points
//            (0 is no zero then): the reference kernel and the own matrix product are right.
//   Source:  the definition of the operation; docs/wrong_results.md.
#include "transformations/cpu/cover_deconvolutions.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include <fmt/core.h>

#include "ops/deconvolution.hpp"
#include "transformations/support/anchor_zero_points.hpp"

namespace fuseq {
namespace cover_deconvolutions_pass {
namespace {

constexpr std::string_view kName = "cover_deconvolutions";

std::vector<DeconvolutionWindow> windows_of(const Node& node) {
    std::optional<std::vector<std::int64_t>> output_shape;
    if (node.has_input(2)) {
        output_shape = to_ints(node.input_node(2)->constant());
    }
    return deconvolution_windows(node.attrs<DeconvolutionAttrs>(), node.input(0).shape(),
                                 node.input(1).shape(), output_shape);
}

bool is_fixed(const Node& node) {
    return node.input(0).partial_shape().is_static() && node.port().shape.is_static() &&
           shape_size(node.input(0).shape()) != 0 && node.input_node(1)->is_constant() &&
           weight_zero_points(node) == 0 &&
           (!node.has_input(2) || node.input_node(2)->is_constant());
}

// What is cut at the end; less than zero: what no tap reaches.
std::int64_t cut_at_end(const DeconvolutionWindow& d, std::size_t src) {
    const Window& w = d.window;
    return (static_cast<std::int64_t>(src) - 1) * w.stride + w.extent() - w.pad_begin - d.dst;
}

// Taps that a dimension needs at the end. Rows between the taps of a kernel smaller than the stride
// are wrong in every dimension but the last. Dilated kernels run in another implementation.
std::int64_t missing_taps(const DeconvolutionWindow& d, std::int64_t cut, bool is_last) {
    const Window& w = d.window;
    const std::int64_t beyond = cut < 0 ? (w.dilation - cut - 1) / w.dilation : 0;
    const std::int64_t between = is_last || w.dilation != 1 ? 0 : w.stride - w.size;
    return std::max(beyond, between);
}

// The values in a tensor that is longer at the end of some dimensions, of zeros there.
Tensor lengthened(const Tensor& values, const Shape& shape) {
    Tensor result(values.get_element_type(), shape);
    std::memset(result.data(), 0, result.get_byte_size());
    const Shape& old = values.get_shape();
    const std::size_t row = old.back() * size_of(values.get_element_type());
    const auto* from = static_cast<const std::byte*>(values.data());
    auto* to = static_cast<std::byte*>(result.data());
    for (std::size_t i = 0; i < values.get_size() / old.back(); ++i) {
        std::size_t rest = i;
        std::size_t place = 0;  // row of the result
        std::size_t rows = 1;
        for (std::size_t d = old.size() - 1; d-- > 0;) {
            place += rest % old[d] * rows;
            rest /= old[d];
            rows *= shape[d];
        }
        std::memcpy(to + place * shape.back() * size_of(values.get_element_type()), from + i * row,
                    row);
    }
    return result;
}

// Whether it changed something.
bool cover(Model& model, Node& node) {
    const Shape src = node.input(0).shape();
    const std::vector<DeconvolutionWindow> windows = windows_of(node);
    Shape kernel = node.input(1).shape();
    auto attrs = node.attrs<DeconvolutionAttrs>();
    attrs.pads_begin.clear();
    attrs.pads_end.clear();
    for (std::size_t d = 0; d < windows.size(); ++d) {
        const Window& w = windows[d].window;
        const std::int64_t cut = cut_at_end(windows[d], src[d + 2]);
        const std::int64_t taps = missing_taps(windows[d], cut, d + 1 == windows.size());
        kernel[kernel.size() - windows.size() + d] += static_cast<std::size_t>(taps);
        attrs.pads_begin.push_back(w.pad_begin);
        attrs.pads_end.push_back(cut + taps * w.dilation);
    }
    if (kernel == node.input(1).shape()) {
        return false;
    }
    attrs.auto_pad = AutoPad::kExplicit;
    attrs.output_padding.clear();
    Node& weights = *node.input_node(1);
    node.set_input(1, model
                          .add_constant(model.unique_name(weights.name() + "/covering"),
                                        lengthened(weights.constant(), kernel))
                          ->output());
    if (node.has_input(2)) {
        node.set_input(2, Output{});
    }
    node.attrs<DeconvolutionAttrs>() = attrs;
    node.infer();
    return true;
}

bool run(Model& model, PassContext& context) {
    bool changed = false;
    for (const char* type : {"ConvolutionBackpropData", "GroupConvolutionBackpropData"}) {
        for (Node* node : model.find_all(type)) {
            if (is_fixed(*node) && cover(model, *node)) {
                context.rewritten(
                    kName, *node,
                    fmt::format("the kernel became {}", to_string(node->input(1).shape())));
                changed = true;
            }
        }
    }
    return changed;
}

}  // namespace
}  // namespace cover_deconvolutions_pass

bool cover_deconvolutions(Model& model, PassContext& context) {
    return cover_deconvolutions_pass::run(model, context);
}

}  // namespace fuseq
