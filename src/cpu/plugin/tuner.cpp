// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plugin/tuner.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

#include "cpu/plugin/infer_request.hpp"

namespace fuseq::cpu {
namespace {

using Clock = std::chrono::steady_clock;

// A pick must win by so much: less is the noise of a measurement.
constexpr double kMargin = 0.97;

// The least of fewer times says little.
constexpr std::size_t kLeastRounds = 5;

// The same bytes at each run: zeros would let implementations agree that do not.
void fill(Tensor& tensor) {
    const std::size_t count = tensor.get_size();
    std::uint32_t state = 1;
    const auto next = [&] {
        state = state * 1664525u + 1013904223u;
        return state >> 8;
    };
    if (tensor.get_element_type() == ElementType::f32) {
        float* values = tensor.data<float>();
        for (std::size_t i = 0; i < count; ++i) {
            values[i] = static_cast<float>(next() % 512) - 256.0f;
        }
        return;
    }
    // Small whole numbers suit indices and pictures.
    std::vector<std::int64_t> values(count);
    for (std::int64_t& value : values) {
        value = next() % 2;
    }
    tensor = Tensor::of(tensor.get_shape(), values).to(tensor.get_element_type());
}

// One plan with memory of its own.
class Trial {
public:
    Trial(Plan plan, const Model& model) : plan_(std::move(plan)) {
        for (const Output& port : model.inputs()) {
            inputs_.emplace_back(port.type(), port.shape());
            fill(inputs_.back());
        }
        for (const TensorId id : plan_.outputs) {
            const PlanTensor& tensor = plan_.tensors[id];
            outputs_.emplace_back(tensor.type, tensor.shape.is_static() ? tensor.dims() : Shape{0});
        }
        memory_ = std::make_unique<BoundMemory>(plan_, inputs_, outputs_);
        for (const auto& step : plan_.steps) {
            runners_.push_back(step->bind(*memory_));
            times_.push_back(std::numeric_limits<double>::infinity());
        }
    }

    // Keeps the least time of each step.
    void run() {
        for (std::size_t s = 0; s < runners_.size(); ++s) {
            const auto begin = Clock::now();
            runners_[s]->run();
            const std::chrono::duration<double, std::micro> time = Clock::now() - begin;
            times_[s] = std::min(times_[s], time.count());
        }
    }

    bool same_outputs(const Trial& other) const {
        for (std::size_t i = 0; i < plan_.outputs.size(); ++i) {
            const Tensor mine = memory_->as_tensor(plan_.outputs[i]);
            const Tensor theirs = other.memory_->as_tensor(other.plan_.outputs[i]);
            if (!same_bytes(mine, theirs)) {
                return false;
            }
        }
        return true;
    }

    struct Part {
        std::string implementation;  // of the anchor
        double time_us = 0;          // of all steps of its group
    };
    // By the group that the steps were made for.
    std::map<std::string, Part> parts() const {
        std::map<std::string, Part> parts;
        for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
            const StepInfo& info = plan_.steps[s]->info();
            if (info.group.empty()) {
                continue;
            }
            Part& part = parts[info.group];
            part.time_us += times_[s];
            if (is_anchor_kind(info.kind)) {
                part.implementation = info.implementation;
            }
        }
        return parts;
    }

private:
    Plan plan_;
    std::vector<Tensor> inputs_;
    std::vector<Tensor> outputs_;
    std::unique_ptr<BoundMemory> memory_;
    std::vector<std::unique_ptr<Runner>> runners_;
    std::vector<double> times_;
};

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
