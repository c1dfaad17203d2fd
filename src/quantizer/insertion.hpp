// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Puts scales into a lowered model: FakeQuantize layers on activations, integers for weights and
// biases.
#pragma once

#include <string>
#include <vector>

#include "quantizer/learned_weights.hpp"
#include "quantizer/measured_shifts.hpp"
#include "quantizer/placement.hpp"
#include "quantizer/profile.hpp"

namespace fuseq::quantizer {

// Scales of one place: one, or one a channel (dimension 1).
using PlaceScales = std::vector<ScaleAndOffset>;

// By profile, calibration and schema; one entry a place. Throws Error for a tensor that the
// profile does not have.
std::vector<PlaceScales> choose_place_scales(const Placement& placement,
                                             const Profile& profile,
                                             const QuantizerOptions& options);

// Puts in FakeQuantize layers, and integers for weights and biases of the anchors that the
// placement quantizes: what was learned of them, or the nearest ones, and biases moved by `shifts`.
// Uses up the placement: its
// nodes read other ones afterwards.
struct InsertionReport {
    std::vector<QuantizedLayer> layers;  // of all anchors and carriers
    std::vector<std::string> remarks;    // what was out of the ordinary
};
InsertionReport insert_integers(Model& model,
                                const Placement& placement,
                                const std::vector<PlaceScales>& scales,
                                const Profile& profile,
                                const QuantizerOptions& options,
                                const LearnedLayers& learned = {},
                                const BiasShifts& shifts = {});

// The first half of it.
void insert_fake_quantize(Model& model,
                          const Placement& placement,
                          const std::vector<PlaceScales>& scales);

}  // namespace fuseq::quantizer
