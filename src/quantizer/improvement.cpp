// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/improvement.hpp"

#include <algorithm>
#include <cmath>

#include "fuseq/error.hpp"
#include "quantizer/equalization.hpp"
#include "quantizer/judge.hpp"
#include "quantizer/profiler.hpp"

namespace fuseq::quantizer {
namespace {

// Inputs to learn from, and to judge by, at most.
constexpr std::size_t kMostInputs = 32;
// With fewer to judge by, chance decides.
constexpr std::size_t kFewestJudges = 2;
// In dB: less may be chance.
constexpr double kLeastGain = 0.3;
constexpr double kEqualizationStrength = 0.5;

// What would become the model, and the ranges that the learning inputs alone have: it is judged
// with these, as if the others did not exist.
struct Candidate {
    Conversion conversion;
    Profile learned_ranges;

    Candidate copy() const { return {conversion.copy(), learned_ranges}; }
    Conversion to_judge() const {
        Conversion result = conversion;
        result.profile = learned_ranges;
        return result;
    }
};

class Improver {
public:
    Improver(const Conversion& start, std::size_t count, const CalibrationInputs& inputs)
        : inputs_(inputs), split_(split_data(count, kMostInputs)), best_{start.copy(), {}} {
        for (std::size_t i = 0; i < std::min(count, 3 * kMostInputs); ++i) {
            all_.push_back(i);
        }
    }

    Improved run() {
        result_.judges = split_.judge;
        if (split_.judge.size() < kFewestJudges) {
            if (best_.conversion.options.max_drop) {
                throw Error("quantize",
                            detail::cat("-max_drop needs at least 6 inputs, not ", all_.size()));
            }
            result_.remarks.push_back(
                detail::cat("with ", all_.size(),
                            " inputs nothing can be judged: at least 6 are needed for equalization "
                            "and what else takes data"));
            result_.conversion = std::move(best_.conversion);
            settle_calibration(result_.conversion);
            return std::move(result_);
        }
        const QuantizerOptions options = best_.conversion.options;
        const Judge judge(*best_.conversion.lowered, options.device, split_.judge, inputs_);
        judge_ = &judge;
        settle_calibration(best_.conversion);
        best_.learned_ranges = profile_of(best_.conversion, split_.learn);
        score_ = judge.sqnr(*convert(best_.to_judge()).model);
        try_equalization();
        if (options.calibration == Calibration::kBest) {
            try_calibrations();
        }
        if (!try_learning() && options.bias_correction) {
            Candidate tried = best_.copy();
            tried.conversion.options.bias_correction = false;
            offer("biases as they were", std::move(tried));
        }
        result_.conversion = std::move(best_.conversion);
        if (options.max_drop) {
            result_.conversion.profile = std::move(best_.learned_ranges);
        }
        return std::move(result_);
    }

private:
    static void settle_calibration(Conversion& conversion) {
        if (conversion.options.calibration == Calibration::kBest) {
            conversion.options.calibration = Calibration::kNone;
        }
    }

    bool offer(const std::string& name, Candidate tried) {
        const double score = judge_->sqnr(*convert(tried.to_judge()).model);
        const bool kept = score >= score_ + kLeastGain;
        result_.steps.push_back({name, score_, score, kept});
        if (kept) {
            score_ = score;
            best_ = std::move(tried);
        }
        return kept;
    }

    Profile profile_of(const Conversion& conversion,
                       const std::vector<std::size_t>& indices) const {
        Profile profile = conversion.profile;
        profile.tensors.clear();
        profile.inputs = 0;
        const Profiler profiler(*conversion.lowered, conversion.options.device,
                                conversion.options.streams);
        profiler.run(profile, indices.size(), [&](std::size_t i) { return inputs_(indices[i]); },
                     {});
        return profile;
    }

    // Histograms of equalized tensors are made anew where something is read from them.
    void profile_again(Candidate& candidate) const {
        candidate.conversion.profile = profile_of(candidate.conversion, all_);
        candidate.learned_ranges = profile_of(candidate.conversion, split_.learn);
    }

    void try_equalization() {
        if (!best_.conversion.options.equalization) {
            return;
        }
        Candidate tried = best_.copy();
        FixedInputs fixed;
        for (const ComparedInput& input : compared_inputs(*tried.conversion.lowered)) {
            fixed.insert({input.layer, input.index});
        }
        const std::vector<std::string> tensors =
            equalize(*tried.conversion.lowered, {&tried.conversion.profile, &tried.learned_ranges},
                     kEqualizationStrength, fixed);
        if (tensors.empty()) {
            return;
        }
        if (tried.conversion.options.calibration != Calibration::kNone) {
            profile_again(tried);
        }
        equalized_ =
            offer(detail::cat("equalization of ", tensors.size(), " tensors"), std::move(tried));
    }

    void try_calibrations() {
        if (equalized_) {
            profile_again(best_);
        }
        for (const Calibration calibration : {Calibration::kMse, Calibration::kPercentile}) {
            Candidate tried = best_.copy();
            tried.conversion.options.calibration = calibration;
            offer(detail::cat(to_string(calibration), " calibration"), std::move(tried));
        }
    }

    bool try_learning() {
        const QuantizerOptions& options = best_.conversion.options;
        if (!options.second_order_rounding) {
            return false;
        }
        Candidate tried = best_.copy();
        Conversion& conversion = tried.conversion;
        conversion.learned = learn_layers(*conversion.lowered, quantized_anchors(conversion),
                                          options, split_, inputs_);
        if (conversion.learned.empty()) {
            return false;
        }
        double share = 0;
        for (const auto& [name, layer] : conversion.learned) {
            share += layer.error_of_nearest > 0 ? layer.error / layer.error_of_nearest : 1;
        }
        share /= static_cast<double>(conversion.learned.size());
        result_.remarks.push_back(detail::cat(
            "second-order rounding of ", conversion.learned.size(), " layers leaves ",
            std::lround(100 * share),
            " % of the squared error that the nearest integers make, on held-back inputs"));
        return offer("second-order rounding of weights", std::move(tried));
    }

    const CalibrationInputs& inputs_;
    DataSplit split_;
    std::vector<std::size_t> all_;
    const Judge* judge_ = nullptr;
    double score_ = 0;
    bool equalized_ = false;
    Candidate best_;
    Improved result_;
};

}  // namespace

Improved improve(const Conversion& start, std::size_t count, const CalibrationInputs& inputs) {
    return Improver(start, count, inputs).run();
}

}  // namespace fuseq::quantizer
