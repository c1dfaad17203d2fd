// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/judge.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "fuseq/error.hpp"
#include "quantizer/layer_kinds.hpp"

namespace fuseq::quantizer {
namespace {

// Fewer values than these of all inputs are too few to go by.
constexpr std::size_t kFewValues = 64;
// Bytes of float outputs to keep.
constexpr std::size_t kMostBytes = std::size_t{256} << 20;
constexpr double kMostDecibels = 200;

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

class Collector {
public:
    std::vector<ComparedInput> run(const Model& model) {
        for (const Node* result : model.results()) {
            look(*result);
        }
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
            if (source.type() != ElementType::f32 || jumps(*source.node)) {
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
        copy->add_result(copy->unique_name(detail::cat("compared_", i)), source);
    }
    return copy;
}

struct Ratio {
    double signal = 0;
    double noise = 0;
};

double decibels(const Ratio& ratio) {
    return std::min(kMostDecibels, 10 * std::log10(std::max(ratio.signal, 1e-300) / ratio.noise));
}

}  // namespace

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
    for (; kept < indices_.size() && bytes < kMostBytes; ++kept) {
        runner.run({indices_[kept]}, inputs_, [&](const InferRequest& request) {
            for (std::size_t t = 0; t < compared_.size(); ++t) {
                exact_[t].push_back(to_floats(request.get_output_tensor(first + t)));
                bytes += exact_[t].back().size() * sizeof(float);
            }
        });
    }
    indices_.resize(kept);
}

double Judge::sqnr(const Model& quantized) const {
    DataRunner runner(*with_outputs(quantized, compared_), device_);
    const std::size_t first = quantized.results().size();
    double sum = 0;
    std::size_t count = 0;
    std::size_t n = 0;
    runner.run(indices_, inputs_, [&](const InferRequest& request) {
        for (std::size_t t = 0; t < compared_.size(); ++t) {
            const std::vector<float> got = to_floats(request.get_output_tensor(first + t));
            const std::vector<float>& exact = exact_[t][n];
            Ratio ratio;
            for (std::size_t i = 0; i < exact.size(); ++i) {
                const double value = exact[i];
                const double error = value - static_cast<double>(got[i]);
                ratio.signal += value * value;
                ratio.noise += error * error;
            }
            // What does not depend on weights, as boxes to start from, is always exact.
            if (ratio.noise > 0) {
                sum += decibels(ratio);
                ++count;
            }
        }
        ++n;
    });
    return count == 0 ? kMostDecibels : sum / static_cast<double>(count);
}

}  // namespace fuseq::quantizer
