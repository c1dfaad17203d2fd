// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/improvement.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "fuseq/error.hpp"
#include "quantizer/channel_scales.hpp"
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

// What would become the model, and for each part of the inputs the same made from the others: a
// part judges that, as if it did not exist otherwise.
struct Candidate {
    Conversion whole;
    std::vector<Conversion> without_part;

    Candidate copy() const {
        Candidate result{whole.copy(), {}};
        for (const Conversion& conversion : without_part) {
            result.without_part.push_back(conversion.copy());
        }
        return result;
    }
    template <class Function>
    void for_each(const Function& function) {
        function(whole);
        for (Conversion& conversion : without_part) {
            function(conversion);
        }
    }
};

class Improver {
public:
    Improver(const Conversion& start, std::size_t count, const CalibrationInputs& inputs)
        : count_(count), inputs_(inputs), best_{start.copy(), {}} {
        for (std::size_t i = 0; i < std::min(count, kParts * kMaxPartInputs); ++i) {
            parts_[i % kParts].push_back(i);
        }
    }

    Improved run() {
        const QuantizerOptions options = best_.whole.options;
        result_.judges = split_data(count_, kMaxBounding).judge;
        settle_calibration(best_.whole);
        if (parts_.back().size() < kFewestOfPart) {
            if (options.max_drop) {
                throw Error("quantize",
                            fmt::format("-max_drop needs at least 6 inputs, not {}", count_));
            }
            result_.remarks.push_back(
                fmt::format("with {} inputs nothing can be judged: at least 6 are needed for "
                            "equalization and what else takes data",
                            count_));
            best_.whole.options.integers_for_time = false;
            result_.conversion = std::move(best_.whole);
            return std::move(result_);
        }
        for (const std::vector<std::size_t>& part : parts_) {
            judges_.emplace_back(*best_.whole.lowered, options.device, part, inputs_);
        }
        start_from_ranges();
        Candidate not_equalized = best_.copy();
        try_equalization();
        if (options.channel_scales) {
            try_channel_scales();
        }
        if (options.concat_ranges) {
            try_concat_ranges();
        }
        if (options.bias_correction) {
            try_bias_correction();
        }
        if (equalized_) {
            reconsider_equalization(std::move(not_equalized));
        }
        if (options.integers_for_time) {
            try_integers_for_time();
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
        result_.conversion = std::move(best_.whole);
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
    void start_from_ranges() {
        wants_bias_correction_ = best_.whole.options.bias_correction;
        best_.whole.options.bias_correction = false;
        best_.whole.options.concat_ranges = false;
        best_.whole.options.integers_for_time = false;
        for (Profile& profile : profiles_without_parts(best_.whole)) {
            Conversion& conversion = best_.without_part.emplace_back(best_.whole.copy());
            conversion.profile = std::move(profile);
        }
        start_ = distances(best_);
        distances_ = start_;
    }

    static void settle_calibration(Conversion& conversion) {
        if (conversion.options.calibration == Calibration::kBest) {
            conversion.options.calibration = Calibration::kNone;
        }
    }

    // Of all parts, one input after the other.
    Distances distances(const Candidate& candidate) const {
        Distances all;
        for (std::size_t part = 0; part < kParts; ++part) {
            const Distances own =
                judges_[part].distances(*convert(candidate.without_part[part]).model);
            all.resize(own.size());
            for (std::size_t t = 0; t < own.size(); ++t) {
                all[t].insert(all[t].end(), own[t].begin(), own[t].end());
            }
        }
        return all;
    }

    // By the inputs of all parts from that one on.
    Verdict verdict_on(const Distances& tried,
                       const Distances& best,
                       std::size_t first_part) const {
        return verdict_of(from_part(tried, first_part), from_part(best, first_part),
                          from_part(start_, first_part), part_sizes(first_part), judges_[0].names(),
                          judges_[0].judged());
    }

    bool offer(const std::string& name, Candidate tried, std::size_t first_part = 0) {
        Distances reached = distances(tried);
        const Verdict verdict = verdict_on(reached, distances_, first_part);
        result_.steps.push_back({name, mean_decibels(judged(distances_)),
                                 mean_decibels(judged(reached)), verdict.kept, verdict.reason});
        if (verdict.kept) {
            distances_ = std::move(reached);
            best_ = std::move(tried);
        }
        return verdict.kept;
    }

    // Without guards.
    Distances judged(const Distances& all) const {
        return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(judges_[0].judged())};
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

    // The inputs of the other parts.
    std::vector<std::size_t> others_than(std::size_t part) const {
        std::vector<std::size_t> others;
        for (std::size_t i = 0; i < std::min(count_, kParts * kMaxPartInputs); ++i) {
            if (i % kParts != part) {
                others.push_back(i);
            }
        }
        return others;
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

    // Histograms of equalized tensors are made anew where something is read from them: of the same
    // inputs as the first ones.
    void profile_again(Candidate& candidate) const {
        std::vector<std::size_t> all(count_);
        std::iota(all.begin(), all.end(), std::size_t{0});
        candidate.whole.profile = profile_of(candidate.whole, all);
        for (std::size_t part = 0; part < kParts; ++part) {
            Conversion& conversion = candidate.without_part[part];
            conversion.profile = profile_of(conversion, others_than(part));
        }
    }

    // Where models are compared.
    FixedInputs fixed_inputs() const {
        FixedInputs fixed;
        for (const ComparedInput& input : compared_inputs(*best_.whole.lowered)) {
            fixed.insert({input.layer, input.index});
        }
        return fixed;
    }

    void try_equalization() {
        if (!best_.whole.options.equalization) {
            return;
        }
        Candidate tried = best_.copy();
        const FixedInputs fixed = fixed_inputs();
        // By ranges of the others, so that values which go beyond them in a channel count.
        for (Conversion& made : tried.without_part) {
            equalize(*made.lowered, made.profile, kEqualizationStrength, fixed);
        }
        const std::vector<std::string> tensors =
            equalize(*tried.whole.lowered, tried.whole.profile, kEqualizationStrength, fixed);
        if (tensors.empty()) {
            return;
        }
        if (tried.whole.options.calibration != Calibration::kNone) {
            profile_again(tried);
        }
        equalized_ =
            offer(fmt::format("equalization of {} tensors", tensors.size()), std::move(tried));
        if (equalized_) {
            equalized_tensors_.insert(tensors.begin(), tensors.end());
        }
    }

    void try_channel_scales() {
        Candidate tried = best_.copy();
        const FixedInputs fixed = fixed_inputs();
        for (Conversion& made : tried.without_part) {
            scale_channels(made, kEqualizationStrength, fixed, equalized_tensors_);
        }
        const std::size_t tensors =
            scale_channels(tried.whole, kEqualizationStrength, fixed, equalized_tensors_);
        if (tensors == 0) {
            return;
        }
        if (tried.whole.options.calibration != Calibration::kNone) {
            profile_again(tried);
        }
        if (offer(fmt::format("scales of channels for {} tensors", tensors), std::move(tried))) {
            equalized_ = true;
        }
    }

    void try_bias_correction() {
        Candidate tried = best_.copy();
        tried.for_each([](Conversion& made) { made.options.bias_correction = true; });
        offer("bias correction", std::move(tried));
    }

    // Where biases and ranges of Concats came to it, equalization has to gain beside them too: it
    // brings channels to the limits of ranges, which unseen inputs pay for.
    void reconsider_equalization(Candidate plain) {
        const QuantizerOptions& now = best_.whole.options;
        if (!now.bias_correction && !now.concat_ranges) {
            return;
        }
        plain.for_each([&](Conversion& made) {
            made.options.bias_correction = now.bias_correction;
            made.options.concat_ranges = now.concat_ranges;
        });
        Distances reached = distances(plain);
        const Verdict verdict = verdict_on(distances_, reached, 0);
        if (!verdict.kept) {
            result_.steps.push_back({"no factors of channels beside what was kept after them",
                                     mean_decibels(judged(distances_)),
                                     mean_decibels(judged(reached)), true, verdict.reason});
            distances_ = std::move(reached);
            best_ = std::move(plain);
            equalized_ = false;
        }
    }

    // For the sake of time, as long as it costs little.
    void try_integers_for_time() {
        Candidate tried = best_.copy();
        tried.for_each([](Conversion& made) { made.options.integers_for_time = true; });
        const std::size_t inputs = integers_for_time(*tried.whole.lowered, tried.whole.kept);
        if (inputs == 0) {
            return;
        }
        Distances reached = distances(tried);
        const Verdict verdict = cost_of(reached, distances_, start_, judges_[0].names());
        result_.steps.push_back(
            {fmt::format("integers for {} inputs of sums, products and means", inputs),
             mean_decibels(judged(distances_)), mean_decibels(judged(reached)), verdict.kept,
             verdict.reason});
        if (verdict.kept) {
            distances_ = std::move(reached);
            best_ = std::move(tried);
        }
    }

    void try_concat_ranges() {
        Candidate tried = best_.copy();
        tried.for_each([](Conversion& made) { made.options.concat_ranges = true; });
        const std::size_t concats = concats_of_own_ranges(tried.whole).size();
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
            tried.for_each([&](Conversion& made) { made.options.calibration = calibration; });
            offer(fmt::format("{} calibration", to_string(calibration)), std::move(tried));
        }
    }

    // What is learned of weights is for one model: not another for each part, as equalization
    // makes it.
    void settle_on_one_model() {
        for (std::size_t part = 0; part < kParts; ++part) {
            Conversion made = best_.whole.copy();
            made.profile = profile_of(made, others_than(part));
            best_.without_part[part] = std::move(made);
        }
        distances_ = distances(best_);
    }

    void try_learning() {
        if (equalized_) {
            settle_on_one_model();
        }
        Candidate tried = best_.copy();
        Conversion& conversion = tried.whole;
        tried.for_each(
            [&](Conversion& made) { made.options.bias_correction = wants_bias_correction_; });
        conversion.learned =
            learn_layers(*conversion.lowered, quantized_anchors(conversion), conversion.options,
                         split_data(count_, kMaxBounding), inputs_);
        if (conversion.learned.empty()) {
            return;
        }
        for (Conversion& made : tried.without_part) {
            made.learned = conversion.learned;
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
        tried.for_each([](Conversion& made) { made.options.bias_correction = false; });
        for (std::size_t part = kParts; part-- > 0;) {
            Conversion& made = tried.without_part[part];
            made.shifts = measure_shifts(made, others_than(part), inputs_);
            if (made.shifts.empty()) {
                return;
            }
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
        const Distances reached =
            judges_[kLast].distances(*convert(tried.without_part[kLast]).model);
        return gain_of(judged(reached), judged(from_part(distances_, kLast))).mean > 0;
    }

    std::size_t count_;
    const CalibrationInputs& inputs_;
    std::array<std::vector<std::size_t>, kParts> parts_;
    std::vector<Judge> judges_;  // one a part
    Distances start_;            // of ranges alone
    Distances distances_;        // of the best one
    bool wants_bias_correction_ = false;
    bool equalized_ = false;  // or channels scaled
    std::set<std::string> equalized_tensors_;
    bool measured_ = false;
    Candidate best_;
    Improved result_;
};

}  // namespace

Improved improve(const Conversion& start, std::size_t count, const CalibrationInputs& inputs) {
    return Improver(start, count, inputs).run();
}

}  // namespace fuseq::quantizer
