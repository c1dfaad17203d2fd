// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// FUSEQ_FLOAT_FALLBACK: layers that were measured to be slower on integers than in float run in
// float, where the user allows the other results that this gives.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cpu/compile/transformed.hpp"
#include "cpu/exec/slow_layers.hpp"

namespace fuseq::cpu {

// A layer that is slower on integers.
struct FallbackLayer {
    std::string layer;
    double int8_us = 0;
    double float_us = 0;
    std::vector<std::string> keep;  // FakeQuantize layers that are left in float for it
    // What was done: kFloatIsFaster: it runs in float. Else it does not: kSharedQuantization,
    // kWholeIsSlower.
    std::string code;
};
inline constexpr const char* kFloatIsFaster = "float_is_faster";
inline constexpr const char* kSharedQuantization = "shared_quantization";
inline constexpr const char* kWholeIsSlower = "whole_is_slower";

// A sentence.
std::string reason_of(const FallbackLayer& layer);

struct FloatFallback {
    std::vector<FallbackLayer> layers;
    std::string note;  // what was measured, or why nothing was: a sentence; empty: off

    // FakeQuantize layers of all that run in float, each once.
    std::vector<std::string> keep_float() const;
};

// What measures. Both get the model as it was given and two configurations of it.
struct FallbackClock {
    struct Layers {
        std::vector<LayerTime> int8;
        std::vector<LayerTime> in_float;
    };
    struct Whole {
        double before_us = 0;
        double after_us = 0;
    };
    std::function<Layers(const Model&, const Config& int8, const Config& in_float)> layers;
    std::function<Whole(const Model&, const Config& before, const Config& after)> whole;
};
// Runs the plans in turn on made-up input, five times at least and for some 50 ms, and takes the
// smallest times.
FallbackClock machine_clock();

// For a model without open dimensions. The layers of slower_in_int8 are kept in float together when
// the whole model is faster so, or none is.
FloatFallback choose_float(const Model& original, const Config& config, const FallbackClock& clock);

// FakeQuantize layers that must stay in float for each of `layers` (convolutions, deconvolutions,
// matrix products of the model) to run in float: those of their weights and sources that nothing
// else reads but movements to other ones of `layers`. Empty where there is none.
std::vector<std::vector<std::string>> quantizations_of(const Model& model,
                                                       const std::vector<std::string>& layers);

// transform_for_cpu with those layers in float. What it says of them has the code float_is_faster.
Transformed transform_with(const Model& original,
                           const Config& config,
                           const FloatFallback& fallback,
                           ConstantCache* constants = nullptr);

}  // namespace fuseq::cpu
