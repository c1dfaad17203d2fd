// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Times of the steps of a plan as times of layers.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "cpu/exec/slow_layers.hpp"
#include "cpu/plan/plan.hpp"

namespace fuseq::cpu {

struct LayerNames {
    std::set<std::string> anchors;        // convolutions, deconvolutions, matrix products
    std::set<std::string> fake_quantize;  // layers that quantize
};

// `times_us`: one a step. A layer has the time of all steps made for it, and that of quantizations
// and reorders whose result no other layer reads. Only layers that compute on integers
// (`quantized`) or only those that do not; layers whose steps compute a second one of `anchors` too
// are left out, as what belongs to which cannot be told.
std::vector<LayerTime> layer_times(const Plan& plan,
                                   std::span<const double> times_us,
                                   const LayerNames& names,
                                   bool quantized);

}  // namespace fuseq::cpu
