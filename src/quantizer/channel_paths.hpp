// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Paths of channels: which channels of quantized tensors come to which channels of the anchors that
// read them, through layers that only move values (Concat, Split, Reshape, Transpose, shuffles, ...).
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "quantizer/placement.hpp"

namespace fuseq::quantizer {

// A tensor whose channels are followed. Channels of all sources are numbered, from `first` on.
struct ChannelSource {
    const Place* place = nullptr;
    std::size_t dim = 1;
    std::size_t count = 0;
    std::size_t first = 0;
};

// An anchor, and the number of the channel that comes to each of its own; 0: no source's.
struct ChannelSink {
    Node* anchor = nullptr;
    std::vector<std::size_t> numbers;
};

struct ChannelPaths {
    std::vector<ChannelSink> sinks;
    std::set<std::size_t> mixed;  // channels that come to an anchor in one channel with others
};

// What lies behind sources, by name.
struct ChannelReaders {
    std::map<std::string, Node*> anchors;
    std::set<std::string> movements;  // layers between them that move blindly
};

// The dimension that an anchor sums over: `reads_channels` (reader_weights.hpp) has to hold.
std::size_t channel_dim_read(const Node& anchor);

// Whether a layer moves values to the same places, whatever they are: no TopK, no computed indices.
bool moves_blindly(const Node& node);

// Sources are numbered from 1 to numbers - 1. What comes to `readers` from elsewhere has no number.
// Shapes are known. `device` runs the layers between.
ChannelPaths follow_channels(const Model& model,
                             const std::vector<ChannelSource>& sources,
                             std::size_t numbers,
                             const ChannelReaders& readers,
                             const std::string& device);

}  // namespace fuseq::quantizer
