// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The oneDNN primitive that an anchor comes to when nothing is asked of it but the sum of products:
// no bias, no post-ops, no scales. Its time is what a plan can hope for.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <oneapi/dnnl/dnnl.hpp>

#include "fuseq/node.hpp"

namespace fuseq::bench {

struct BarePrimitive {
    dnnl::primitive primitive;
    // Weights of its own; source and destination lie in two buffers that all share, in turn, as the
    // tensors of a plan lie in its arena.
    std::unordered_map<int, dnnl::memory> arguments;
    std::string implementation;
};

// Two buffers; grow() before the primitives are bound.
class Buffers {
public:
    void grow(std::size_t bytes) { bytes_ = std::max(bytes_, bytes); }
    // Number `i` of a sequence in which each primitive reads what the one before it wrote.
    void bind(BarePrimitive& bare, std::size_t i);

private:
    std::size_t bytes_ = 0;
    std::vector<dnnl::memory> buffers_;
};

// For Convolution, ConvolutionBackpropData, their Group forms and MatMul of a transformed model:
// the same shapes and source types, channels-last (matmul: plain) with weights as oneDNN likes them
// best. `dst` is the type that the plan writes. Empty for other nodes, and where oneDNN refuses.
// Source and destination have no memory yet: Buffers::bind.
std::optional<BarePrimitive> bare_primitive(const Node& node, ElementType dst);

}  // namespace fuseq::bench
