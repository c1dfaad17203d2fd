// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/improvement.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "fuseq/error.hpp"
#include "quantizer/equalization.hpp"
#include "quantizer/judge.hpp"
#include "quantizer/measure_shifts.hpp"
#include "quantizer/profiler.hpp"
#include "quantizer/verdict.hpp"

namespace fuseq::quantizer {
namespace {

// Inputs of a part, at most.
constexpr std::size_t kMaxPartInputs = 16;
constexpr std::size_t kParts = 3;
constexpr std::size_t kFewestOfPart = 2;
// With a bound on the loss: inputs that it is measured on, at most.
constexpr std::size_t kMaxBounding = 32;
constexpr double kEqualizationStrength = 0.5;

// What would become the model, and for each part of the inputs the ranges that the others have: a
// part judges with these, as if it did not exist otherwise.
struct Candidate {
    Conversion conversion;
    std::vector<Profile> without_part;
    std::vector<BiasShifts> shifts_without_part;  // empty: none

    Candidate copy() const { return {conversion.copy(), without_part, shifts_without_part}; }
    Conversion without(std::size_t part) const {
        Conversion result = conversion;
        result.profile = without_part[part];
        result.shifts = shifts_without_part.empty() ? BiasShifts{} : shifts_without_part[part];
        return result;
    }
};

class Improver {
public:
    Improver(const Conversion& start, std::size_t count, const CalibrationInputs& inputs)
        : count_(count), inputs_(inputs), best_{start.copy(), {}, {}} {
        for (std::size_t i = 0; i < std::min(count, kParts * kMaxPartInputs); ++i) {
            parts_[i % kParts].push_back(i);
        }
    }

    Improved run() {
        const QuantizerOptions options = best_.conversion.options;
        result_.judges = split_data(count_, kMaxBounding).judge;
        settle_calibration(best_.conversion);
        if (parts_.back().size() < kFewestOfPart) {
            if (options.max_drop) {
                throw Error("quantize",
                            fmt::format("-max_drop needs at least 6 inputs, not {}", count_));
            }
            result_.remarks.push_back(
                fmt::format("with {} inputs nothing can be judged: at least 6 are needed for "
                            "equalization and what else takes data",
                            count_));
            result_.conversion = std::move(best_.conversion);
            return std::move(result_);
        }
        for (const std::vector<std::size_t>& part : parts_) {
            judges_.emplace_back(*best_.conversion.lowered, options.device, part, inputs_);
        }
        wants_bias_correction_ = options.bias_correction;
        best_.conversion.options.bias_correction = false;
        best_.conversion.options.concat_ranges = false;
        best_.without_part = profiles_without_parts(best_.conversion);
        distances_ = distances(best_);
        try_equalization();
        if (options.concat_ranges) {
            try_concat_ranges();
        }
        if (options.bias_correction) {
            Candidate tried = best_.copy();
            tried.conversion.options.bias_correction = true;
            offer("bias correction", std::move(tried));
        }
        if (options.calibration == Calibration::kBest) {
            try_calibrations();
        }
        if (options.second_order_rounding) {
            try_learning();
        }
        if (options.measured_biases) {
            try_measured_biases();
        }
        result_.conversion = std::move(best_.conversion);
        if (options.max_drop) {
            result_.conversion.profile =
                profile_of(result_.conversion, split_data(count_, kMaxBounding).learn);
        }
        if (measured_) {
            result_.conversion.shifts = final_shifts();
        }
        return std::move(result_);
    }

private:
    static void settle_calibration(Conversion& conversion) {
        if (conversion.options.calibration == Calibration::kBest) {
            conversion.options.calibration = Calibration::kNone;
        }
    }

    // Of all parts, one input after the other.
    Distances distances(const Candidate& candidate) const {
        Distances all;
        for (std::size_t part = 0; part < kParts; ++part) {
            const Distances own = judges_[part].distances(*convert(candidate.without(part)).model);
            all.resize(own.size());
            for (std::size_t t = 0; t < own.size(); ++t) {
                all[t].insert(all[t].end(), own[t].begin(), own[t].end());
            }
        }
        return all;
    }

    // Judged by the inputs of all parts from the first one on.
    bool offer(const std::string& name, Candidate tried, std::size_t first_part = 0) {
        Distances reached = distances(tried);
        const Verdict verdict =
            verdict_of(from_part(reached, first_part), from_part(distances_, first_part),
                       part_sizes(first_part), judges_[0].names());
        result_.steps.push_back({name, mean_decibels(distances_), mean_decibels(reached),
                                 verdict.kept, verdict.reason});
        if (verdict.kept) {
            distances_ = std::move(reached);
            best_ = std::move(tried);
        }
        return verdict.kept;
    }

    // Inputs of each part from that one on.
    std::vector<std::size_t> part_sizes(std::size_t first_part) const {
        std::vector<std::size_t> sizes;
        for (std::size_t part = first_part; part < kParts; ++part) {
            sizes.push_back(judges_[part].inputs());
        }
        return sizes;
    }

    Distances from_part(Distances all, std::size_t first_part) const {
        std::size_t before = 0;
        for (std::size_t part = 0; part < first_part; ++part) {
            before += judges_[part].inputs();
        }
        for (std::vector<Ratio>& tensor : all) {
            tensor.erase(tensor.begin(), tensor.begin() + static_cast<std::ptrdiff_t>(before));
        }
        return all;
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

    std::vector<Profile> profiles_without_parts(const Conversion& conversion) const {
        std::vector<Profile> of_parts;
        for (const std::vector<std::size_t>& part : parts_) {
            of_parts.push_back(profile_of(conversion, part));
        }
        std::vector<Profile> without;
        for (std::size_t part = 0; part < kParts; ++part) {
            Profile& others = without.emplace_back(of_parts[(part + 1) % kParts]);
            others.merge(of_parts[(part + 2) % kParts]);
        }
        return without;
    }

    // Histograms of equalized tensors are made anew where something is read from them: of all
    // inputs, as the first ones were.
    void profile_again(Candidate& candidate) const {
        candidate.without_part = profiles_without_parts(candidate.conversion);
        std::vector<std::size_t> all(count_);
        std::iota(all.begin(), all.end(), std::size_t{0});
        candidate.conversion.profile = profile_of(candidate.conversion, all);
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
        std::vector<Profile*> profiles{&tried.conversion.profile};
        for (Profile& profile : tried.without_part) {
            profiles.push_back(&profile);
        }
        const std::vector<std::string> tensors =
            equalize(*tried.conversion.lowered, profiles, kEqualizationStrength, fixed);
        if (tensors.empty()) {
            return;
        }
        if (tried.conversion.options.calibration != Calibration::kNone) {
            profile_again(tried);
        }
        equalized_ =
            offer(fmt::format("equalization of {} tensors", tensors.size()), std::move(tried));
    }

    void try_concat_ranges() {
        Candidate tried = best_.copy();
        tried.conversion.options.concat_ranges = true;
        const std::size_t concats = concats_of_own_ranges(tried.conversion).size();
        if (concats > 0) {
            offer(fmt::format("own ranges for the inputs of {} Concats", concats),
                  std::move(tried));
        }
    }

    void try_calibrations() {
        if (equalized_) {
            profile_again(best_);
        }
        for (const Calibration calibration : {Calibration::kMse, Calibration::kPercentile}) {
            Candidate tried = best_.copy();
            tried.conversion.options.calibration = calibration;
            offer(fmt::format("{} calibration", to_string(calibration)), std::move(tried));
        }
    }

    void try_learning() {
        Candidate tried = best_.copy();
        Conversion& conversion = tried.conversion;
        conversion.options.bias_correction = wants_bias_correction_;
        conversion.learned =
            learn_layers(*conversion.lowered, quantized_anchors(conversion), conversion.options,
                         split_data(count_, kMaxBounding), inputs_);
        if (conversion.learned.empty()) {
            return;
        }
        double share = 0;
        for (const auto& [name, layer] : conversion.learned) {
            share += layer.error_of_nearest > 0 ? layer.error / layer.error_of_nearest : 1;
        }
        share /= static_cast<double>(conversion.learned.size());
        result_.remarks.push_back(
            fmt::format("second-order rounding of {} layers leaves {} % of the squared error that "
                        "the nearest integers make, on held-back inputs",
                        conversion.learned.size(), std::lround(100 * share)));
        // Weights were learned from the parts before the last.
        offer("second-order rounding of weights", std::move(tried), kParts - 1);
    }

    // In place of bias correction. Each part judges biases that were measured on the others. Where the last one sees no gain,
    // the others are not asked, which would take as long again each.
    void try_measured_biases() {
        Candidate tried = best_.copy();
        tried.conversion.options.bias_correction = false;
        const Candidate start = tried.copy();
        tried.shifts_without_part.resize(kParts);
        for (std::size_t part = kParts; part-- > 0;) {
            std::vector<std::size_t> others;
            for (std::size_t i = 0; i < std::min(count_, kParts * kMaxPartInputs); ++i) {
                if (i % kParts != part) {
                    others.push_back(i);
                }
            }
            BiasShifts shifts = measure_shifts(start.without(part), others, inputs_);
            if (shifts.empty()) {
                return;
            }
            tried.shifts_without_part[part] = std::move(shifts);
            if (part == kParts - 1 && !gains_on_last_part(tried)) {
                offer("measured biases", std::move(tried), kParts - 1);
                return;
            }
        }
        measured_ = offer("measured biases", std::move(tried));
    }

    // With a bound on the loss, the last part has to stay unseen.
    BiasShifts final_shifts() const {
        std::vector<std::size_t> seen;
        for (std::size_t i = 0; i < std::min(count_, kParts * kMaxPartInputs); ++i) {
            if (!result_.conversion.options.max_drop || i % kParts != kParts - 1) {
                seen.push_back(i);
            }
        }
        return measure_shifts(result_.conversion, seen, inputs_);
    }

    bool gains_on_last_part(const Candidate& tried) const {
        constexpr std::size_t kLast = kParts - 1;
        const Distances reached = judges_[kLast].distances(*convert(tried.without(kLast)).model);
        return gain_of(reached, from_part(distances_, kLast)).mean > 0;
    }

    std::size_t count_;
    const CalibrationInputs& inputs_;
    std::array<std::vector<std::size_t>, kParts> parts_;
    std::vector<Judge> judges_;  // one a part
    Distances distances_;        // of the best one
    bool wants_bias_correction_ = false;
    bool equalized_ = false;
    bool measured_ = false;
    Candidate best_;
    Improved result_;
};

}  // namespace

Improved improve(const Conversion& start, std::size_t count, const CalibrationInputs& inputs) {
    return Improver(start, count, inputs).run();
}

}  // namespace fuseq::quantizer
