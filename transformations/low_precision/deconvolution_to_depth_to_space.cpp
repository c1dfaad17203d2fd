// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes a deconvolution whose kernels do not overlap a 1x1 convolution and a pixel shuffle.
//
//   Law:     with stride = kernel and no padding, dst[oc, i * k + a] = sum over ic of
//            src[ic, i] * wei[ic, oc, a]: one 1x1 convolution with output channels [a, oc].
//   Before:  ConvolutionBackpropData(x, Const [IC, OC, k, k]) strides = [k, k]
//   After:   Convolution(x, Const [k * k * OC, IC, 1, 1]) -> DepthToSpace(blocks_first, k)
//   Refuses: u8 sources, for which oneDNN's deconvolution is as fast and moves nothing; kernels
//            that are not square, overlap or leave gaps; padding; groups; open shapes.
//   Source:  DESIGN.md section 8: s8 sources a quarter as fast as u8 ones, f32 at 37 GMAC/s.
#include "transformations/low_precision/deconvolution_to_depth_to_space.hpp"

#include <algorithm>

#include "ops/convolution.hpp"
#include "ops/deconvolution.hpp"
#include "ops/depth_to_space.hpp"
#include "ops/strided_copy.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace deconvolution_to_depth_to_space_pass {
namespace {

constexpr std::string_view kName = "deconvolution_to_depth_to_space";

// The block, when kernels lie side by side; else 0.
std::size_t block_of(const Node& deconv) {
    if (!deconv.input_node(1)->is_constant() || !deconv.input(0).partial_shape().is_static() ||
        deconv.input(0).type() == ElementType::u8 || !deconv.port().shape.is_static()) {
        return 0;
    }
    const Shape src = deconv.input(0).shape();
    const Shape dst = deconv.port().shape.to_shape();
    const Shape& wei = deconv.input_node(1)->constant().get_shape();
    const auto& attrs = deconv.attrs<DeconvolutionAttrs>();
    const std::size_t block = wei[2];
    for (std::size_t d = 2; d < wei.size(); ++d) {
        const bool padded =
            at_or(attrs.output_padding, d - 2, 0) != 0 ||
            (attrs.auto_pad == AutoPad::kExplicit &&
             (at_or(attrs.pads_begin, d - 2, 0) != 0 || at_or(attrs.pads_end, d - 2, 0) != 0));
        if (wei[d] != block || attrs.strides[d - 2] != static_cast<std::int64_t>(block) ||
            at_or(attrs.dilations, d - 2, 1) != 1 || padded || dst[d] != src[d] * block) {
            return 0;
        }
    }
    return block;
}

// [IC, OC, kernel] to [kernel, OC, IC, 1, ..]: bytes only move.
Tensor pointwise_weights(const Tensor& weights) {
    const Shape& shape = weights.get_shape();
    const std::size_t ic = shape[0];
    const std::size_t oc = shape[1];
    const std::size_t kernel = weights.get_size() / (ic * oc);
    Shape result_shape(shape.size(), 1);
    result_shape[0] = kernel * oc;
    result_shape[1] = ic;
    Tensor result(weights.get_element_type(), {kernel, oc, ic});
    copy_transposed(weights.reshaped({ic, oc, kernel}), {2, 1, 0}, result);
    return result.reshaped(result_shape);
}

// [OC] for each of `times` pixels: the channels of the convolution. One value stays one.
Tensor repeated(const Tensor& values, std::size_t times) {
    const std::vector<float> channels = to_floats(values);
    if (channels.size() == 1) {
        return values;
    }
    std::vector<float> result;
    for (std::size_t i = 0; i < times; ++i) {
        result.insert(result.end(), channels.begin(), channels.end());
    }
    return Tensor::of(Shape{result.size()}, result);
}

void rewrite(Node& deconv, std::size_t block) {
    Model& model = deconv.model();
    const std::size_t spatial = deconv.input(0).shape().size() - 2;
    const Shape wei = deconv.input(1).shape();
    const std::size_t pixels = shape_size(wei) / (wei[0] * wei[1]);
    std::vector<Output> inputs = {
        deconv.input(0), make_constant(model, deconv.input_node(1)->name(),
                                       pointwise_weights(deconv.input_node(1)->constant()))};
    if (deconv.has_input(3) || deconv.has_input(4)) {
        inputs.push_back(deconv.has_input(3) ? deconv.input(3) : Output{});  // of the source
    }
    if (deconv.has_input(4)) {
        inputs.push_back(make_constant(model, deconv.input_node(4)->name(),
                                       repeated(deconv.input_node(4)->constant(), pixels)));
    }
    ConvolutionAttrs attrs;
    attrs.strides.assign(spatial, 1);
    attrs.dilations.assign(spatial, 1);
    attrs.pads_begin.assign(spatial, 0);
    attrs.pads_end.assign(spatial, 0);
    const std::vector<std::string> origins = origins_of(deconv);
    const std::string name = deconv.name();
    Node* conv = model.add("Convolution", 1, model.unique_name(name + "/pixels"), inputs, attrs);
    conv->origins = origins;
    BlockAttrs shuffle;
    shuffle.mode = BlockOrder::kBlocksFirst;
    shuffle.block_size = static_cast<std::int64_t>(block);
    Node* move = model.add("DepthToSpace", 1, model.unique_name(name + "/shuffle"),
                           {conv->output()}, shuffle);
    move->origins = origins;
    redirect(deconv.output(), move->output());
    deconv.set_name(model.unique_name(name + "/replaced"));
    move->set_name(name);
}

bool run(Model& model, PassContext& context) {
    bool changed = false;
    for (Node* deconv : model.find_all("ConvolutionBackpropData")) {
        const std::size_t block = block_of(*deconv);
        if (block > 1) {
            rewrite(*deconv, block);
            context.rewritten(kName, *deconv);
            changed = true;
        }
    }
    return changed;
}

}  // namespace
}  // namespace deconvolution_to_depth_to_space_pass

bool deconvolution_to_depth_to_space(Model& model, PassContext& context) {
    return deconvolution_to_depth_to_space_pass::run(model, context);
}

}  // namespace fuseq
