// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Judge: how far a quantized model is from the float model, on inputs that nothing was learned
// from.
#pragma once

#include <string>
#include <vector>

#include "quantizer/data_runner.hpp"

namespace fuseq::quantizer {

// Where two models are compared: input `index` of a layer that both have.
struct ComparedInput {
    std::string layer;
    std::size_t index = 0;
    bool guard = false;  // see compared_inputs
};

// What the Results read. Where a layer jumps (detections, sorting, indices) or hides errors by
// saturating (SoftMax, Sigmoid), its real inputs instead. What comes after a choice among computed
// values (NonMaxSuppression, TopK, ...) is in no order that two models share, so what goes into the
// choice and beside it is compared. Where that is but a few numbers, also what the last products
// before it read: a few numbers of a few inputs say little. What saturates is a guard, after all
// others: it must not lose, but says nothing of gains.
std::vector<ComparedInput> compared_inputs(const Model& model);

struct Ratio {
    double signal = 0;
    double noise = 0;
};
// In dB, at most 200.
double decibels(const Ratio& ratio);

// How far a quantized model is from the float model: by compared tensor and input.
using Distances = std::vector<std::vector<Ratio>>;

// Mean over inputs and compared tensors of the signal-to-noise ratio in dB,
// 10 log10(sum exact^2 / sum (exact - quantized)^2): no single input decides. Tensors that are
// equal do not count.
double mean_decibels(const Distances& distances);

// What `tried` gains over `base` in dB, mean over the compared tensors. Two figures, since either
// alone misleads: easy inputs decide the first, hard ones the second.
struct Gain {
    double mean = 0;             // over inputs
    double error = 0;            // standard error of `mean`: what inputs have to do with it
    double together = 0;         // of all inputs as one
    double min = 0;              // of one tensor, all inputs as one
    std::size_t min_tensor = 0;  // which one that is
};
Gain gain_of(const Distances& tried, const Distances& base);

// What the tensor that loses most loses on inputs [begin, end) alone, taken as one, in dB; 0: none
// loses.
struct Loss {
    double decibels = 0;
    std::size_t tensor = 0;
};
Loss most_lost(const Distances& tried, const Distances& base, std::size_t begin, std::size_t end);

class Judge {
public:
    // Runs the float model. Keeps its outputs: fewer inputs than `indices` where they are large.
    Judge(const Model& exact,
          std::string device,
          std::vector<std::size_t> indices,
          const CalibrationInputs& inputs);

    Distances distances(const Model& quantized) const;
    std::size_t inputs() const { return indices_.size(); }
    // How many of the compared tensors are no guards; these come first.
    std::size_t judged() const;
    // Of the compared tensors, for people: "input 0 of 'layer'".
    std::vector<std::string> names() const;

private:
    std::string device_;
    std::vector<std::size_t> indices_;
    const CalibrationInputs& inputs_;
    std::vector<ComparedInput> compared_;
    std::vector<std::vector<std::vector<float>>> exact_;  // by compared tensor and input
};

}  // namespace fuseq::quantizer
