// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Operator: one node of the graph while it is translated, and the layers that it becomes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "readers/common/layer_builder.hpp"
#include "readers/mxnet/range.hpp"
#include "readers/mxnet/symbol_file.hpp"
#include "readers/mxnet/text_attributes.hpp"

namespace fuseq::mxnet_reader {

using readers::ModelAttributes;

// What a translation may ask of the graph around its node.
class GraphServices : public readers::LayerSink {
public:
    // Layers of a subgraph; `inputs` are its variables in their order. Gives its heads.
    virtual std::vector<Output> insert_subgraph(const Symbol& symbol,
                                                const std::vector<Output>& inputs,
                                                const Place& place) = 0;
};

class Operator : public readers::LayerBuilder {
public:
    Operator(const SymbolNode& stated,
             std::vector<Output> inputs,
             GraphServices& graph,
             const Place& place)
        : LayerBuilder(graph, stated.name, place),
          attributes(stated.attributes, place),
          stated_(stated),
          inputs_(std::move(inputs)),
          graph_(graph) {}

    const TextAttributes attributes;

    const std::string& type() const { return stated_.op; }
    GraphServices& graph() { return graph_; }
    std::size_t input_count() const { return inputs_.size(); }
    // Throws Error where there is none.
    Output input(std::size_t i) const;
    const std::vector<Output>& inputs() const { return inputs_; }
    void require_inputs(std::size_t count) const;
    // Throws Error where the node has none.
    const Symbol& subgraph() const;
    // [C] as [1, C, 1, ...].
    Output channels(const Output& vector, std::size_t rank);

    // --- quantized tensors ------------------------------------------------------------------
    // The grid of an integer tensor whose range inputs `min` and `max` are; these must be
    // constant. Throws Error, naming them, for what is no range.
    Grid grid(std::size_t tensor, std::size_t min, std::size_t max) const;
    // The same of a range in numbers.
    Grid grid_of_range(ElementType type, double min, double max) const;
    struct Range {
        double min = 0;
        double max = 0;
    };
    // min_calib_range and max_calib_range, where both are stated.
    std::optional<Range> calibrated() const;
    Range range(std::size_t min, std::size_t max) const;
    // A quantized tensor and its range, the three outputs of quantized operators.
    std::vector<Output> with_range(const Output& tensor, const Range& range);

private:
    const SymbolNode& stated_;
    std::vector<Output> inputs_;
    GraphServices& graph_;
};

// "method", "input_scales", ... of the operations on quantized tensors.
ModelAttributes grids(const std::vector<Grid>& inputs, const Grid& result, ElementType type);

// MXNet rounds as FakeQuantize does: in f32, half to even.
inline constexpr const char* kMethod = "NATIVE";

}  // namespace fuseq::mxnet_reader
