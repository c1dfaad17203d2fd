// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Choice by measurement: which implementation computes an anchor fastest on this machine, in the
// place where it stands in the network.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "cpu/plan/builder.hpp"

namespace fuseq::cpu {

// What was measured of the anchors whose implementation is not that of the rules.
struct TunedAnchor {
    std::string layer;
    std::string rules;  // implementation by the rules
    std::string best;   // implementation that was taken
    double rules_us = 0;
    double best_us = 0;
};

struct Tuned {
    std::vector<TunedAnchor> anchors;
    std::string note;  // what was done, or why nothing was: a sentence

    // What PlanBuilder takes.
    std::map<std::string, std::string> choices() const;
};

// Plans the model with the implementations of the rules and with others (`options.choices` is
// ignored), runs the plans in turn on made-up input for `budget`, five times at least, and picks
// for each anchor the fastest. A plan only counts when it gives the same bytes as that of the
// rules; so must the plan of all picks together, or nothing is picked. The model keeps its
// constants.
Tuned tune(const Model& model,
           const std::map<std::string, FakeQuantizeResult>& ranges,
           BuildOptions options,
           std::chrono::milliseconds budget);

}  // namespace fuseq::cpu
