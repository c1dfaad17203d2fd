// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Brings quantized weights, however the IR spells them, to i8 and one scale an output channel.
//
//   Law:     FQ(x) = (level(x) - offset) * step with step = (oh - ol) / (levels - 1) and
//            offset = -ol / step. Of the offset a whole number goes into the integers: the nearest
//            with which they fit i8. What is left, for most weights nothing, stays a zero point.
//   Before:  f32 -> FakeQuantize;  u8 -> Convert -> FakeQuantize;
//            i8|u8 -> Convert -> [Subtract(zero point)] -> [Multiply(scale)], no scale being 1;
//            each followed by any Reshape, Transpose, Squeeze, Unsqueeze; at input 1 of a
//            convolution, deconvolution or matmul.
//   After:   Const i8 (shape of the weights) -> Convert -> [Subtract(Const f32)]
//              -> Multiply(Const f32), each per OC or scalar
//   Refuses: a zero point that varies along another dimension than output channels by more than
//            noise, or that is no number (weight_zero_point), scales that do (weight_scale_axis),
//            values that are no numbers (weight_range), more than 256 levels (levels), a
//            keep_float layer (kept_float).
//   Source:  DESIGN.md section 4, "four spellings"; docs/fake_quantize.md, equation 1.
#include "transformations/low_precision/normalize_weights.hpp"

#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "model/parallel_tasks.hpp"
#include "ops/binary_arithmetic.hpp"
#include "ops/convert.hpp"
#include "transformations/support/constant_cache.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"
#include "transformations/support/weight_integers.hpp"

namespace fuseq {
namespace normalize_weights_pass {
namespace {

constexpr std::string_view kName = "normalize_weights";

// Const i8 -> Convert -> [Subtract] -> Multiply before the consumer.
Output build(Node& consumer, const WeightChain& chain, const WeightIntegers& integers) {
    Model& model = consumer.model();
    const std::string base = consumer.name() + "/weights";
    ConvertAttrs to_real;
    to_real.destination_type = ElementType::f32;
    Node* convert = model.add("Convert", 1, base + "/convert",
                              {make_constant(model, base, integers.values)}, to_real);
    Node* last = convert;
    std::vector<Node*> made{convert};
    const auto append = [&](const char* type, const char* name, const char* value, Tensor values) {
        const Output constant = make_constant(model, base + value, std::move(values));
        last = model.add(type, 1, base + name, {last->output(), constant}, BinaryAttrs{});
        made.push_back(last);
    };
    if (integers.zero_point) {
        append("Subtract", "/subtract", "/zero_point", integers.zero_point);
    }
    append("Multiply", "/multiply", "/scale", integers.scale);
    for (const Node* node : chain.quantizer) {
        for (Node* target : made) {
            if (target->origins.empty()) {
                target->origins = origins_of(*node);
            } else {
                add_origins(*target, *node);
            }
        }
    }
    return last->output();
}

// What the chain reads besides the numbers themselves.
std::vector<Tensor> constants_of(const WeightChain& chain) {
    std::vector<Tensor> constants;
    for (const auto* nodes : {&chain.quantizer, &chain.layout}) {
        for (const Node* node : *nodes) {
            for (std::size_t i = 1; i < node->input_count(); ++i) {
                constants.push_back(evaluate_constant(node->input(i)).value_or(Tensor()));
            }
        }
    }
    return constants;
}

// Everything that the integers depend on besides constants.
std::string computation_of(const Node& consumer, const WeightChain& chain) {
    std::string what = fmt::format("{} {} {}", kName, computation_of(consumer),
                                   consumer.input(1).partial_shape().rank());
    for (const auto* nodes : {&chain.quantizer, &chain.layout}) {
        for (const Node* node : *nodes) {
            what += fmt::format(" {} {}", computation_of(*node), to_string(node->port().shape));
        }
    }
    return what;
}

Tensor text_tensor(const std::string& text) {
    return Tensor::of(Shape{text.size()}, std::vector<std::uint8_t>(text.begin(), text.end()));
}

std::string text_of(const Tensor& tensor) {
    const auto bytes = tensor.values<std::uint8_t>();
    return {bytes.begin(), bytes.end()};
}

// weight_integers(), from the cache of constants where there is one. A refusal is kept as two
// texts.
std::optional<WeightRefusal> known_weight_integers(const PassContext& context,
                                                   const Node& consumer,
                                                   const WeightChain& chain,
                                                   WeightIntegers& out) {
    std::vector<Tensor> inputs = constants_of(chain);
    inputs.push_back(stored_numbers(chain));
    const std::vector<Tensor> results =
        context.computed(computation_of(consumer, chain), inputs, [&] {
            const auto refusal = weight_integers(consumer, chain, out);
            return refusal ? std::vector{text_tensor(refusal->code), text_tensor(refusal->text)}
                           : std::vector{out.values, out.scale, out.zero_point};
        });
    if (results.size() == 2) {
        return WeightRefusal{text_of(results[0]), text_of(results[1])};
    }
    out = {results[0], results[1], results[2]};
    return std::nullopt;
}

bool kept_float(const WeightChain& chain, const PassOptions& options) {
    return std::any_of(chain.quantizer.begin(), chain.quantizer.end(), [&](const Node* node) {
        return std::find(options.keep_float.begin(), options.keep_float.end(), node->name()) !=
               options.keep_float.end();
    });
}

// Weights that several layers of one kind read are made once.
struct SharedWeights {
    Node* consumer;  // the first one
    WeightChain chain;
    WeightIntegers integers;
    std::optional<WeightRefusal> refusal;
    Output made;
};
using WeightsKey = std::tuple<const Node*, std::size_t, std::vector<std::size_t>>;

WeightsKey key_of(const Node& consumer) {
    const Output weights = consumer.input(1);
    return {weights.node, weights.index, output_channel_dims(consumer, weights.shape())};
}

bool run(Model& model, PassContext& context) {
    std::vector<SharedWeights> all;
    std::map<WeightsKey, std::size_t> number;
    std::vector<std::pair<Node*, std::size_t>> consumers;
    for (Node* node : model.ordered_nodes()) {
        std::optional<WeightChain> chain = match_weight_chain(*node);
        if (!chain) {
            continue;
        }
        if (kept_float(*chain, context.options())) {
            context.refused(kName, *node, "kept_float", "the weights are on the keep-float list");
            continue;
        }
        const auto [it, fresh] = number.try_emplace(key_of(*node), all.size());
        if (fresh) {
            all.push_back({node, std::move(*chain), {}, {}, {}});
        }
        consumers.emplace_back(node, it->second);
    }
    // The one part that takes long. The model does not change meanwhile.
    run_tasks(all.size(), context.options().threads, [&](std::size_t i) {
        all[i].refusal =
            known_weight_integers(context, *all[i].consumer, all[i].chain, all[i].integers);
    });
    bool changed = false;
    for (const auto& [node, index] : consumers) {
        SharedWeights& weights = all[index];
        if (weights.refusal) {
            context.refused(kName, *node, weights.refusal->code, weights.refusal->text);
            continue;
        }
        if (!weights.made) {
            weights.made = build(*node, weights.chain, weights.integers);
        }
        node->set_input(1, weights.made);
        node->infer();
        context.rewritten(kName, *node);
        changed = true;
    }
    return changed;
}

}  // namespace
}  // namespace normalize_weights_pass

bool normalize_weights(Model& model, PassContext& context) {
    return normalize_weights_pass::run(model, context);
}

}  // namespace fuseq
