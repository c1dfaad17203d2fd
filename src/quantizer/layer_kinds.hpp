// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What each kind of layer means for quantization.
#pragma once

#include <cstddef>

#include "fuseq/model.hpp"

namespace fuseq::quantizer {

enum class LayerKind {
    kAnchor,      // a sum of products, which runs on integers
    kMovement,    // passes values on: its results have the scale of its source (Glow's list: Slice,
                  // Reshape, TopK, Gather, MaxPool, ...)
    kActivation,  // of one tensor, element by element: part of what stands before it
    kCarrier,     // of several elements or tensors; quantized where integers follow
    kFloat,       // all others
};
LayerKind kind_of(const Node& node);

// Whether input `i` holds the values that the kind is about; not weights, slopes, shapes, axes.
bool is_data_input(const Node& node, std::size_t i);

// Both inputs must have one scale: a maximum of integers is one only then.
bool needs_one_scale(const Node& node);

// Depends on no Parameter.
bool is_constant_input(const Node& node, std::size_t i);

// A convolution with one input channel a group.
bool is_depthwise(const Node& node);

}  // namespace fuseq::quantizer
