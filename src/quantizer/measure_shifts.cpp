// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/measure_shifts.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ops/binary_arithmetic.hpp"
#include "quantizer/layer_results.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq::quantizer {
namespace {

// Values that anchors compute in all runs together, at most: some 5 s of two cores.
constexpr double kMaxValues = 4e9;
constexpr std::size_t kFewestInputs = 8;

// Of one layer: by input and channel.
using Means = std::vector<std::vector<double>>;

std::vector<double> means_of(const Tensor& tensor, std::size_t channel_dim) {
    const Shape& shape = tensor.get_shape();
    const std::vector<float> values = to_floats(tensor);
    std::size_t inner = 1;
    for (std::size_t d = channel_dim + 1; d < shape.size(); ++d) {
        inner *= shape[d];
    }
    std::vector<double> means(shape[channel_dim]);
    if (values.empty()) {
        return means;
    }
    for (std::size_t i = 0; i < values.size(); i += inner) {
        double sum = 0;
        for (std::size_t k = i; k < i + inner; ++k) {
            sum += static_cast<double>(values[k]);
        }
        means[i / inner % means.size()] += sum;
    }
    for (double& mean : means) {
        mean *= static_cast<double>(means.size()) / static_cast<double>(values.size());
    }
    return means;
}

// Of each output of the model.
std::vector<Means> channel_means(const Model& model,
                                 const std::vector<std::size_t>& channel_dims,
                                 const std::string& device,
                                 const std::vector<std::size_t>& indices,
                                 const CalibrationInputs& inputs) {
    std::vector<Means> means(channel_dims.size());
    DataRunner(model, device).run(indices, inputs, [&](const InferRequest& request) {
        for (std::size_t t = 0; t < channel_dims.size(); ++t) {
            means[t].push_back(means_of(request.get_output_tensor(t), channel_dims[t]));
        }
    });
    return means;
}

// Of one channel, from its differences of each input: their mean, less of it the more they differ
// from each other. What is no more than its own standard error is no shift at all.
double shift_of(const std::vector<double>& differences) {
    const auto count = static_cast<double>(differences.size());
    double mean = 0;
    for (const double difference : differences) {
        mean += difference / count;
    }
    double squares = 0;
    for (const double difference : differences) {
        squares += (difference - mean) * (difference - mean);
    }
    const double square_of_error = squares / (count - 1) / count;
    return mean == 0 ? 0 : mean * std::max(0.0, 1 - square_of_error / (mean * mean));
}

std::vector<double> shifts_of(const Means& wanted, const Means& got) {
    std::vector<double> shifts;
    std::vector<double> differences(got.size());
    for (std::size_t c = 0; c < got[0].size(); ++c) {
        for (std::size_t n = 0; n < got.size(); ++n) {
            differences[n] = wanted[n][c] - got[n][c];
        }
        shifts.push_back(shift_of(differences));
    }
    return shifts;
}

// One anchor: its result in the quantized model, and the same one in the float model.
struct Layer {
    std::string name;
    Output result;
    Output exact;
    std::size_t channel_dim = 1;
    std::size_t level = 0;  // anchors on the longest way to it
};

class Measurer {
public:
    Measurer(const Conversion& conversion, const CalibrationInputs& inputs)
        : device_(conversion.options.device),
          inputs_(inputs),
          exact_(conversion.lowered->clone()),
          quantized_(convert(conversion).model) {
        std::unordered_set<const Node*> anchors;
        for (const Node* anchor : quantized_anchors(conversion)) {
            anchors.insert(quantized_->find(anchor->name()));
        }
        std::unordered_map<const Node*, std::size_t> levels;
        for (Node* node : quantized_->ordered_nodes()) {
            std::size_t& level = levels[node];
            for (const Output& input : node->inputs()) {
                level = std::max(level, input ? levels[input.node] : 0);
            }
            // A product with a vector has no dimension of channels.
            const bool measured = anchors.contains(node) && node->port().shape.rank_is_static() &&
                                  node->input(1).partial_shape().rank() >= 2;
            if (measured) {
                add(*node, level++);
            }
        }
    }

    BiasShifts run(std::vector<std::size_t> indices) {
        indices.resize(std::min(indices.size(), affordable_inputs()));
        if (indices.size() < kFewestInputs) {
            return {};
        }
        std::vector<Output> exact_results;
        std::vector<std::size_t> dims;
        for (const Layer& layer : layers_) {
            exact_results.push_back(layer.exact);
            dims.push_back(layer.channel_dim);
        }
        keep_results_only(*exact_, exact_results);
        const std::vector<Means> wanted = channel_means(*exact_, dims, device_, indices, inputs_);
        BiasShifts shifts;
        for (std::size_t level = 0; level < levels(); ++level) {
            measure(level, wanted, indices, shifts);
        }
        return shifts;
    }

private:
    void add(Node& anchor, std::size_t level) {
        Layer layer{anchor.name(), with_bias(anchor), {}, 1, level};
        layer.exact = exact_result(*exact_, layer.result);
        const std::size_t rank = anchor.port().shape.rank();
        const std::size_t in_front = layer.result.partial_shape().rank() - rank;
        layer.channel_dim = (anchor.is("MatMul") ? rank - 1 : 1) + in_front;
        layers_.push_back(layer);
    }

    std::size_t levels() const {
        std::size_t count = 0;
        for (const Layer& layer : layers_) {
            count = std::max(count, layer.level + 1);
        }
        return count;
    }

    // On average, a run is half of the model.
    std::size_t affordable_inputs() const {
        double values = 0;
        for (const Layer& layer : layers_) {
            const PartialShape& shape = layer.result.partial_shape();
            values += shape.is_static() ? static_cast<double>(shape_size(shape.to_shape())) : 0;
        }
        const double of_input = values * static_cast<double>(levels()) / 2;
        return static_cast<std::size_t>(kMaxValues / std::max(of_input, 1.0));
    }

    // Layers of one level do not depend on each other.
    void measure(std::size_t level,
                 const std::vector<Means>& wanted,
                 const std::vector<std::size_t>& indices,
                 BiasShifts& shifts) {
        const std::shared_ptr<Model> part = quantized_->clone();
        std::vector<Output> results;
        std::vector<std::size_t> dims;
        for (const Layer& layer : layers_) {
            if (layer.level == level) {
                results.push_back(part->find(layer.result.node->name())->output());
                dims.push_back(layer.channel_dim);
            }
        }
        keep_results_only(*part, results);
        const std::vector<Means> means = channel_means(*part, dims, device_, indices, inputs_);
        std::size_t t = 0;
        for (std::size_t i = 0; i < layers_.size(); ++i) {
            if (layers_[i].level != level) {
                continue;
            }
            const std::vector<double>& shift = shifts[layers_[i].name] =
                shifts_of(wanted[i], means[t]);
            move(layers_[i], shift);
            ++t;
        }
    }

    // What follows sees the layer with its new bias.
    void move(const Layer& layer, const std::vector<double>& shift) {
        Shape shape(std::vector<std::size_t>(layer.result.partial_shape().rank(), 1));
        shape[layer.channel_dim] = shift.size();
        const std::vector<Use> uses = layer.result.node->port().uses;
        const std::string name = quantized_->unique_name(layer.name + "/shifted");
        const Output value =
            make_constant(*quantized_, name + "/by",
                          Tensor::of(shape, std::vector<float>(shift.begin(), shift.end())));
        Node* add = quantized_->add("Add", 1, name, {layer.result, value}, BinaryAttrs{});
        move_uses(uses, layer.result, add->output());
    }

    std::string device_;
    const CalibrationInputs& inputs_;
    std::shared_ptr<Model> exact_;
    std::shared_ptr<Model> quantized_;
    std::vector<Layer> layers_;
};

}  // namespace

BiasShifts measure_shifts(const Conversion& conversion,
                          std::vector<std::size_t> indices,
                          const CalibrationInputs& inputs) {
    return Measurer(conversion, inputs).run(std::move(indices));
}

}  // namespace fuseq::quantizer
