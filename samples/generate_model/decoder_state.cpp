// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "generate_model/decoder_state.hpp"

#include <limits>

#include "ops/binary_arithmetic.hpp"
#include "ops/select.hpp"
#include "ops/state/state.hpp"

namespace fuseq::samples {
namespace {

constexpr int kStateOpset = 13;

}  // namespace

DecoderState::DecoderState(TokenNetwork& net, const TransformerOptions& o, Output ids)
    : net_(&net) {
    const auto dimension = [](std::size_t size) {
        return Dimension(static_cast<Dimension::value_type>(size));
    };
    const PartialShape shape{1, dimension(o.heads), Dimension(), dimension(o.width / o.heads)};
    for (std::size_t i = 0; i < o.layers; ++i) {
        for (const char* part : {"key", "value"}) {
            ReadValueAttrs attributes;
            attributes.variable_id = "layer" + std::to_string(i) + "/attention/" + part;
            attributes.variable_type = ElementType::f32;
            attributes.variable_shape = shape;
            const std::string name = attributes.variable_id + "/before";
            before_[attributes.variable_id] =
                net.model().add("ReadValue", kStateOpset, name, {}, attributes)->output();
        }
    }
    const Output past = net.size("past", before_.begin()->second, 2);
    const Output all = net.add("all", past, net.size("new", ids, 1));
    positions_ = net.range("positions", past, all);
    // A token attends to itself and to those before it.
    const Output rows =
        net.plain("Unsqueeze", "mask/rows", {positions_, net.integers("mask/rows/axis", {1})});
    const Output columns = net.range("mask/columns", net.integer("mask/first", 0), all);
    const Output allowed =
        net.model()
            .add("LessEqual", kStateOpset, "mask/allowed", {columns, rows}, BinaryAttrs{})
            ->output();
    const Output flat = net.model()
                            .add("Select", kStateOpset, "mask/flat",
                                 {allowed, net.number("mask/zero", 0),
                                  net.number("mask/lowest", std::numeric_limits<float>::lowest())},
                                 SelectAttrs{})
                            ->output();
    mask_ = net.plain("Unsqueeze", "mask", {flat, net.integers("mask/axes", {0, 1})});
}

Output DecoderState::extend(const std::string& variable, Output now) {
    const Output all = net_->concat(variable + "/all", {before_.at(variable), now}, 2);
    VariableIdAttrs attributes;
    attributes.variable_id = variable;
    net_->model().add("Assign", kStateOpset, variable + "/keep", {all}, attributes);
    return all;
}

}  // namespace fuseq::samples
