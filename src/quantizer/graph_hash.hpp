// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// GraphHash: what makes two models the same for a profile. Layers, their attributes, constants and
// edges count; shapes of inputs, the order of layers in the file and their numbers do not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fuseq/model.hpp"

namespace fuseq::quantizer {

struct GraphHash {
    struct Layer {
        std::string name;
        std::uint64_t hash = 0;  // of the layer, its constants, and the names of its sources
        friend bool operator==(const Layer&, const Layer&) = default;
    };
    std::uint64_t value = 0;
    std::vector<Layer> layers;  // without constants; in the order of execution
};

GraphHash hash_graph(const Model& model);

// "layer 'conv_3' has other attributes, weights or sources" of the first layer of `expected` that
// `other` has not; empty when they are the same.
std::string first_difference(const GraphHash& expected, const GraphHash& other);

}  // namespace fuseq::quantizer
