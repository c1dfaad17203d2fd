// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/channel_paths.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "quantizer/data_runner.hpp"
#include "quantizer/layer_kinds.hpp"
#include "quantizer/layer_results.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq::quantizer {
namespace {

std::size_t values_behind(const Shape& shape, std::size_t dim) {
    std::size_t run = 1;
    for (std::size_t d = dim + 1; d < shape.size(); ++d) {
        run *= shape[d];
    }
    return run;
}

// The number that all values of a channel have, or 0 (padding); empty where they have several.
std::vector<std::size_t> numbers_along(const Tensor& values, std::size_t dim) {
    const Shape& shape = values.get_shape();
    const std::size_t run = values_behind(shape, dim);
    const float* data = values.data<float>();
    std::vector<std::size_t> numbers(shape[dim]);
    for (std::size_t i = 0; i < values.get_size(); ++i) {
        const auto number = static_cast<std::size_t>(data[i]);
        std::size_t& own = numbers[i / run % shape[dim]];
        if (number != 0 && own != 0 && own != number) {
            return {};
        }
        own = std::max(own, number);
    }
    return numbers;
}

// Whether a value is known as soon as the shapes of the inputs are.
bool follows_from_shapes(const Output& value, std::set<const Node*>& seen) {
    const Node* node = value.node;
    if (node == nullptr || node->is_constant() || node->is("ShapeOf") ||
        !seen.insert(node).second) {
        return true;
    }
    return node->input_count() > 0 &&
           std::all_of(node->inputs().begin(), node->inputs().end(),
                       [&](const Output& input) { return follows_from_shapes(input, seen); });
}

// Zeros for what the moving layers read from elsewhere.
void silence_others(Model& moves,
                    const std::set<std::string>& movements,
                    const std::set<const Node*>& own) {
    for (const std::string& name : movements) {
        Node& node = *moves.find(name);
        for (std::size_t i = 0; i < node.input_count(); ++i) {
            const Output input = node.input(i);
            if (!is_data_input(node, i) || own.contains(input.node) ||
                movements.contains(input.node->name())) {
                continue;
            }
            Tensor zeros(input.type(), input.shape());
            std::memset(zeros.data(), 0, zeros.get_byte_size());
            node.set_input(i, make_constant(moves, name + "/others", zeros));
        }
    }
}

// A model with the sources as its last inputs, and what the anchors read as outputs.
std::shared_ptr<Model> moving_layers(const Model& model,
                                     const std::vector<ChannelSource>& sources,
                                     const ChannelReaders& readers) {
    std::shared_ptr<Model> moves = model.clone();
    std::set<const Node*> own;
    for (const ChannelSource& source : sources) {
        Node* parameter = moves->add_parameter(moves->unique_name("channels"), ElementType::f32,
                                               source.place->tensor.partial_shape());
        for (const Use& use : source.place->readers) {
            moves->find(use.node->name())->set_input(use.index, parameter->output());
        }
        own.insert(parameter);
    }
    silence_others(*moves, readers.movements, own);
    std::vector<Output> results;
    for (const auto& [name, anchor] : readers.anchors) {
        results.push_back(moves->find(name)->input(0));
    }
    keep_results_only(*moves, results);
    remove_unread_parameters(*moves, own);
    moves->validate();
    return moves;
}

Tensor tensor_of_numbers(const ChannelSource& source, const std::vector<std::size_t>& names) {
    const Shape shape = source.place->tensor.shape();
    const std::size_t run = values_behind(shape, source.dim);
    Tensor numbers(ElementType::f32, shape);
    for (std::size_t i = 0; i < numbers.get_size(); ++i) {
        numbers.data<float>()[i] = static_cast<float>(names[source.first + i / run % source.count]);
    }
    return numbers;
}

// Where channel n has the number names[n].
std::vector<Tensor> inputs_of(const Model& moves,
                              const std::vector<ChannelSource>& sources,
                              const std::vector<std::size_t>& names) {
    std::vector<Tensor> inputs;
    // Others are read for their shapes alone.
    for (const Node* parameter : moves.parameters()) {
        Tensor& input =
            inputs.emplace_back(parameter->port().type, parameter->port().shape.to_shape());
        std::memset(input.data(), 0, input.get_byte_size());
    }
    const std::size_t first = inputs.size() - sources.size();
    for (std::size_t i = 0; i < sources.size(); ++i) {
        inputs[first + i] = tensor_of_numbers(sources[i], names);
    }
    return inputs;
}

// What comes to the anchors, for each of the lists of names.
std::vector<std::vector<Tensor>> run_on(const Model& moves,
                                        const std::vector<ChannelSource>& sources,
                                        const std::vector<std::vector<std::size_t>>& names,
                                        const std::string& device) {
    std::vector<std::size_t> runs(names.size());
    std::iota(runs.begin(), runs.end(), std::size_t{0});
    std::vector<std::vector<Tensor>> results;
    DataRunner(moves, device)
        .run(
            runs, [&](std::size_t i) { return inputs_of(moves, sources, names[i]); },
            [&](const InferRequest& request) {
                std::vector<Tensor>& own = results.emplace_back();
                for (std::size_t o = 0; o < moves.results().size(); ++o) {
                    const Tensor result = request.get_output_tensor(o);
                    own.push_back(Tensor::of(result.get_shape(), to_floats(result)));
                }
            });
    return results;
}

}  // namespace

std::size_t channel_dim_read(const Node& anchor) {
    return anchor.is("MatMul") ? anchor.input(0).partial_shape().rank() - 1 : 1;
}

bool moves_blindly(const Node& node) {
    if (kind_of(node) != LayerKind::kMovement || node.is("ReduceMin")) {
        return false;
    }
    std::set<const Node*> seen;
    for (std::size_t i = 0; i < node.input_count(); ++i) {
        if (!is_data_input(node, i) && !follows_from_shapes(node.input(i), seen)) {
            return false;
        }
    }
    return true;
}

ChannelPaths follow_channels(const Model& model,
                             const std::vector<ChannelSource>& sources,
                             std::size_t numbers,
                             const ChannelReaders& readers,
                             const std::string& device) {
    // Numbers move instead of values. The second run, on the numbers in reverse, tells where a
    // maximum is taken over several channels.
    std::vector<std::size_t> rising(numbers);
    std::vector<std::size_t> falling(numbers);
    for (std::size_t n = 1; n < numbers; ++n) {
        rising[n] = n;
        falling[n] = numbers - n;
    }
    const std::shared_ptr<Model> moves = moving_layers(model, sources, readers);
    const auto results = run_on(*moves, sources, {rising, falling}, device);
    const std::vector<Tensor>& first = results[0];
    const std::vector<Tensor>& second = results[1];
    ChannelPaths paths;
    std::size_t result = 0;
    for (const auto& [name, anchor] : readers.anchors) {
        const std::size_t dim = channel_dim_read(*anchor);
        std::vector<std::size_t> read = numbers_along(first[result], dim);
        std::vector<std::size_t> again = numbers_along(second[result], dim);
        for (std::size_t& number : again) {
            number = falling[number];
        }
        if (!read.empty() && read == again) {
            paths.sinks.push_back({anchor, std::move(read)});
        } else {
            for (const float number : to_floats(first[result])) {
                paths.mixed.insert(static_cast<std::size_t>(number));
            }
            for (const float number : to_floats(second[result])) {
                paths.mixed.insert(falling[static_cast<std::size_t>(number)]);
            }
        }
        ++result;
    }
    return paths;
}

}  // namespace fuseq::quantizer
