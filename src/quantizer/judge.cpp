// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/judge.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "fuseq/error.hpp"
#include "quantizer/choices.hpp"
#include "quantizer/layer_kinds.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq::quantizer {
namespace {

// Fewer values than these of all inputs are too few to go by.
constexpr std::size_t kFewValues = 64;
// Bytes of float outputs to keep.
constexpr std::size_t kMaxBytes = std::size_t{256} << 20;
constexpr double kMaxDecibels = 200;

Ratio operator+(const Ratio& a, const Ratio& b) {
    return {a.signal + b.signal, a.noise + b.noise};
}

// Layers whose results jump when their inputs change a little.
bool jumps(const Node& node) {
    static const std::set<std::string> kKinds{"ArgMax",
                                              "CTCGreedyDecoder",
                                              "CTCGreedyDecoderSeqLen",
                                              "DetectionOutput",
                                              "Equal",
                                              "Floor",
                                              "Ceiling",
                                              "Greater",
                                              "GreaterEqual",
                                              "Less",
                                              "LessEqual",
                                              "MulticlassNms",
                                              "NonMaxSuppression",
                                              "NotEqual",
                                              "NonZero",
                                              "OneHot",
                                              "Proposal",
                                              "Round",
                                              "Sign",
                                              "TopK"};
    return kKinds.contains(node.type());
}

// Layers that hide errors of their input where they saturate.
bool saturates(const Node& node) {
    return is_one_of(node, {"SoftMax", "Sigmoid"});
}

class Collector {
public:
    std::vector<ComparedInput> run(const Model& model) {
        chosen_ = after_choices(model);
        for (const Node* result : model.results()) {
            look(*result);
        }
        std::stable_partition(found_.begin(), found_.end(),
                              [](const ComparedInput& input) { return !input.guard; });
        return std::move(found_);
    }

private:
    void look(const Node& reader) {
        if (!seen_.insert(&reader).second) {
            return;
        }
        for (std::size_t i = 0; i < reader.input_count(); ++i) {
            if (!reader.has_input(i) || is_constant_input(reader, i) ||
                reader.input_node(i)->is("Parameter")) {
                continue;
            }
            const Output& source = reader.input(i);
            const bool in_no_order = chosen_.contains(source.node);
            if (source.type() != ElementType::f32 || jumps(*source.node) ||
                saturates(*source.node) || in_no_order) {
                if (saturates(*source.node) && !in_no_order) {
                    found_.push_back({reader.name(), i, true});
                }
                look(*source.node);
            } else {
                found_.push_back({reader.name(), i});
                const PartialShape& shape = source.partial_shape();
                if (shape.is_static() && shape_size(shape.to_shape()) < kFewValues) {
                    look_further(*source.node);
                }
            }
        }
    }

    // The inputs of the nearest products.
    void look_further(const Node& node) {
        if (!seen_.insert(&node).second) {
            return;
        }
        for (std::size_t i = 0; i < node.input_count(); ++i) {
            if (!node.has_input(i) || is_constant_input(node, i) || !is_data_input(node, i)) {
                continue;
            }
            if (kind_of(node) == LayerKind::kAnchor) {
                found_.push_back({node.name(), i});
            } else {
                look_further(*node.input_node(i));
            }
        }
    }

    std::vector<ComparedInput> found_;
    std::set<const Node*> seen_;
    std::set<const Node*> chosen_;
};

// The model with the compared tensors as outputs, after its own. A tensor that is quantized first
// is compared before that.
std::shared_ptr<Model> with_outputs(const Model& model,
                                    const std::vector<ComparedInput>& compared) {
    const std::shared_ptr<Model> copy = model.clone();
    for (std::size_t i = 0; i < compared.size(); ++i) {
        Output source = copy->find(compared[i].layer)->input(compared[i].index);
        if (source.node->is("FakeQuantize")) {
            source = source.node->input(0);
        }
        copy->add_result(copy->unique_name(fmt::format("compared_{}", i)), source);
    }
    return copy;
}

}  // namespace

double decibels(const Ratio& ratio) {
    return std::min(kMaxDecibels, 10 * std::log10(std::max(ratio.signal, 1e-300) / ratio.noise));
}

double mean_decibels(const Distances& distances) {
    double sum = 0;
    std::size_t count = 0;
    for (const std::vector<Ratio>& tensor : distances) {
        for (const Ratio& ratio : tensor) {
            if (ratio.noise > 0) {
                sum += decibels(ratio);
                ++count;
            }
        }
    }
    return count == 0 ? kMaxDecibels : sum / static_cast<double>(count);
}

Gain gain_of(const Distances& tried, const Distances& base) {
    std::vector<double> of_inputs(tried.empty() ? 0 : tried[0].size());
    Gain gain;
    std::size_t tensors = 0;
    for (std::size_t t = 0; t < tried.size(); ++t) {
        Ratio all_tried;
        Ratio all_base;
        for (std::size_t n = 0; n < tried[t].size(); ++n) {
            all_tried = all_tried + tried[t][n];
            all_base = all_base + base[t][n];
        }
        // What does not depend on weights, as boxes to start from, is always exact.
        if (all_tried.noise == 0 && all_base.noise == 0) {
            continue;
        }
        for (std::size_t n = 0; n < tried[t].size(); ++n) {
            of_inputs[n] += decibels(tried[t][n]) - decibels(base[t][n]);
        }
        const double together = decibels(all_tried) - decibels(all_base);
        gain.together += together;
        if (tensors == 0 || together < gain.min) {
            gain.min = together;
            gain.min_tensor = t;
        }
        ++tensors;
    }
    if (tensors == 0) {
        return {};
    }
    gain.together /= static_cast<double>(tensors);
    double squares = 0;
    const auto inputs = static_cast<double>(of_inputs.size());
    for (double& of_input : of_inputs) {
        of_input /= static_cast<double>(tensors);
        gain.mean += of_input / inputs;
    }
    for (const double of_input : of_inputs) {
        squares += (of_input - gain.mean) * (of_input - gain.mean);
    }
    gain.error = inputs > 1 ? std::sqrt(squares / (inputs - 1) / inputs) : 0;
    return gain;
}

Loss most_lost(const Distances& tried, const Distances& base, std::size_t begin, std::size_t end) {
    const auto some_inputs = [&](const Distances& all) {
        Distances some;
        for (const std::vector<Ratio>& tensor : all) {
            some.emplace_back(tensor.begin() + static_cast<std::ptrdiff_t>(begin),
                              tensor.begin() + static_cast<std::ptrdiff_t>(end));
        }
        return some;
    };
    const Gain gain = gain_of(some_inputs(tried), some_inputs(base));
    return {std::max(0.0, -gain.min), gain.min_tensor};
}

std::vector<ComparedInput> compared_inputs(const Model& model) {
    return Collector().run(model);
}

Judge::Judge(const Model& exact,
             std::string device,
             std::vector<std::size_t> indices,
             const CalibrationInputs& inputs)
    : device_(std::move(device)),
      indices_(std::move(indices)),
      inputs_(inputs),
      compared_(compared_inputs(exact)),
      exact_(compared_.size()) {
    DataRunner runner(*with_outputs(exact, compared_), device_);
    const std::size_t first = exact.results().size();
    std::size_t bytes = 0;
    std::size_t kept = 0;
    for (; kept < indices_.size() && bytes < kMaxBytes; ++kept) {
        runner.run({indices_[kept]}, inputs_, [&](const InferRequest& request) {
            for (std::size_t t = 0; t < compared_.size(); ++t) {
                exact_[t].push_back(to_floats(request.get_output_tensor(first + t)));
                bytes += exact_[t].back().size() * sizeof(float);
            }
        });
    }
    indices_.resize(kept);
}

std::size_t Judge::judged() const {
    return static_cast<std::size_t>(
        std::count_if(compared_.begin(), compared_.end(),
                      [](const ComparedInput& input) { return !input.guard; }));
}

std::vector<std::string> Judge::names() const {
    std::vector<std::string> names;
    for (const ComparedInput& input : compared_) {
        names.push_back(fmt::format("input {} of '{}'", input.index, input.layer));
    }
    return names;
}

Distances Judge::distances(const Model& quantized) const {
    DataRunner runner(*with_outputs(quantized, compared_), device_);
    const std::size_t first = quantized.results().size();
    Distances distances(compared_.size());
    std::size_t n = 0;
    runner.run(indices_, inputs_, [&](const InferRequest& request) {
        for (std::size_t t = 0; t < compared_.size(); ++t) {
            const std::vector<float> got = to_floats(request.get_output_tensor(first + t));
            const std::vector<float>& exact = exact_[t][n];
            Ratio ratio;
            for (std::size_t i = 0; i < exact.size(); ++i) {
                const double value = exact[i];
                // A list may be shorter than that of the float model: what it lacks counts as 0.
                const double error = value - (i < got.size() ? static_cast<double>(got[i]) : 0);
                ratio.signal += value * value;
                ratio.noise += error * error;
            }
            distances[t].push_back(ratio);
        }
        ++n;
    });
    return distances;
}

}  // namespace fuseq::quantizer
