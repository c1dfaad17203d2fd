// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Brings quantized weights, however the IR spells them, to i8 and one scale an output channel.
//
//   Law:     FQ(x) = (level(x) - offset) * step with step = (oh - ol) / (levels - 1) and
//            offset = -ol / step; for weights the offset is a whole number.
//   Before:  f32 -> FakeQuantize;  u8 -> Convert -> FakeQuantize;
//            i8|u8 -> Convert -> [Subtract(zero point)] -> [Multiply(scale)], no scale being 1;
//            each followed by any Reshape, Transpose, Squeeze, Unsqueeze; at input 1 of a
//            convolution, deconvolution or matmul.
//   After:   Const i8 (shape of the weights) -> Convert -> Multiply(Const f32, per OC or scalar)
//   Refuses: a zero point that is not a whole number (weight_zero_point), integers that do not fit
//            i8 (weight_range), scales along another dimension than output channels
//            (weight_scale_axis), more than 256 levels (levels), a keep_float layer (kept_float).
//   Source:  DESIGN.md section 4, "four spellings"; docs/fake_quantize.md, equation 1.
#include "transformations/low_precision/normalize_weights.hpp"

#include <algorithm>
#include <map>

#include "ops/binary_arithmetic.hpp"
#include "ops/convert.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"
#include "transformations/support/weight_integers.hpp"

namespace fuseq {
namespace {

constexpr std::string_view kName = "normalize_weights";

// Const i8 -> Convert -> Multiply in front of the consumer.
Output build(Node& consumer, const WeightChain& chain, const WeightIntegers& integers) {
    Model& model = consumer.model();
    const std::string base = consumer.name() + "/weights";
    ConvertAttrs to_real;
    to_real.destination_type = ElementType::f32;
    Node* convert = model.add("Convert", 1, base + "/convert",
                              {make_constant(model, base, integers.values)}, to_real);
    Node* multiply = model.add(
        "Multiply", 1, base + "/multiply",
        {convert->output(), make_constant(model, base + "/scale", integers.scale)}, BinaryAttrs{});
    for (const Node* node : chain.quantizer) {
        for (Node* target : {convert, multiply}) {
            if (target->origins.empty()) {
                target->origins = origins_of(*node);
            } else {
                add_origins(*target, *node);
            }
        }
    }
    return multiply->output();
}

bool kept_float(const WeightChain& chain, const PassOptions& options) {
    return std::any_of(chain.quantizer.begin(), chain.quantizer.end(), [&](const Node* node) {
        return std::find(options.keep_float.begin(), options.keep_float.end(), node->name()) !=
               options.keep_float.end();
    });
}

}  // namespace

bool normalize_weights(Model& model, PassContext& context) {
    bool changed = false;
    // Weights that several layers of one kind read are made once.
    std::map<std::tuple<const Node*, std::size_t, std::vector<std::size_t>>, Output> made;
    for (Node* node : model.ordered_nodes()) {
        const std::optional<WeightChain> chain = match_weight_chain(*node);
        if (!chain) {
            continue;
        }
        if (kept_float(*chain, context.options())) {
            context.refused(kName, *node, "kept_float", "the weights are on the keep-float list");
            continue;
        }
        const Output weights = node->input(1);
        const auto key =
            std::tuple(weights.node, weights.index, output_channel_dims(*node, weights.shape()));
        Output& result = made[key];
        if (!result) {
            WeightIntegers integers;
            if (auto refusal = weight_integers(*node, *chain, integers)) {
                context.refused(kName, *node, std::move(refusal->code), std::move(refusal->text));
                continue;
            }
            result = build(*node, *chain, integers);
        }
        node->set_input(1, result);
        node->infer();
        context.rewritten(kName, *node);
        changed = true;
    }
    return changed;
}

}  // namespace fuseq
