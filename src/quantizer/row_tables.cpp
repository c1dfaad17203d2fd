// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/row_tables.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "ops/axes.hpp"
#include "ops/binary_arithmetic.hpp"
#include "ops/convert.hpp"
#include "ops/gather.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq::quantizer {
namespace {

// Whether the node picks whole rows of its first input.
bool picks_rows(const Node& node) {
    if (is_one_of(node, {"EmbeddingBagOffsets", "EmbeddingBagOffsetsSum", "EmbeddingBagPacked",
                         "EmbeddingBagPackedSum", "EmbeddingSegmentsSum"})) {
        return true;
    }
    if (!node.is("Gather") ||
        (node.spec().version != 1 && node.attrs<GatherAttrs>().batch_dims != 0)) {
        return false;
    }
    const Tensor* axis = known_constant(node.input(2));
    return axis != nullptr && axis->get_size() == 1 && wrapped_axis(to_ints(*axis)[0], 2) == 0;
}

bool is_table(const Output& data) {
    return data.node->is_constant() && data.type() == ElementType::f32 &&
           data.shape().size() == 2 && shape_size(data.shape()) != 0;
}

// What stands for the table.
Output rows_of(Model& model, const Node& table) {
    const QuantizedRows rows = quantize_rows(table.constant());
    const std::string& name = table.name();
    const auto add = [&](const char* type, const char* suffix, std::vector<Output> inputs) {
        return model
            .add(type, 1, model.unique_name(name + suffix), std::move(inputs), BinaryAttrs{})
            ->output();
    };
    ConvertAttrs to_real;
    to_real.destination_type = ElementType::f32;
    const Output codes = make_constant(model, name + "/codes", rows.codes);
    const Output real =
        model.add("Convert", 1, model.unique_name(name + "/convert"), {codes}, to_real)->output();
    const Output scaled =
        add("Multiply", "/scaled", {real, make_constant(model, name + "/scale", rows.scales)});
    return add("Add", "/rows", {scaled, make_constant(model, name + "/offset", rows.offsets)});
}

}  // namespace

QuantizedRows quantize_rows(const Tensor& table) {
    constexpr float kMinSpan = 1e-10f;
    constexpr float kLevels = 255;
    const std::size_t rows = table.get_shape()[0];
    const std::size_t width = table.get_shape()[1];
    QuantizedRows result{Tensor(ElementType::u8, table.get_shape()),
                         Tensor(ElementType::f32, Shape{rows, 1}),
                         Tensor(ElementType::f32, Shape{rows, 1})};
    auto* code = result.codes.data<std::uint8_t>();
    const float* value = table.data<float>();
    for (std::size_t r = 0; r < rows; ++r) {
        const auto [min, max] = std::minmax_element(value, value + width);
        const float span = *max - *min;
        const float scale = span < kMinSpan ? 1.0f : span / kLevels;
        const float offset = *min;
        result.scales.data<float>()[r] = scale;
        result.offsets.data<float>()[r] = offset;
        for (std::size_t c = 0; c < width; ++c, ++value, ++code) {
            *code = static_cast<std::uint8_t>(
                std::clamp(std::round((*value - offset) / scale), 0.0f, kLevels));
        }
    }
    return result;
}

std::vector<QuantizedLayer> quantize_row_tables(Model& model, const std::set<const Node*>& kept) {
    std::map<const Node*, Output> done;  // tables that several layers read
    std::vector<QuantizedLayer> layers;
    for (Node* node : model.ordered_nodes()) {
        if (!picks_rows(*node) || kept.contains(node) || !is_table(node->input(0))) {
            continue;
        }
        const Node* table = node->input_node(0);
        if (!done.contains(table)) {
            done[table] = rows_of(model, *table);
        }
        node->set_input(0, done[table]);
        QuantizedLayer layer;
        layer.name = node->name();
        layer.kind = node->type();
        layer.quantized = true;
        layers.push_back(std::move(layer));
    }
    return layers;
}

}  // namespace fuseq::quantizer
