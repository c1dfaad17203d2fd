// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/row_tables.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/core.h>

#include "fuseq/error.hpp"
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
Output rows_of(Model& model, const Node& table, const QuantizerOptions& options) {
    const QuantizedRows rows = quantize_rows(table.constant(), options);
    const std::string& name = table.name();
    const auto real = [&](const std::string& part, const Tensor& values) {
        const Output constant = make_constant(model, name + part, values);
        if (values.get_element_type() == ElementType::f32) {
            return constant;
        }
        ConvertAttrs to_real;
        to_real.destination_type = ElementType::f32;
        return model
            .add("Convert", 1, model.unique_name(name + part + "/convert"), {constant}, to_real)
            ->output();
    };
    const auto add = [&](const char* type, const char* part, std::vector<Output> inputs) {
        return model.add(type, 1, model.unique_name(name + part), std::move(inputs), BinaryAttrs{})
            ->output();
    };
    const Output scaled =
        add("Multiply", "/scaled", {real("/codes", rows.codes), real("/scale", rows.scales)});
    return add("Add", "/rows", {scaled, real("/offset", rows.offsets)});
}

// A scale or an offset as it is stored.
float stored(float value, const QuantizerOptions& options) {
    if (!options.f16_row_scales) {
        return value;
    }
    const auto half = static_cast<float>(Float16(value));
    if (!std::isfinite(half)) {
        throw Error("quantize",
                    fmt::format("a row of a table has a scale or an offset of {}, which f16 does "
                                "not hold; leave out f16_row_scales or keep the layer in float",
                                value));
    }
    return half;
}

// Codes of a table, dense; of 4 bits the first one in the low bits.
class CodeWriter {
public:
    explicit CodeWriter(Tensor& codes)
        : to_(static_cast<std::uint8_t*>(codes.data())),
          nibbles_(codes.get_element_type() == ElementType::u4) {
        std::fill_n(to_, codes.get_byte_size(), std::uint8_t{0});
    }
    void put(std::uint8_t code) {
        if (nibbles_) {
            to_[at_ / 2] = static_cast<std::uint8_t>(to_[at_ / 2] | code << (at_ % 2 * 4));
        } else {
            to_[at_] = code;
        }
        ++at_;
    }

private:
    std::uint8_t* to_;
    bool nibbles_;
    std::size_t at_ = 0;
};

}  // namespace

QuantizedRows quantize_rows(const Tensor& table, const QuantizerOptions& options) {
    constexpr float kMinSpan = 1e-10f;
    const float last_code = options.rows_of_4_bits ? 15 : 255;
    const std::size_t rows = table.get_shape()[0];
    const std::size_t width = table.get_shape()[1];
    QuantizedRows result;
    result.codes =
        Tensor(options.rows_of_4_bits ? ElementType::u4 : ElementType::u8, table.get_shape());
    std::vector<float> scales;
    std::vector<float> offsets;
    CodeWriter codes(result.codes);
    const float* value = table.data<float>();
    for (std::size_t r = 0; r < rows; ++r) {
        const auto [min, max] = std::minmax_element(value, value + width);
        const float span = *max - *min;
        const float exact = stored(span < kMinSpan ? 1.0f : span / last_code, options);
        const float scale = exact == 0 ? 1.0f : exact;  // below the smallest f16
        const float offset = stored(*min, options);
        scales.push_back(scale);
        offsets.push_back(offset);
        for (std::size_t c = 0; c < width; ++c, ++value) {
            codes.put(static_cast<std::uint8_t>(
                std::clamp(std::round((*value - offset) / scale), 0.0f, last_code)));
        }
    }
    const ElementType type = options.f16_row_scales ? ElementType::f16 : ElementType::f32;
    result.scales = Tensor::of(Shape{rows, 1}, scales).to(type);
    result.offsets = Tensor::of(Shape{rows, 1}, offsets).to(type);
    return result;
}

std::vector<QuantizedLayer> quantize_row_tables(Model& model,
                                                const std::set<const Node*>& kept,
                                                const QuantizerOptions& options) {
    std::map<const Node*, Output> done;  // tables that several layers read
    std::vector<QuantizedLayer> layers;
    for (Node* node : model.ordered_nodes()) {
        if (!picks_rows(*node) || kept.contains(node) || !is_table(node->input(0))) {
            continue;
        }
        const Node* table = node->input_node(0);
        if (!done.contains(table)) {
            done[table] = rows_of(model, *table, options);
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
