// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Profile: what was seen of every float tensor of a model. Holds ranges, not scales, so that every
// schema and calibration can be tried without running the model again.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "fuseq/shape.hpp"
#include "quantizer/graph_hash.hpp"
#include "quantizer/histogram.hpp"

namespace fuseq::quantizer {

// Tensors with more channels than this have none on record.
inline constexpr std::size_t kMaxChannels = 4096;

struct TensorProfile {
    RealRange range;  // of all values; meaningless while `histogram` is empty
    Histogram histogram;
    std::vector<RealRange> channels;   // empty: less than two dimensions, or too many channels
    std::vector<double> channel_sums;  // as `channels`
    std::uint64_t channel_count = 0;   // values of one channel

    // Of one more input. Throws Error (rule only) for a value that is not finite.
    void add(std::span<const float> values, const Shape& shape, std::size_t channel_dim = 1);
    void merge(const TensorProfile& other);
    // What it would be of values that are divided by a factor a channel; the histogram loses its
    // counts.
    void divide_channels(const std::vector<float>& factors);
    bool empty() const { return histogram.empty(); }
};

struct Profile {
    std::string tool_version;
    GraphHash graph;
    std::vector<std::string> not_lowered;  // kinds, sorted
    std::size_t histogram_bins = 0;
    std::size_t inputs = 0;  // how many were run
    std::map<std::string, TensorProfile> tensors;

    // Throws Error when the other one is of another graph, lowering or number of bins; otherwise
    // adds it.
    void merge(const Profile& other);
    // The same checks alone; `what` names the other one in messages.
    void require_same_graph(const Profile& other, const std::string& what) const;
};

// profile.yaml: see docs/quantizer.md. Reading what was written and writing it again gives the
// same bytes.
std::string to_yaml(const Profile& profile);
// Throws Error naming the file and the line.
Profile from_yaml(const std::string& text, const std::string& file);

}  // namespace fuseq::quantizer
