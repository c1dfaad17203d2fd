// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Where FakeQuantize layers go: which tensors become integers, who reads the integers, and which
// tensors share a scale.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "fuseq/model.hpp"

namespace fuseq::quantizer {

struct Place {
    Output tensor;
    std::vector<Use> readers;     // of the integers; others go on reading floats
    std::size_t group = 0;        // places of one group share a scale
    bool depthwise_only = false;  // may have a scale a channel; never with others in its group
};

struct Placement {
    std::vector<Place> places;  // in the order of execution
    // Anchors and carriers that run on integers by them.
    std::set<const Node*> quantized;
    // Why another one does not.
    std::unordered_map<const Node*, std::string> reasons;
};

// Rules (docs/quantizer.md, "Where"):
//   - every activation that an anchor reads is quantized where it is computed: after its
//     activation function, and before operations that only move values;
//   - other layers (Add, AvgPool, ...) read integers where integers follow them, but for the one
//     operand of an Add that comes straight from an anchor, which takes the sum into its epilogue;
//   - inputs of a Concat, Maximum or Minimum share a scale.
// `kept`: layers that stay in float. `own_ranges`: Concats whose inputs share nothing.
// `integers_for_time`: sums before an Elu read integers alone, whose sum a table can hold; sums and
// products of large tensors that no anchor follows read integers where an anchor computes or reads
// the operand: a quarter of the memory.
Placement place(Model& model,
                const std::set<const Node*>& kept,
                const std::set<const Node*>& own_ranges = {},
                bool integers_for_time = false);

// How many more inputs of layers are integers with `integers_for_time`.
std::size_t integers_for_time(Model& model, const std::set<const Node*>& kept);

// The place whose integers input `i` of `node` reads, through operations that only move values;
// places.size() where there is none.
std::size_t place_read_by(const Placement& placement, Node& node, std::size_t i);

// Names a tensor in profiles: the layer, and ".<port>" where it has several outputs.
std::string tensor_name(const Output& tensor);

// The dimension that profiles take for the channels of a tensor: the last one of what is, by all
// that computes and reads it, rows of a matrix product; otherwise 1.
std::size_t channel_dim_of(const Output& tensor);

}  // namespace fuseq::quantizer
