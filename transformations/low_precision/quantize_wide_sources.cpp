// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Layers of sources of 9 to 16 bits and weights of 8 read integers of 16 bits.
//
//   Law:     sum (q - z) * s * k * t = (s * t) * sum (q - z) * k, z whole; of a depthwise
//            convolution s and z may differ from channel to channel
//   Before:  x -> FakeQuantize(il, ih, ol, oh) levels=257..65536
//              -> Convolution | GroupConvolution | MatMul with weights Const i8 -> Convert ->
//                 Multiply(t)
//   After:   q = FakeQuantize(x, il, ih, 0, levels - 1) output_type=f32 -> Convert u16
//              -> the layer on q, k and z : f32 -> Multiply(s * t)
//            Reshape and its like and MaxPool before the layer move q. Other readers of the FQ stay.
//   Leaves:  to split_wide_fake_quantize, which makes bytes of q: sums that do not fit 32 bits,
//            groups of more than one channel, three dimensions, zero points that are no whole
//            numbers, zero points of weights, ranges a channel before layers that sum over channels.
//   Source:  docs/fake_quantize.md, equation 1.
#include "transformations/low_precision/quantize_wide_sources.hpp"

#include "ops/binary_arithmetic.hpp"
#include "ops/matmul.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/integer_convolution.hpp"
#include "transformations/support/rewrite.hpp"
#include "transformations/support/weights.hpp"
#include "transformations/support/wide_source.hpp"

namespace fuseq {
namespace quantize_wide_sources_pass {
namespace {

constexpr std::string_view kName = "quantize_wide_sources";

bool is_depthwise(const Node& layer) {
    const PartialShape& wei = layer.input(1).partial_shape();
    return layer.is("GroupConvolution") && wei.is_static() && wei.rank() == 5 &&
           wei[1].get_length() == 1 && wei[2].get_length() == 1;
}

// Kinds and dimensions that there are kernels for.
bool has_kernel(const Node& layer) {
    if (!is_one_of(layer, {"Convolution", "GroupConvolution", "MatMul"}) ||
        layer.port(0).type != ElementType::f32 ||
        !layer.input(0).partial_shape().rank_is_static()) {
        return false;
    }
    const std::size_t rank = layer.input(0).partial_shape().rank();
    if (layer.is("MatMul")) {
        return rank >= 2 && layer.input(1).partial_shape().rank_is_static() &&
               layer.input(1).partial_shape().rank() == 2 &&
               !layer.attrs<MatMulAttrs>().transpose_a;
    }
    return layer.is("Convolution") ? rank == 3 || rank == 4 : rank == 4 && is_depthwise(layer);
}

class WideLayers {
public:
    WideLayers(Model& model, PassContext& context)
        : model_(model), context_(context), tensors_(model) {}

    bool take(Node& layer) {
        if (!has_kernel(layer)) {
            return false;
        }
        const auto source = match_wide_source(layer.input(0), context_.options());
        const auto weights = source ? match_normalized_weights(layer) : std::nullopt;
        if (!weights || !weights->zero_point.empty() || !source->has_whole_zero_points() ||
            !(source->per_tensor() || (is_depthwise(layer) && reads_directly(layer, *source)))) {
            return false;
        }
        const std::vector<double> zero_points(source->zero_points.begin(),
                                              source->zero_points.end());
        const Tensor* values = known_constant(weights->values);
        if (values == nullptr || !sums_of_u16_fit(layer, *values, zero_points)) {
            return false;
        }
        replace(layer, *source, *weights);
        context_.rewritten(kName, layer, "integers of 16 bits");
        return true;
    }

private:
    // Dimension 1 is that of the channels.
    static bool reads_directly(const Node& layer, const WideSource& source) {
        return is_one_of(*layer.input_node(0), {"FakeQuantize", "MaxPool"}) &&
               source.integers.scale.size() <= layer.input(1).shape()[0];
    }

    void replace(Node& layer, const WideSource& source, const NormalizedWeights& weights) {
        const std::vector<Use> uses = layer.port().uses;
        for (const std::string& name : weights.origins) {
            add_origin(layer, name);
        }
        const Output q = tensors_.integers_of(layer.input(0), source);
        for (const std::string& name : origins_of(*source.fq)) {
            add_origin(layer, name);
        }
        const Output result = layer.is("MatMul") ? matmul(layer, q, source, weights)
                                                 : convolution(layer, q, source, weights);
        move_uses(uses, layer.output(), result);
    }

    Output convolution(Node& layer,
                       const Output& q,
                       const WideSource& source,
                       const NormalizedWeights& weights) {
        IntegerConvolution integer;
        const Shape wei = layer.input(1).shape();
        const ChannelValues& s = source.integers.scale;
        for (std::size_t c = 0; c < wei[0]; ++c) {
            const double t = weights.scale[weights.scale.size() == 1 ? 0 : c];
            integer.scale.push_back(static_cast<float>(s[s.per_tensor() ? 0 : c] * t));
        }
        for (const float z : source.zero_points) {
            integer.whole.push_back(static_cast<std::int32_t>(z));
        }
        integer.fraction.assign(wei[0], 0.0);
        integer.src = q;
        integer.wei = weights.values;
        return make_integer(layer, integer, 0, kName, context_);
    }

    Output matmul(Node& layer,
                  const Output& q,
                  const WideSource& source,
                  const NormalizedWeights& weights) {
        const std::string name = layer.name();
        layer.set_input(0, q);
        layer.set_input(1, weights.values);
        if (source.zero_points[0] != 0) {
            const Tensor zero = Tensor::scalar(static_cast<std::int32_t>(source.zero_points[0]));
            layer.add_input(make_constant(model_, name + "/zero_point", zero));
        }
        layer.infer();
        std::vector<float> scale;
        for (const float t : weights.scale) {
            scale.push_back(source.integers.scale[0] * t);
        }
        const std::size_t rank = layer.port().shape.rank();
        const Output factor = make_constant(
            model_, name + "/scale", ChannelValues(std::move(scale), rank - 1).to_tensor(rank));
        Node* end = model_.add("Multiply", 1, name + "/dequantize", {layer.output(), factor},
                               BinaryAttrs{});
        end->origins = origins_of(layer);
        return end->output();
    }

    Model& model_;
    PassContext& context_;
    WideTensors tensors_;
};

bool run(Model& model, PassContext& context) {
    WideLayers layers(model, context);
    bool changed = false;
    for (Node* node : model.ordered_nodes()) {
        changed = layers.take(*node) || changed;
    }
    return changed;
}

}  // namespace
}  // namespace quantize_wide_sources_pass

bool quantize_wide_sources(Model& model, PassContext& context) {
    return quantize_wide_sources_pass::run(model, context);
}

}  // namespace fuseq
