// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/layer_damage.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "quantizer/layer_results.hpp"
#include "quantizer/placement.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq::quantizer {
namespace {

constexpr double kMaxLayerDecibels = 200;

// Two models: the float one with the results of the anchors and all tensors that become integers,
// and the quantized one with these tensors as inputs.
class Pair {
public:
    explicit Pair(const Conversion& conversion) {
        exact_ = conversion.lowered->clone();
        quantized_ = convert(conversion).model;
        std::vector<Output> exact_results;
        std::vector<Output> results;
        for (const Node* anchor : quantized_products(conversion)) {
            names_.push_back(anchor->name());
            exact_results.push_back(with_bias(*exact_->find(anchor->name())));
            results.push_back(with_bias(*quantized_->find(anchor->name())));
        }
        keep_results_only(*quantized_, results);
        const std::map<const Node*, Output> exact_of = force_sources();
        quantized_->remove_dead_nodes();
        // Of layers between two FakeQuantize nothing is left, and their inputs are not asked for.
        remove_unread_parameters(*quantized_);
        for (const Node* parameter : quantized_->parameters()) {
            const auto found = exact_of.find(parameter);
            exact_results.push_back(found != exact_of.end()
                                        ? found->second
                                        : exact_->find(parameter->name())->output());
        }
        keep_results_only(*exact_, exact_results);
        quantized_->validate();
    }

    const std::vector<std::string>& names() const { return names_; }
    const Model& exact() const { return *exact_; }
    const Model& quantized() const { return *quantized_; }

private:
    // Puts an input before each FakeQuantize of computed values. Which tensor of the float model
    // each of them takes.
    std::map<const Node*, Output> force_sources() {
        std::map<const Node*, Output> exact_of;
        for (Node* node : quantized_->find_all("FakeQuantize")) {
            const Output source = node->input(0);
            if (is_constant_expression(source)) {
                continue;
            }
            Node* parameter = quantized_->add_parameter(quantized_->unique_name("exact"),
                                                        source.type(), source.partial_shape());
            node->set_input(0, parameter->output());
            exact_of[parameter] = exact_result(*exact_, source);
        }
        return exact_of;
    }

    std::shared_ptr<Model> exact_;
    std::shared_ptr<Model> quantized_;
    std::vector<std::string> names_;
};

}  // namespace

std::vector<LayerDamage> rank_layers(const Conversion& conversion,
                                     const std::vector<std::size_t>& indices,
                                     const CalibrationInputs& inputs) {
    const Pair pair(conversion);
    const std::string& device = conversion.options.device;
    const std::size_t layers = pair.names().size();
    DataRunner exact(pair.exact(), device);
    DataRunner quantized(pair.quantized(), device);
    std::vector<double> signal(layers);
    std::vector<double> noise(layers);
    exact.run(indices, inputs, [&](const InferRequest& request) {
        std::vector<Tensor> forced;
        for (std::size_t i = 0; i < pair.quantized().parameters().size(); ++i) {
            forced.push_back(request.get_output_tensor(layers + i));
        }
        quantized.run(
            {0}, [&](std::size_t) { return forced; },
            [&](const InferRequest& own) {
                for (std::size_t a = 0; a < layers; ++a) {
                    const std::vector<float> wanted = to_floats(request.get_output_tensor(a));
                    const std::vector<float> got = to_floats(own.get_output_tensor(a));
                    for (std::size_t i = 0; i < wanted.size(); ++i) {
                        const double value = wanted[i];
                        const double error = value - static_cast<double>(got[i]);
                        signal[a] += value * value;
                        noise[a] += error * error;
                    }
                }
            });
    });
    std::vector<LayerDamage> ranking;
    for (std::size_t a = 0; a < layers; ++a) {
        const double ratio = noise[a] > 0 ? 10 * std::log10(std::max(signal[a], 1e-300) / noise[a])
                                          : kMaxLayerDecibels;
        ranking.push_back({pair.names()[a], std::min(ratio, kMaxLayerDecibels), false});
    }
    std::stable_sort(ranking.begin(), ranking.end(),
                     [](const auto& a, const auto& b) { return a.sqnr < b.sqnr; });
    return ranking;
}

}  // namespace fuseq::quantizer
