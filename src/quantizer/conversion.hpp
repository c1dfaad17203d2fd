// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Conversion: all that a quantized model is made of.
#pragma once

#include <memory>
#include <set>

#include "quantizer/learned_weights.hpp"
#include "quantizer/measured_shifts.hpp"
#include "quantizer/placement.hpp"
#include "quantizer/profile.hpp"

namespace fuseq::quantizer {

struct Conversion {
    std::shared_ptr<Model> lowered;
    std::set<const Node*> kept;  // of `lowered`: layers that stay in float
    Profile profile;
    QuantizerOptions options;
    LearnedLayers learned;
    BiasShifts shifts;

    // With a model of its own.
    Conversion copy() const;
};

// Of its model: as the options, the profile and the weights want it.
std::set<const Node*> concats_of_own_ranges(const Conversion& conversion);

// Where its FakeQuantize layers go.
Placement placement_of(const Conversion& conversion);

// Throws Error where a layer stays in float that the options want quantized.
QuantizedModel convert(const Conversion& conversion);

// The anchors that become integers, and those of them with constant weights.
std::vector<const Node*> quantized_products(const Conversion& conversion);
std::vector<const Node*> quantized_anchors(const Conversion& conversion);

}  // namespace fuseq::quantizer
