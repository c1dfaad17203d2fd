// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark_app/prepare_model.hpp"

#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "common/shapes.hpp"
#include "common/tool.hpp"
#include "ops/convert.hpp"
#include "ops/parameter.hpp"

namespace fuseq::samples {
namespace {

// Axis of the batch of an input; nothing when it has none.
std::optional<std::size_t> batch_axis(const Output& port, const std::string& layout) {
    const PartialShape& shape = port.partial_shape();
    if (!layout.empty()) {
        const std::size_t axis = layout.find('N');
        return axis == std::string::npos ? std::nullopt : std::optional(axis);
    }
    if (!shape.rank_is_static() || shape.rank() < 2) {
        return std::nullopt;
    }
    return 0;
}

std::string layout_of(const Output& port, const Options& options) {
    const auto layouts = texts_for(split_by_name(options.layout, "-layout"), port);
    return layouts.empty() ? "" : layouts.front();
}

// "a:u8,b:f16"; names may contain ':'.
std::map<std::string, ElementType> parse_types(const std::string& text) {
    std::map<std::string, ElementType> types;
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string item = text.substr(begin, end - begin);
        const std::size_t colon = item.rfind(':');
        if (colon == std::string::npos) {
            throw UsageError(fmt::format("-iop: expected name:type in '{}'", item));
        }
        types[item.substr(0, colon)] = parse_type(item.substr(colon + 1), "-iop");
        begin = end + 1;
    }
    return types;
}

std::optional<ElementType> wanted_type(const std::string& all,
                                       const char* option,
                                       std::map<std::string, ElementType>& named,
                                       const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        if (const auto found = named.find(name); found != named.end()) {
            const ElementType type = found->second;
            named.erase(found);
            return type;
        }
    }
    return all.empty() ? std::nullopt : std::optional(parse_type(all, option));
}

std::vector<std::string> names_of(const Output& port, const std::string& layer) {
    std::vector<std::string> names(port.get_names().begin(), port.get_names().end());
    names.push_back(layer);
    return names;
}

Output add_convert(Model& model, const std::string& name, Output source, ElementType type) {
    ConvertAttrs attributes;
    attributes.destination_type = type;
    return model.add("Convert", 1, model.unique_name(name), {source}, attributes)->output();
}

// Readers of `from`, as they are now, read `to`.
void redirect(const std::vector<Use>& uses, Output to) {
    for (const Use& use : uses) {
        use.node->set_input(use.index, to);
    }
}

// Values for the channels, shaped [1, C, 1, ...] by the place of C (default: axis 1).
Tensor channel_values(const Output& port,
                      const std::string& text,
                      const std::string& layout,
                      const char* option) {
    const std::vector<float> values = parse_numbers(text, option);
    const std::size_t rank = port.partial_shape().rank();
    const std::size_t axis = layout.empty() ? 1 : layout.find('C');
    if (axis >= rank) {
        throw UsageError(
            fmt::format("{}: input '{}' has no channels", option, port.get_any_name()));
    }
    Shape shape(rank, 1);
    shape[axis] = values.size();
    return Tensor::of<float>(shape, values);
}

// mean and scale after an input; returns the last layer.
Output add_normalisation(Model& model, Output input, Output last, const Options& options) {
    struct Step {
        const std::string& text;
        const char* option;
        const char* type;
    };
    const std::string layout = layout_of(input, options);
    for (const Step& step : {Step{options.mean_values, "-mean_values", "Subtract"},
                             Step{options.scale_values, "-scale_values", "Divide"}}) {
        const auto texts = texts_for(split_by_name(step.text, step.option), input);
        if (texts.empty()) {
            continue;
        }
        const std::string name = input.node->name() + "/" + step.type;
        Node* values =
            model.add_constant(model.unique_name(name + "/values"),
                               channel_values(input, texts.front(), layout, step.option));
        if (last.type() != ElementType::f32) {
            last = add_convert(model, name + "/f32", last, ElementType::f32);
        }
        last = model.add(step.type, 1, model.unique_name(name), {last, values->output()})->output();
    }
    return last;
}

void prepare_input(Model& model,
                   Node* parameter,
                   const Options& options,
                   std::map<std::string, ElementType>& named) {
    const ElementType before = parameter->port().type;
    const std::vector<Use> uses = parameter->port().uses;
    const auto wanted = wanted_type(options.input_precision, "-ip", named,
                                    names_of(parameter->output(), parameter->name()));
    if (wanted && *wanted != before) {
        parameter->attrs<ParameterAttrs>().element_type = *wanted;
        parameter->infer();
    }
    Output last = add_normalisation(model, parameter->output(), parameter->output(), options);
    if (last.type() != before) {
        last = add_convert(model, parameter->name() + "/" + to_string(before), last, before);
    }
    redirect(uses, last);
}

}  // namespace

void set_shapes(Model& model, const Options& options) {
    const auto given = parse_input_shapes(options.shape, model.inputs());
    require_known_names(split_by_name(options.layout, "-layout"), model.inputs(), "-layout");
    std::map<std::string, PartialShape> shapes;
    bool has_batch = false;
    for (const Output& port : model.inputs()) {
        const auto found = given.find(port.node->name());
        PartialShape shape = found == given.end() ? port.partial_shape() : found->second;
        if (options.batch != 0) {
            const auto axis = batch_axis(port, layout_of(port, options));
            if (axis && *axis < shape.rank()) {
                shape[*axis] = Dimension(options.batch);
                has_batch = true;
            }
        }
        if (shape != port.partial_shape()) {
            shapes[port.node->name()] = shape;
        }
    }
    if (options.batch != 0 && !has_batch) {
        throw Error("benchmark", "-b: no input has a batch axis; say which one with -layout");
    }
    if (!shapes.empty()) {
        model.reshape(shapes);
    }
}

void set_preprocessing(Model& model, const Options& options) {
    std::map<std::string, ElementType> named = parse_types(options.tensor_precision);
    for (const char* option : {"-mean_values", "-scale_values"}) {
        const bool mean = std::string(option) == "-mean_values";
        require_known_names(
            split_by_name(mean ? options.mean_values : options.scale_values, option),
            model.inputs(), option);
    }
    for (Node* parameter : std::vector<Node*>(model.parameters())) {
        prepare_input(model, parameter, options, named);
    }
    for (std::size_t i = 0; i < model.results().size(); ++i) {
        Node* result = model.results()[i];
        const Output source = result->input(0);
        const auto wanted = wanted_type(options.output_precision, "-op", named,
                                        names_of(source, model.output_name(i)));
        if (wanted && *wanted != source.type()) {
            result->set_input(0, add_convert(model, source.node->name() + "/" + to_string(*wanted),
                                             source, *wanted));
            result->infer();
        }
    }
    if (!named.empty()) {
        throw UsageError(
            fmt::format("-iop: there is no input or output '{}'", named.begin()->first));
    }
}

std::size_t batch_of(const Model& model, const Options& options) {
    for (const Output& port : model.inputs()) {
        const auto axis = batch_axis(port, layout_of(port, options));
        if (axis && *axis < port.partial_shape().rank() &&
            port.partial_shape()[*axis].is_static()) {
            return static_cast<std::size_t>(port.partial_shape()[*axis].get_length());
        }
    }
    return 1;
}

}  // namespace fuseq::samples
