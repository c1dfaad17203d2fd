// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/tflite/operator.hpp"

#include <algorithm>

namespace fuseq::tflite_reader {
namespace {

using ::tflite::ActivationFunctionType;

std::vector<std::int64_t> list(const flatbuffers::Vector<std::int32_t>* values) {
    return values == nullptr ? std::vector<std::int64_t>{}
                             : std::vector<std::int64_t>{values->begin(), values->end()};
}

}  // namespace

Values outputs_of(fuseq::Node* node, bool images) {
    Values values;
    for (std::size_t i = 0; i < node->output_count(); ++i) {
        values.push_back(images ? Value{.image = node->output(i)}
                                : Value{.plain = node->output(i)});
    }
    return values;
}

std::int64_t image_axis(std::int64_t axis) {
    constexpr std::int64_t kAxes[] = {0, 2, 3, 1};
    return kAxes[axis];
}

Output fused_activation(readers::LayerBuilder& layers,
                        const Output& x,
                        ActivationFunctionType function) {
    switch (function) {
        case ActivationFunctionType::NONE: return x;
        case ActivationFunctionType::RELU: return layers.add("ReLU", {x});
        case ActivationFunctionType::RELU_N1_TO_1:
            return layers.add("Clamp", {x}, {{"min", -1.0F}, {"max", 1.0F}});
        case ActivationFunctionType::RELU6:
            return layers.add("Clamp", {x}, {{"min", 0.0F}, {"max", 6.0F}});
        case ActivationFunctionType::TANH: return layers.add("Tanh", {x});
        default: break;
    }
    layers.fail("fused activation ", static_cast<int>(function), " is not supported");
}

Operator::Operator(const ::tflite::Operator& stated,
                   std::string type,
                   int version,
                   std::string name,
                   GraphServices& graph,
                   Place place)
    : LayerBuilder(graph, std::move(name), std::move(place)),
      stated_(stated),
      type_(std::move(type)),
      version_(version),
      inputs_(list(stated.inputs())),
      outputs_(list(stated.outputs())),
      graph_(graph) {}

const TensorInfo& Operator::tensor(std::size_t i) const {
    require(has_input(i), "input ", i, " is missing");
    return graph_.tensor(index(i));
}

const TensorInfo& Operator::output_tensor(std::size_t i) const {
    require(i < output_count(), "output ", i, " is missing");
    return graph_.tensor(static_cast<std::size_t>(outputs_[i]));
}

std::size_t Operator::intermediate_count() const {
    return list(stated_.intermediates()).size();
}

const TensorInfo& Operator::intermediate(std::size_t i) const {
    const std::vector<std::int64_t> indices = list(stated_.intermediates());
    require(i < indices.size(), "has ", indices.size(), " intermediate tensors, and number ", i,
            " is needed");
    require(indices[i] >= 0 && static_cast<std::size_t>(indices[i]) < graph_.tensor_count(),
            "intermediate tensor ", i, " is number ", indices[i], " of ", graph_.tensor_count());
    return graph_.tensor(static_cast<std::size_t>(indices[i]));
}

std::span<const std::uint8_t> Operator::custom_options() const {
    const auto* bytes = stated_.custom_options();
    return bytes == nullptr ? std::span<const std::uint8_t>{}
                            : std::span<const std::uint8_t>{bytes->data(), bytes->size()};
}

Output Operator::input(std::size_t i) {
    require(has_input(i), "input ", i, " is missing");
    return graph_.plain(index(i));
}

std::vector<Output> Operator::inputs() {
    std::vector<Output> all;
    for (std::size_t i = 0; i < input_count(); ++i) {
        all.push_back(input(i));
    }
    return all;
}

Output Operator::image(std::size_t i) {
    require(has_input(i), "input ", i, " is missing");
    const std::size_t rank = tensor(i).shape.size();
    require(is_image(i) || this->rank(input(i), "an input") == 4, "input ", i, ", ",
            tensor(i).title(), ", has rank ", rank, ", expected 4");
    return graph_.image(index(i));
}

Output Operator::real(std::size_t i) {
    return real(i, input(i));
}

Output Operator::real(std::size_t i, const Output& value) {
    const TensorInfo& info = tensor(i);
    if (!info.quantized()) {
        return info.type == ElementType::f16 ? convert(value, ElementType::f32) : value;
    }
    const Quantization& quantization = info.quantization;
    Shape spread(quantization.per_channel() ? info.shape.size() : 0, 1);
    if (quantization.per_channel()) {
        spread[quantization.axis] = quantization.scales.size();
    }
    Output result = add("Convert", {value}, {{"destination_type", ElementType::f32}});
    const auto& zeros = quantization.zero_points;
    if (std::any_of(zeros.begin(), zeros.end(), [](auto zero) { return zero != 0; })) {
        const Tensor zero = Tensor::of<std::int64_t>(spread, zeros).to(ElementType::f32);
        result = add("Subtract", {result, constant(zero)});
    }
    return add("Multiply", {result, constant(Tensor::of<float>(spread, quantization.scales))});
}

Aligned Operator::aligned(std::size_t count) {
    Aligned result;
    std::size_t rank = 0;
    for (std::size_t i = 0; i < count; ++i) {
        result.images = result.images || is_image(i);
        rank = std::max(rank, tensor(i).shape.size());
    }
    result.images = result.images && rank <= 4;
    for (std::size_t i = 0; i < count; ++i) {
        if (!result.images) {
            result.values.push_back(input(i));
            continue;
        }
        if (is_image(i)) {
            result.values.push_back(image(i));
            continue;
        }
        const Output value = input(i);
        const std::size_t own = this->rank(value, "an input");
        if (own == 4) {
            result.values.push_back(image(i));
            continue;
        }
        if (own == 0) {
            result.values.push_back(value);
            continue;
        }
        std::vector<std::int64_t> sizes(4 - own, 1);
        for (const std::size_t size : value.shape()) {
            sizes.push_back(static_cast<std::int64_t>(size));
        }
        // Sizes of 1 leave nothing to move when only the last axis is longer.
        const bool channels = sizes[0] == 1 && sizes[1] == 1 && sizes[2] == 1;
        result.values.push_back(channels ? reshape(value, {1, sizes[3], 1, 1})
                                         : to_image(reshape(value, sizes)));
    }
    return result;
}

Aligned Operator::either(std::size_t i) {
    require(has_input(i), "input ", i, " is missing");
    return {.values = {is_image(i) ? image(i) : input(i)}, .images = is_image(i)};
}

std::vector<std::int64_t> Operator::constant_ints(std::size_t i, const char* what) {
    return ints(input(i), what);
}

void Operator::assign(std::size_t i, const Output& value) {
    require(tensor(i).variable, "input ", i, ", ", tensor(i).title(), ", is no variable");
    graph_.assign(index(i), value);
}

}  // namespace fuseq::tflite_reader
