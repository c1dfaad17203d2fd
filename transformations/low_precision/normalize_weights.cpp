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

<<<<<<< HEAD
// Subtrahends of real models are rounding noise of 1e-5 (of a step). A zero point of 1e-3 moves a
// sum of a thousand u8 sources by less than a hundredth of what a step of the result usually is.
constexpr double kZeroPointNoise = 1e-3;

struct Refusal {
    std::string code;
    std::string text;
};

// Every element as an integer and its scale; the same shape.
struct Integers {
    Tensor values;  // f32 holding integers of [-128, 127]
    Tensor scale;   // f32
};

Refusal out_of_range(double value) {
    return {"weight_range", detail::cat("a weight is ", value, " steps from zero, i8 ends at ",
                                        value < 0 ? -128 : 127)};
}

std::optional<Refusal> integers_of_fake_quantize(const WeightChain& chain, Integers& out) {
    const Node& fq = *chain.quantizer[0];
    const auto levels = fq.attrs<FakeQuantizeAttrs>().levels;
    if (levels > 256) {
        return Refusal{"levels", detail::cat(levels, " levels do not fit into 8 bits")};
    }
    const std::vector<float> data = to_floats(*evaluate_constant(chain.stored));
    const Shape shape = chain.stored.shape();
    std::vector<std::vector<float>> limits;
    std::vector<std::vector<std::size_t>> strides;
    for (std::size_t i = 1; i < 5; ++i) {
        const Tensor limit = *evaluate_constant(fq.input(i));
        limits.push_back(to_floats(limit));
        strides.push_back(broadcast_strides(limit.get_shape(), shape));
    }
    out = {Tensor(ElementType::f32, shape), Tensor(ElementType::f32, shape)};
    float* values = out.values.data<float>();
    float* scales = out.scale.data<float>();
    for (StridedWalk walk(shape, strides); !walk.done(); walk.next()) {
        const double il = limits[0][walk.offset(0)];
        const double ih = limits[1][walk.offset(1)];
        const double ol = limits[2][walk.offset(2)];
        const double oh = limits[3][walk.offset(3)];
        const std::size_t at = walk.position();
        const double step = (oh - ol) / static_cast<double>(levels - 1);
        if (step == 0) {  // the channel has one value: zero, or one step of that size
            values[at] = ol == 0 ? 0.0f : 1.0f;
            scales[at] = ol == 0 ? 1.0f : static_cast<float>(ol);
            continue;
        }
        const double offset = std::nearbyint(-ol / step);
        if (!(std::abs(-ol / step - offset) <= kZeroPointNoise)) {
            return Refusal{"weight_zero_point", detail::cat("the zero point of the weights is ",
                                                            -ol / step, ", no whole number")};
        }
        const auto last = static_cast<double>(levels - 1);
        const double value = fake_quantize(data[at], il, ih, 0.0, last, levels) - offset;
        if (!(value >= -128 && value <= 127)) {
            return out_of_range(value);
        }
        values[at] = static_cast<float>(value);
        scales[at] = static_cast<float>(step);
    }
    return std::nullopt;
}

std::optional<Refusal> integers_of_convert(const WeightChain& chain, Integers& out) {
    const Shape shape = chain.stored.shape();
    const std::vector<float> data = to_floats(chain.stored.node->constant());
    const Node* subtract = nullptr;
    const Node* multiply = nullptr;
    for (const Node* node : chain.quantizer) {
        subtract = node->is("Subtract") ? node : subtract;
        multiply = node->is("Multiply") ? node : multiply;
    }
    const Tensor zero =
        subtract != nullptr ? *evaluate_constant(subtract->input(1)) : Tensor::scalar(0.0f);
    const Tensor scale =
        multiply != nullptr ? *evaluate_constant(multiply->input(1)) : Tensor::scalar(1.0f);
    if (chain.quantizer.back()->port().shape != PartialShape(shape)) {
        return Refusal{"weight_scale_axis", "the scale is larger than the weights"};
    }
    const std::vector<float> zeros = to_floats(zero);
    const std::vector<float> steps = to_floats(scale);
    out = {Tensor(ElementType::f32, shape), Tensor(ElementType::f32, shape)};
    float* values = out.values.data<float>();
    float* scales = out.scale.data<float>();
    StridedWalk walk(shape, {broadcast_strides(zero.get_shape(), shape),
                             broadcast_strides(scale.get_shape(), shape)});
    for (; !walk.done(); walk.next()) {
        const double zero_point = zeros[walk.offset(0)];
        const double offset = std::nearbyint(zero_point);
        if (!(std::abs(zero_point - offset) <= kZeroPointNoise)) {
            return Refusal{"weight_zero_point", detail::cat("the zero point of the weights is ",
                                                            zero_point, ", no whole number")};
        }
        const double value = data[walk.position()] - offset;
        if (!(value >= -128 && value <= 127)) {
            return out_of_range(value);
        }
        values[walk.position()] = static_cast<float>(value);
        scales[walk.position()] = steps[walk.offset(1)];
    }
    return std::nullopt;
}

// The Reshapes and Transposes between the quantizer and the consumer.
Tensor through_layout(const WeightChain& chain, Tensor tensor) {
    for (const Node* node : chain.layout) {
        std::vector<Tensor> inputs{std::move(tensor)};
        for (std::size_t i = 1; i < node->input_count(); ++i) {
            inputs.push_back(*evaluate_constant(node->input(i)));
        }
        tensor = evaluate_node(*node, inputs).at(0);
    }
    return tensor;
}

// One scale an output channel, in a shape that broadcasts to the weights; an empty tensor when
// the scale varies along other dimensions.
Tensor scale_of_channels(const Node& consumer, const Tensor& scale) {
    const Shape& shape = scale.get_shape();
    Shape small(shape.size(), 1);
    for (const std::size_t d : output_channel_dims(consumer, shape)) {
        small[d] = shape[d];
    }
    std::vector<float> values(shape_size(small));
    std::vector<bool> seen(values.size());
    const float* all = scale.data<float>();
    const std::vector<std::size_t> channels = output_channel_of_elements(consumer, shape);
    for (std::size_t i = 0; i < channels.size(); ++i) {
        const std::size_t c = channels[i];
        if (seen[c] && values[c] != all[i]) {
            return {};
        }
        values[c] = all[i];
        seen[c] = true;
    }
    const auto differs = [&](float v) { return v != values.front(); };
    if (values.empty() || std::none_of(values.begin(), values.end(), differs)) {
        return Tensor::scalar(values.empty() ? 1.0f : values.front());
    }
    return Tensor::of(small, values);
}

std::optional<Refusal> build(Node& consumer, const WeightChain& chain, Output& result) {
    Integers integers;
    const bool by_fq = chain.quantizer[0]->is("FakeQuantize");
    if (auto refusal = by_fq ? integers_of_fake_quantize(chain, integers)
                             : integers_of_convert(chain, integers)) {
        return refusal;
    }
    const Tensor scale = scale_of_channels(consumer, through_layout(chain, integers.scale));
    if (!scale) {
        return Refusal{"weight_scale_axis",
                       "the scale of the weights varies along a dimension that is summed over"};
    }
    const Tensor values = through_layout(chain, integers.values).to(ElementType::i8);
=======
// Const i8 -> Convert -> Multiply in front of the consumer.
Output build(Node& consumer, const WeightChain& chain, const WeightIntegers& integers) {
>>>>>>> main
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
