// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/lowering/group.hpp"

#include <algorithm>
#include <optional>

#include "cpu/lowering/u16_product_problem.hpp"
#include "ops/deconvolution.hpp"

namespace fuseq::cpu {

bool storable(ElementType type) {
    return type == ElementType::f32 || type == ElementType::u8 || type == ElementType::i8;
}

bool has_static_shapes(const Node& node) {
    return std::all_of(node.inputs().begin(), node.inputs().end(),
                       [](const Output& in) { return !in || in.partial_shape().is_static(); }) &&
           node.port(0).shape.is_static();
}

namespace {

bool is_convolution(const Node& node) {
    return node.is("Convolution") || node.is("GroupConvolution");
}

bool is_deconvolution(const Node& node) {
    return node.is("ConvolutionBackpropData") || node.is("GroupConvolutionBackpropData");
}

// Integer anchors have i8 weights: the low-precision passes make no others, an IR may.
bool types_fit(const Node& node) {
    const ElementType src = node.input(0).type();
    const ElementType wei = node.input(1).type();
    if (src == ElementType::u16) {
        return is_u16_product(node);
    }
    return storable(src) && (src == ElementType::f32 ? wei == src : wei == ElementType::i8);
}

// oneDNN finds the size of src from dst by a division; what an output_padding of a stride or more
// adds does not come out.
bool sizes_fit_onednn(const Node& node) {
    std::optional<std::vector<std::int64_t>> output_shape;
    if (node.has_input(2)) {
        const Shape dst = node.port(0).shape.to_shape();
        output_shape.emplace(dst.begin() + 2, dst.end());
    }
    const Shape src = node.input(0).shape();
    const auto spatial = deconvolution_windows(node.attrs<DeconvolutionAttrs>(), src,
                                               node.input(1).shape(), output_shape);
    for (std::size_t d = 0; d < spatial.size(); ++d) {
        const Window& w = spatial[d].window;
        const std::int64_t room = spatial[d].dst + w.pad_begin + w.pad_end - w.extent();
        if (room < 0 || w.pad_end + w.stride < 0 ||
            room / w.stride + 1 != static_cast<std::int64_t>(src[d + 2])) {
            return false;
        }
    }
    return true;
}

}  // namespace

bool is_anchor(const Node& node) {
    if (!is_convolution(node) && !node.is("MatMul") && !is_deconvolution(node)) {
        return false;
    }
    if (!has_static_shapes(node) || shape_size(node.port(0).shape.to_shape()) == 0) {
        return false;
    }
    if (node.is("MatMul")) {
        return node.port(0).shape.rank() >= 2 && node.input(0).shape().size() >= 2 &&
               node.input(1).shape().size() >= 2 && types_fit(node);
    }
    return node.input_node(1)->is_constant() && types_fit(node) &&
           (!is_deconvolution(node) || sizes_fit_onednn(node));
}

}  // namespace fuseq::cpu
