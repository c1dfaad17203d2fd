// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Layers whose source and weights both have 9 to 16 bits run on integers, with exact sums of 64
// bits.
//
//   Law:     sum (q - z) * s * k * t = (s * t) * sum (q - z) * k, z whole
//   Before:  x -> FakeQuantize(il, ih, ol, oh) levels=257..65536 -> layer with weights k * t of
//            i16 or u16, or of a FakeQuantize with as many levels
//   After:   q = FakeQuantize(x, il, ih, 0, levels - 1) output_type=f32 -> Convert u16
//              -> QuantizedConvolution | QuantizedMatMul(q, k) output_type=f32
//            Reshape and its like and MaxPool before the layer move q. Other readers of the FQ stay.
//   Refuses: a range a channel before the layer (per_channel_scale), a zero point that is no whole
//            number (zero_point), weights that are no multiples of a scale an output channel
//            (weight_scale_axis), a MatMul by other than a matrix or with its source transposed
//            (wide_matrix).
//   Source:  docs/fake_quantize.md, equation 1.
#include "transformations/low_precision/quantize_wide_products.hpp"

#include "ops/convolution.hpp"
#include "ops/matmul.hpp"
#include "ops/quantized/quantized_attributes.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"
#include "transformations/support/wide_integers.hpp"
#include "transformations/support/wide_source.hpp"

namespace fuseq {
namespace quantize_wide_products_pass {
namespace {

constexpr std::string_view kName = "quantize_wide_products";

class WideProducts {
public:
    WideProducts(Model& model, PassContext& context)
        : model_(model), context_(context), tensors_(model) {}

    bool take(Node& layer) {
        if (!is_one_of(layer, {"Convolution", "GroupConvolution", "MatMul"}) ||
            layer.port(0).type != ElementType::f32) {
            return false;
        }
        const auto chain = match_wide_weights(layer);
        const auto source =
            chain ? match_wide_source(layer.input(0), context_.options()) : std::nullopt;
        if (!source || !takes(layer, *source)) {
            return false;
        }
        const auto weights = wide_weight_integers(layer, *chain);
        if (!weights) {
            return refuse(layer, "weight_scale_axis",
                          "its weights are no integers of 16 bits with a scale an output channel");
        }
        replace(layer, *source, *weights);
        context_.rewritten(kName, layer, "integers of 16 bits, sums of 64 bits");
        return true;
    }

private:
    bool refuse(const Node& layer, std::string code, std::string text) {
        context_.refused(kName, layer, std::move(code), std::move(text));
        return false;
    }

    bool takes(const Node& layer, const WideSource& source) {
        if (!source.per_tensor()) {
            return refuse(layer, "per_channel_scale",
                          "its source has more than 256 levels and a range a channel");
        }
        if (!source.has_whole_zero_points()) {
            return refuse(layer, "zero_point", "the zero point of its source is no whole number");
        }
        const bool matrix = !layer.is("MatMul") || (layer.input(0).partial_shape().rank() >= 2 &&
                                                    layer.input(1).partial_shape().rank() == 2 &&
                                                    !layer.attrs<MatMulAttrs>().transpose_a);
        return matrix ||
               refuse(layer, "wide_matrix", "for rows as they are and one matrix of weights");
    }

    void replace(Node& layer, const WideSource& source, const WideWeightIntegers& weights) {
        Tensor values = weights.values;
        Node* product = nullptr;
        const Output q = tensors_.integers_of(layer.input(0), source);
        const std::string& name = layer.name();
        if (layer.is("MatMul")) {
            QuantizedMatMulAttrs attrs;
            set_grids(attrs, source, weights);
            attrs.transpose_b = layer.attrs<MatMulAttrs>().transpose_b;
            product = model_.add("QuantizedMatMul", 1, name,
                                 {q, make_constant(model_, layer.name() + "/weights", values)},
                                 std::move(attrs));
        } else {
            QuantizedConvolutionAttrs attrs;
            set_grids(attrs, source, weights);
            const auto& windows = layer.attrs<ConvolutionAttrs>();
            attrs.strides = windows.strides;
            attrs.dilations = windows.dilations;
            attrs.pads_begin = windows.pads_begin;
            attrs.pads_end = windows.pads_end;
            attrs.auto_pad = windows.auto_pad;
            if (layer.is("GroupConvolution")) {
                Shape shape = values.get_shape();  // [G, OC / G, IC / G, kernel...]
                attrs.groups = static_cast<std::int64_t>(shape[0]);
                shape[1] *= shape[0];
                shape.erase(shape.begin());
                values = values.reshaped(shape);
            }
            product = model_.add("QuantizedConvolution", 1, name,
                                 {q, make_constant(model_, layer.name() + "/weights", values)},
                                 std::move(attrs));
        }
        product->origins = origins_of(layer);
        for (const std::string& origin : origins_of(*source.fq)) {
            product->origins.push_back(origin);
        }
        redirect(layer.output(), product->output());
    }

    static void set_grids(WeightAttrs& attrs,
                          const WideSource& source,
                          const WideWeightIntegers& weights) {
        attrs.input_scales = {source.integers.scale[0]};
        attrs.input_zero_points = {static_cast<std::int64_t>(source.zero_points[0])};
        attrs.weight_scales = weights.scales;
        attrs.output_type = ElementType::f32;
    }

    Model& model_;
    PassContext& context_;
    WideTensors tensors_;
};

bool run(Model& model, PassContext& context) {
    WideProducts products(model, context);
    bool changed = false;
    for (Node* node : model.ordered_nodes()) {
        changed = products.take(*node) || changed;
    }
    return changed;
}

}  // namespace
}  // namespace quantize_wide_products_pass

bool quantize_wide_products(Model& model, PassContext& context) {
    return quantize_wide_products_pass::run(model, context);
}

}  // namespace fuseq
