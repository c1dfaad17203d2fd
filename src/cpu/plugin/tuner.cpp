// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plugin/tuner.hpp"

#include <algorithm>
#include <memory>

#include "cpu/plugin/trial.hpp"

namespace fuseq::cpu {
namespace {

using Clock = std::chrono::steady_clock;

// A pick must win by so much: less is the noise of a measurement.
constexpr double kMargin = 0.97;

// The least of fewer times says little.
constexpr std::size_t kLeastRounds = 5;

class Tuner {
public:
    Tuner(const Model& model,
          const std::map<std::string, FakeQuantizeResult>& ranges,
          BuildOptions options,
          std::chrono::milliseconds budget)
        : model_(model), ranges_(ranges), options_(std::move(options)), budget_(budget) {
        options_.give_up_weights = false;
        options_.packed = nullptr;
        options_.choices.clear();
        options_.row_walks = false;  // each step is timed alone
    }

    Tuned run() {
        std::unique_ptr<Trial> rules = trial(options_);
        rules->run();
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
        const Clock::time_point end = Clock::now() + budget_;
        do {
            rules->run();
            for (const auto& t : trials) {
                t->run();
            }
            ++rounds;
        } while (rounds < kLeastRounds || Clock::now() < end);
        Tuned tuned = pick(*rules, trials);
        if (!tuned.anchors.empty()) {
            verify(tuned, *rules);
        }
        if (tuned.note.empty()) {
            tuned.note = detail::cat(rounds, " runs of ", trials.size() + 1, " plans (",
                                     made - trials.size(), " gave other bytes), ",
                                     tuned.anchors.size(), " anchors changed");
        }
        return tuned;
    }

private:
    std::unique_ptr<Trial> trial(const BuildOptions& options) const {
        return std::make_unique<Trial>(PlanBuilder(model_, ranges_, options).build(), model_);
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

    // All picks together must give what the rules give.
    void verify(Tuned& tuned, const Trial& rules) const {
        BuildOptions options = options_;
        options.choices = tuned.choices();
        const std::unique_ptr<Trial> together = trial(options);
        together->run();
        if (!together->same_outputs(rules)) {
            tuned.anchors.clear();
            tuned.note = "the picks together gave other bytes than the rules: nothing changed";
        }
    }

    const Model& model_;
    const std::map<std::string, FakeQuantizeResult>& ranges_;
    BuildOptions options_;
    std::chrono::milliseconds budget_;
};

}  // namespace

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
