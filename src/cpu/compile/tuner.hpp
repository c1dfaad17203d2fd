// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Choice by measurement: which implementation computes an anchor fastest on this machine, in the
// place where it stands in the network.
#pragma once

#include <chrono>
#include <map>
#include <span>
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

// Whether a plan wins in three of four pairs of runs, one after the other, and its least time is
// less by 2 %: not by chance, and not by the noise of a machine on which others work. One time a
// pair in both lists, which are not empty.
bool is_clearly_faster(std::span<const double> times, std::span<const double> others);

// Plans the model with the implementations of the rules and with others (`options.choices` is
// ignored), runs the plans in turn on made-up input, and picks for each anchor the fastest. A plan
// only counts when it gives the same bytes as that of the rules; so must the plan of all picks
// together, which must also be clearly faster as a whole, or nothing is picked. `budget` is for the
// runs; a model that is too slow for enough of them is left to the rules, before other plans are
// made. The model keeps its constants.
Tuned tune(const Model& model,
           const std::map<std::string, FakeQuantizeResult>& ranges,
           BuildOptions options,
           std::chrono::milliseconds budget);

}  // namespace fuseq::cpu
