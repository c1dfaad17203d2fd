// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes two layers of 8-bit integers of a layer whose source has integers of 9 to 16 bits.
//
//   Law:     q = 256 * high + low with bytes high and low, and a layer is linear in its source:
//            layer((q - z) * s) = layer((high - zh) * 256 s) + layer((low - zl) * s)
//            with z = 256 * zh + zl, zh whole. Each sum is exact in 32 bits where that of q would
//            need more; the two meet in f32.
//   Before:  x -> FakeQuantize(il, ih, ol, oh) levels=257..65536 -> layer with 8-bit weights
//   After:   q = FakeQuantize(x, il, ih, 0, levels - 1) output_type=f32
//            high = FakeQuantize(q, 127.5, 127.5 + 255 * 256, 0, 255) output_type=u8
//            low = FakeQuantize(q - 256 * high, 0, 255, 0, 255) output_type=u8
//            layer(DQ(high)) + layer(DQ(low)); other readers: (q - z) * s
//            Layers are convolutions, deconvolutions and MatMul. Reshape and its like and Concat
//            before them move bytes, MaxPool moves q. Bytes of the second operand of a MatMul are
//            i8, and high bytes where that makes their zero point vanish, without Concat. A MatMul
//            of two sources of 16 bits becomes four.
//   Refuses: weights or a second operand in float (weights_not_quantized), scales per channel
//            before a layer that sums over channels (per_channel_scale), sums of bytes that do not
//            fit 32 bits (accumulator_overflow); limits as split_fake_quantize does.
//   Source:  docs/fake_quantize.md, equations 9 and 10.
#include "transformations/low_precision/split_wide_fake_quantize.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <span>
#include <unordered_map>

#include <fmt/core.h>

#include "ops/binary_arithmetic.hpp"
#include "ops/fake_quantize.hpp"
#include "transformations/support/activation_limits.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/dequantize.hpp"
#include "transformations/support/quantized_consumer.hpp"
#include "transformations/support/rewrite.hpp"
#include "transformations/support/weights.hpp"
#include "transformations/support/wide_integers.hpp"

namespace fuseq {
namespace split_wide_fake_quantize_pass {
namespace {

constexpr std::string_view kName = "split_wide_fake_quantize";
constexpr std::int64_t kByteLevels = 256;
constexpr float kByte = 256;  // values of a byte
constexpr float kLastByte = 255;

// An FQ with more than 256 levels that can give integers.
struct Wide {
    ActivationIntegers integers;
    std::vector<float> zero_point;       // of integers from 0 on
    std::vector<float> high_zero_point;  // of bytes from 0 on; those of the low bytes are the rest
    std::vector<float> low_zero_point;
    bool second_operand = false;  // of a MatMul
    bool in_concat = false;       // has other integers beside it
    Output q{};                   // the integers in f32, when they were asked for

    bool per_tensor() const { return zero_point.size() == 1; }
    bool signed_high() const {
        const auto in_the_middle = [](float z) { return z == kByte / 2; };
        return second_operand || (!in_concat && std::all_of(high_zero_point.begin(),
                                                            high_zero_point.end(), in_the_middle));
    }
};

using WideQuantizers = std::unordered_map<const Node*, Wide>;

// What the bytes of a tensor mean.
struct Halves {
    Output high, low;
};

// The FQs that a tensor consists of; empty where something else is in it.
std::vector<Wide*> parts_of(const Output& tensor, WideQuantizers& wide) {
    const Node& node = *tensor.node;
    if (const auto found = wide.find(&node); found != wide.end()) {
        return {&found->second};
    }
    if (is_layout_only(node)) {
        return parts_of(node.input(0), wide);
    }
    if (node.is("MaxPool") && tensor.index == 0) {
        const bool quantized =
            node.input_node(0)->is("FakeQuantize") || node.input_node(0)->is("MaxPool");
        return quantized ? parts_of(node.input(0), wide) : std::vector<Wide*>{};
    }
    std::vector<Wide*> parts;
    if (node.is("Concat")) {
        for (const Output& input : node.inputs()) {
            const std::vector<Wide*> some = parts_of(input, wide);
            if (some.empty()) {
                return {};
            }
            parts.insert(parts.end(), some.begin(), some.end());
        }
    }
    return parts;
}

bool has_concat(const Output& tensor) {
    const Node& node = *tensor.node;
    return node.is("Concat") || (is_layout_only(node) && has_concat(node.input(0)));
}

// A second operand that is quantized to a byte.
bool gives_bytes(Output operand) {
    while (is_layout_only(*operand.node)) {
        operand = operand.node->input(0);
    }
    ActivationIntegers integers;
    return operand.node->is("FakeQuantize") && !is_constant_expression(operand.node->input(0)) &&
           operand.node->attrs<FakeQuantizeAttrs>().levels <= kByteLevels &&
           !read_activation_integers(*operand.node, integers);
}

bool reads_one_channel(const Node& layer) {
    return is_one_of(layer, {"GroupConvolution", "GroupConvolutionBackpropData"}) &&
           layer.input(1).partial_shape().is_static() &&
           layer.input(1).shape()[layer.is("GroupConvolution") ? 2 : 1] == 1;
}

// Which layers have bytes for sources: what is asked before anything is changed.
class Choice {
public:
    Choice(WideQuantizers& wide, PassContext& context) : wide_(wide), context_(context) {}

    // The inputs of 16 bits of a layer that is going to be split; empty: it stays.
    std::vector<std::size_t> inputs_of(const Node& layer) {
        std::vector<std::size_t> inputs;
        const std::size_t last = layer.is("MatMul") ? 1 : 0;
        for (std::size_t i = 0; i <= last; ++i) {
            if (!parts_of(layer.input(i), wide_).empty()) {
                inputs.push_back(i);
            }
        }
        if (inputs.empty() || !takes(layer, inputs)) {
            return {};
        }
        for (const std::size_t i : inputs) {
            for (Wide* part : parts_of(layer.input(i), wide_)) {
                part->second_operand = part->second_operand || i == 1;
                part->in_concat = part->in_concat || has_concat(layer.input(i));
            }
        }
        return inputs;
    }

private:
    bool refuse(const Node& layer, std::string code, std::string text) {
        context_.refused(kName, layer, std::move(code), std::move(text));
        return false;
    }

    bool takes(const Node& layer, const std::vector<std::size_t>& inputs) {
        if (layer.port(0).type != ElementType::f32 || !layer.port(0).shape.rank_is_static()) {
            return refuse(layer, "type", "its result is not f32 of a known rank");
        }
        for (const std::size_t i : inputs) {
            const bool direct = is_one_of(*layer.input_node(i), {"FakeQuantize", "MaxPool"});
            for (const Wide* part : parts_of(layer.input(i), wide_)) {
                if (!part->per_tensor() && !(direct && reads_one_channel(layer))) {
                    return refuse(layer, "per_channel_scale",
                                  "its source has more than 256 levels and a range a channel");
                }
            }
        }
        if (inputs.size() == 2 || (layer.is("MatMul") && gives_bytes(layer.input(1 - inputs[0])))) {
            return true;
        }
        const auto weights = inputs[0] == 0 ? match_normalized_weights(layer) : std::nullopt;
        if (!weights) {
            return refuse(layer, "weights_not_quantized",
                          "its source has more than 256 levels, the other operand no bytes");
        }
        return fits(layer, known_constant(weights->values)) ||
               refuse(layer, "accumulator_overflow",
                      "sums of bytes of its source and weights may not fit 32 bits");
    }

    bool fits(const Node& layer, const Tensor* weights) {
        const std::vector<Wide*> parts = parts_of(layer.input(0), wide_);
        return weights != nullptr &&
               std::none_of(parts.begin(), parts.end(), [&](const Wide* part) {
                   return may_overflow(layer, *weights, {part->high_zero_point, 1}) ||
                          may_overflow(layer, *weights, {part->low_zero_point, 1});
               });
    }

    WideQuantizers& wide_;
    PassContext& context_;
};

// Makes bytes of tensors, and layers of them.
class Splitter {
public:
    Splitter(Model& model, WideQuantizers& wide) : model_(model), wide_(wide) {}

    void split(Node& layer, const std::vector<std::size_t>& wide_inputs) {
        std::vector<Output> inputs(layer.inputs().begin(), layer.inputs().end());
        const std::vector<Use> uses = layer.port().uses;
        const Output sum = layers_of(layer, wide_inputs, inputs, "");
        move_uses(uses, layer.output(), sum);
    }

    // Those that read numbers still: (q - z) * s.
    void serve_others(Node& fq) {
        const Wide& wide = wide_.at(&fq);
        if (wide.q.node == nullptr) {
            return;
        }
        const ChannelValues zero_point(wide.zero_point, 1);
        Output end = wide.q;
        if (!zero_point.all_equal_to(0.0f)) {
            end = arithmetic(fq, "Subtract", end, zero_point);
        }
        redirect(fq.output(), arithmetic(fq, "Multiply", end, wide.integers.scale));
    }

private:
    Output layers_of(const Node& layer,
                     std::span<const std::size_t> wide_inputs,
                     std::vector<Output> inputs,
                     const std::string& suffix) {
        if (wide_inputs.empty()) {
            return copy_node(layer, layer.name() + suffix, std::move(inputs))->output();
        }
        const std::size_t at = wide_inputs[0];
        const Halves halves = halves_of(layer.input(at));
        inputs[at] = halves.low;
        const Output low = layers_of(layer, wide_inputs.subspan(1), inputs, suffix + "/low");
        inputs[at] = halves.high;
        const Output high = layers_of(layer, wide_inputs.subspan(1), inputs, suffix + "/high");
        return add(layer, layer.name() + suffix + "/sum", low, high);
    }

    Halves halves_of(const Output& tensor) {
        const auto key = std::pair(tensor.node, tensor.index);
        if (const auto found = halves_.find(key); found != halves_.end()) {
            return found->second;
        }
        const Node& node = *tensor.node;
        const bool quantized = is_one_of(node, {"FakeQuantize", "MaxPool"});
        const Halves halves = quantized ? bytes_of(tensor) : moved(node);
        halves_.emplace(key, halves);
        return halves;
    }

    // Reshape and its like, Concat.
    Halves moved(const Node& node) {
        std::vector<Output> high(node.inputs().begin(), node.inputs().end());
        std::vector<Output> low = high;
        const std::size_t sources = node.is("Concat") ? high.size() : 1;
        for (std::size_t i = 0; i < sources; ++i) {
            const Halves halves = halves_of(node.input(i));
            high[i] = halves.high;
            low[i] = halves.low;
        }
        return {copy_node(node, node.name() + "/high", std::move(high))->output(),
                copy_node(node, node.name() + "/low", std::move(low))->output()};
    }

    // The integers of an FQ, or of a MaxPool after one.
    Output integers_of(const Output& tensor) {
        Node& node = *tensor.node;
        if (node.is("MaxPool")) {
            return copy_node(node, node.name() + "/integers", {integers_of(node.input(0))})
                ->output();
        }
        Wide& wide = wide_.at(&node);
        if (wide.q.node == nullptr) {
            const auto levels = node.attrs<FakeQuantizeAttrs>().levels;
            wide.q = add_quantizer(
                node, "/integers", node.input(0),
                {wide.integers.il, wide.integers.ih, 0.0f, static_cast<float>(levels - 1)}, levels,
                ElementType::f32);
        }
        return wide.q;
    }

    Halves bytes_of(const Output& tensor) {
        const Node& node = *tensor.node;
        const Wide& wide = *parts_of(tensor, wide_)[0];
        const Output q = integers_of(tensor);
        const float high_lowest = wide.signed_high() ? -kByte / 2 : 0.0f;
        const float low_lowest = wide.second_operand ? -kByte / 2 : 0.0f;
        // Rounds to the byte below: (q - 127.5) / 256 is never halfway between two whole numbers.
        constexpr float kHalf = kLastByte / 2;
        const Output high = byte(node, "/high", q, kHalf, kByte, high_lowest);
        Dequantize above;
        above.q = high;
        above.scale = -kByte;
        above.zero_point = high_lowest;
        const Output rest = add(node, node.name() + "/rest", q,
                                build_dequantize(model_, node.name() + "/above", above));
        const Output low = byte(node, "/low", rest, 0, 1, low_lowest);
        return {meaning(node, "/high/dq", high, kByte, high_lowest, wide, wide.high_zero_point),
                meaning(node, "/low/dq", low, 1, low_lowest, wide, wide.low_zero_point)};
    }

    Output byte(const Node& node,
                const char* suffix,
                const Output& source,
                float low,
                float step,
                float lowest) {
        return add_quantizer(node, suffix, source,
                             {low, low + kLastByte * step, lowest, lowest + kLastByte}, kByteLevels,
                             lowest < 0 ? ElementType::i8 : ElementType::u8);
    }

    Output meaning(const Node& node,
                   const char* suffix,
                   const Output& q,
                   float step,
                   float lowest,
                   const Wide& wide,
                   std::vector<float> zero_point) {
        Dequantize dq;
        dq.q = q;
        dq.scale = combine(wide.integers.scale, ChannelValues(step), std::multiplies<float>());
        for (float& z : zero_point) {
            z += lowest;
        }
        dq.zero_point = {std::move(zero_point), 1};
        dq.origins = origins_of(node);
        return build_dequantize(model_, node.name() + suffix, dq);
    }

    Output add(const Node& node, std::string name, const Output& a, const Output& b) {
        Node* sum = model_.add("Add", 1, std::move(name), {a, b}, BinaryAttrs{});
        sum->origins = origins_of(node);
        return sum->output();
    }

    Output arithmetic(const Node& fq,
                      const char* type,
                      const Output& source,
                      const ChannelValues& values) {
        const std::string name = fmt::format("{}/{}", fq.name(), type);
        const Output second =
            make_constant(model_, name + "/value", values.to_tensor(source.partial_shape().rank()));
        Node* node = model_.add(type, 1, name, {source, second}, BinaryAttrs{});
        node->origins = origins_of(fq);
        return node->output();
    }

    Model& model_;
    WideQuantizers& wide_;
    std::map<std::pair<const Node*, std::size_t>, Halves> halves_;
};

// Limits that cannot be read are split_fake_quantize's to report: the FQ is left as it is.
WideQuantizers wide_quantizers(const Model& model, const PassOptions& options) {
    WideQuantizers all;
    for (const Node* fq : model.find_all("FakeQuantize")) {
        Wide wide;
        if (!is_wide_quantizer(*fq, options) || read_activation_integers(*fq, wide.integers)) {
            continue;
        }
        wide.zero_point =
            ChannelValues(wide.integers.zero_points(fq->attrs<FakeQuantizeAttrs>().levels, 0), 1)
                .list();
        if (wide.per_tensor() && !wide.integers.scale.per_tensor()) {
            wide.zero_point.resize(wide.integers.scale.size(), wide.zero_point[0]);
        }
        for (const float z : wide.zero_point) {
            const float high = std::clamp(std::floor(z / kByte), 0.0f, kLastByte);
            wide.high_zero_point.push_back(high);
            wide.low_zero_point.push_back(z - high * kByte);
        }
        all.emplace(fq, std::move(wide));
    }
    return all;
}

bool run(Model& model, PassContext& context) {
    WideQuantizers wide = wide_quantizers(model, context.options());
    if (wide.empty()) {
        return false;
    }
    const std::vector<Node*> quantizers = model.find_all("FakeQuantize");
    std::vector<std::pair<Node*, std::vector<std::size_t>>> layers;
    Choice choice(wide, context);
    for (Node* node : model.ordered_nodes()) {
        if (takes_weights(*node)) {
            if (auto inputs = choice.inputs_of(*node); !inputs.empty()) {
                layers.emplace_back(node, std::move(inputs));
            }
        }
    }
    Splitter splitter(model, wide);
    for (const auto& [layer, inputs] : layers) {
        splitter.split(*layer, inputs);
        context.rewritten(kName, *layer, "bytes of integers of 16 bits");
    }
    for (Node* fq : quantizers) {
        if (wide.contains(fq)) {
            splitter.serve_others(*fq);
        }
    }
    return !layers.empty();
}

}  // namespace
}  // namespace split_wide_fake_quantize_pass

bool split_wide_fake_quantize(Model& model, PassContext& context) {
    return split_wide_fake_quantize_pass::run(model, context);
}

}  // namespace fuseq
