// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/compile/tuner.hpp"

#include <algorithm>
#include <memory>

#include "cpu/compile/make_plan.hpp"
#include "cpu/compile/trial.hpp"

namespace fuseq::cpu {
namespace {

using Clock = std::chrono::steady_clock;

// A pick must win by so much: less is the noise of a measurement.
constexpr double kMargin = 0.97;

// The least of fewer times says little.
constexpr std::size_t kMinRounds = 5;
constexpr std::size_t kMinPairs = 9;

// Of the budget, what is left for comparing whole plans.
constexpr double kForWholes = 0.4;

std::chrono::nanoseconds of_us(double us) {
    return std::chrono::nanoseconds(static_cast<std::int64_t>(us * 1000));
}

class Tuner {
public:
    Tuner(const Model& model,
          const std::map<std::string, FakeQuantizeResult>& ranges,
          BuildOptions options,
          std::chrono::milliseconds budget)
        : model_(model),
          ranges_(ranges),
          options_(std::move(options)),
          tile_groups_(options_.tile_groups),
          budget_(budget) {
        options_.release_weights = false;
        options_.packed = nullptr;
        options_.choices.clear();
        options_.dump_dir.clear();     // of the plan itself, not of those that are measured
        options_.tile_groups = false;  // each step is timed alone
    }

    Tuned run() {
        std::unique_ptr<Trial> rules = trial(options_);
        rules->run();
        auto once = Clock::duration::max();
        for (int i = 0; i < 3; ++i) {  // one of them may have waited for another process
            const Clock::time_point before = Clock::now();
            rules->run();
            once = std::min(once, Clock::now() - before);
        }
        constexpr std::size_t kRuns = kMinRounds * 4 + kMinPairs * 2;
        if (once * kRuns > budget_) {
            Tuned tuned;
            tuned.note =
                detail::cat("not measured: ", kRuns, " runs of ",
                            std::chrono::duration_cast<std::chrono::microseconds>(once).count(),
                            " us are more than the ", budget_.count(), " ms that there are");
            return tuned;
        }
        // All anchors by one kind of implementation, where it takes them.
        std::vector<std::unique_ptr<Trial>> trials;
        for (const char* all : {kFirstOneDnn, kSecondOneDnn, kOwnGemm}) {
            BuildOptions options = options_;
            options.choices[""] = all;
            trials.push_back(trial(options));
            trials.back()->run();
        }
        const std::size_t made = trials.size();
        std::erase_if(trials, [&](const auto& t) { return !t->same_outputs(*rules); });
        std::size_t rounds = 1;
        const auto end =
            Clock::now() + of_us(1000 * (1 - kForWholes) * static_cast<double>(budget_.count()));
        do {
            rules->run();
            for (const auto& t : trials) {
                t->run();
            }
            ++rounds;
        } while (rounds < kMinRounds || Clock::now() < end);
        Tuned tuned = pick(*rules, trials);
        tuned.note = detail::cat(rounds, " runs of ", trials.size() + 1, " plans (",
                                 made - trials.size(), " gave other bytes), ");
        if (!tuned.anchors.empty()) {
            verify(tuned, *rules);
        }
        tuned.note += detail::cat(tuned.anchors.size(), " anchors changed");
        return tuned;
    }

private:
    std::unique_ptr<Trial> trial(const BuildOptions& options) const {
        return std::make_unique<Trial>(make_plan(model_, ranges_, options), model_);
    }

    static Tuned pick(const Trial& rules, const std::vector<std::unique_ptr<Trial>>& trials) {
        Tuned tuned;
        for (const auto& [layer, by_rules] : rules.parts()) {
            TunedAnchor best{layer, by_rules.implementation, by_rules.implementation,
                             by_rules.time_us, by_rules.time_us * kMargin};
            for (const auto& t : trials) {
                const auto parts = t->parts();
                const auto it = parts.find(layer);
                if (it != parts.end() && it->second.time_us < best.best_us &&
                    it->second.implementation != by_rules.implementation) {
                    best.best = it->second.implementation;
                    best.best_us = it->second.time_us;
                }
            }
            if (best.best != best.rules) {
                tuned.anchors.push_back(std::move(best));
            }
        }
        return tuned;
    }

    // All picks together must give what the rules give, and be faster as a request runs them: steps
    // that are fast one by one may keep others out of tile groups, or not fetch the weights of the
    // next.
    void verify(Tuned& tuned, const Trial& rules) const {
        BuildOptions options = options_;
        options.tile_groups = tile_groups_;
        const std::unique_ptr<Trial> whole_rules = trial(options);
        options.choices = tuned.choices();
        const std::unique_ptr<Trial> together = trial(options);
        together->run_whole();
        whole_rules->run_whole();
        const std::size_t picks = tuned.anchors.size();
        if (!together->same_outputs(rules)) {
            tuned.anchors.clear();
            tuned.note +=
                detail::cat(picks, " picks that together gave other bytes than the rules, ");
            return;
        }
        std::vector<double> by_rules;
        std::vector<double> by_picks;
        const auto end =
            Clock::now() + of_us(1000 * kForWholes * static_cast<double>(budget_.count()));
        do {
            // Whoever comes first, half of the time.
            const bool rules_first = by_rules.size() % 2 == 0;
            const double first = (rules_first ? *whole_rules : *together).run_whole();
            const double second = (rules_first ? *together : *whole_rules).run_whole();
            by_rules.push_back(rules_first ? first : second);
            by_picks.push_back(rules_first ? second : first);
        } while (by_rules.size() < kMinPairs || Clock::now() < end);
        if (!is_clearly_faster(by_picks, by_rules)) {
            tuned.anchors.clear();
            tuned.note += detail::cat(picks, " picks that together were not clearly faster, ");
        }
    }

    const Model& model_;
    const std::map<std::string, FakeQuantizeResult>& ranges_;
    BuildOptions options_;
    bool tile_groups_;
    std::chrono::milliseconds budget_;
};

}  // namespace

bool is_clearly_faster(std::span<const double> times, std::span<const double> others) {
    constexpr double kWholeMargin = 0.98;
    std::size_t wins = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
        wins += times[i] < others[i] ? 1 : 0;
    }
    return 4 * wins >= 3 * times.size() &&
           *std::min_element(times.begin(), times.end()) <
               kWholeMargin * *std::min_element(others.begin(), others.end());
}

std::map<std::string, std::string> Tuned::choices() const {
    std::map<std::string, std::string> choices;
    for (const TunedAnchor& anchor : anchors) {
        choices[anchor.layer] = anchor.best;
    }
    return choices;
}

Tuned tune(const Model& model,
           const std::map<std::string, FakeQuantizeResult>& ranges,
           BuildOptions options,
           std::chrono::milliseconds budget) {
    return Tuner(model, ranges, std::move(options), budget).run();
}

}  // namespace fuseq::cpu
