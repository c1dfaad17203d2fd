// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/caffe2/graph_importer.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "readers/common/unique_name.hpp"

namespace fuseq::caffe2_reader {
namespace {

// The exporter for phones fills inputs with one zero, so that the blobs exist.
bool is_placeholder(const OperatorDef& op) {
    const auto shape = std::find_if(op.arg().begin(), op.arg().end(),
                                    [](const Argument& one) { return one.name() == "shape"; });
    return op.type() == "ConstantFill" && op.input_size() == 0 && shape != op.arg().end() &&
           shape->ints_size() == 1 && shape->ints(0) == 1;
}

std::string layer_name(const OperatorDef& op) {
    return op.name().empty() ? op.output_size() == 0 ? op.type() : op.output(0) : op.name();
}

}  // namespace

GraphImporter::GraphImporter(const ImportOptions& options, const std::string& name)
    : options_(options), model_(std::make_shared<Model>(name.empty() ? "model" : name)) {}

void GraphImporter::run_init_net(const NetDef& net, const Place& place) {
    refuse_unknown_operators(net, place);
    for (const OperatorDef& op : net.op()) {
        translate(op, place);
        for (const std::string& output : op.output()) {
            is_placeholder(op) ? static_cast<void>(placeholders_.insert(output))
                               : static_cast<void>(placeholders_.erase(output));
        }
    }
}

std::shared_ptr<Model> GraphImporter::read_predict_net(const NetDef& net, const Place& place) {
    refuse_unknown_operators(net, place);
    add_parameters(net, place);
    for (const OperatorDef& op : net.op()) {
        translate(op, place);
    }
    add_results(net, place);
    return model_;
}

void GraphImporter::refuse_unknown_operators(const NetDef& net, const Place& place) const {
    std::map<std::string, std::string> unknown;  // operator and one place of it
    for (const OperatorDef& op : net.op()) {
        if (find_operator(op.type()) == nullptr) {
            unknown.emplace(op.type(), layer_name(op));
        }
    }
    std::string text;
    for (const auto& [type, layer] : unknown) {
        text += fmt::format("{}{} ('{}')", text.empty() ? "" : ", ", type, layer);
    }
    place.require(unknown.empty(), "these operators are not supported: ", text);
}

void GraphImporter::add_parameters(const NetDef& net, const Place& place) {
    // A placeholder is a parameter of the net all the same where no operator takes it as its data.
    std::set<std::string> data;
    for (const OperatorDef& op : net.op()) {
        if (op.input_size() > 0) {
            data.insert(op.input(0));
        }
    }
    for (const std::string& name : net.external_input()) {
        const bool placeholder = placeholders_.contains(name) && data.contains(name);
        if (values_.contains(name) && !placeholder) {
            continue;
        }
        Place here = place;
        here.layer = name;
        here.op = "input";
        ElementType type = ElementType::f32;
        PartialShape shape;
        if (const auto known = options_.inputs.find(name); known != options_.inputs.end()) {
            std::vector<Dimension> dims;
            for (const std::int64_t size : known->second.shape) {
                dims.push_back(size < 0 ? Dimension::dynamic() : Dimension(size));
            }
            shape = PartialShape(dims);
            type = known->second.type;
        } else {
            shape = default_shape(net, name);
            warn(
                fmt::format("'{}': the file does not say the shape of the input, {} is taken; "
                            "value_info.json beside it would say",
                            name, to_string(shape)));
        }
        const Output made = model_->add_parameter(unique_name(name), type, shape)->output();
        made.node->port(0).names.insert(name);
        values_[name] = {.plain = made};
    }
}

// Images where the net has convolutions or poolings, else rows.
PartialShape GraphImporter::default_shape(const NetDef& net, const std::string& name) {
    const bool images = std::any_of(net.op().begin(), net.op().end(), [](const OperatorDef& op) {
        return op.type().find("Conv") != std::string::npos ||
               op.type().find("Pool") != std::string::npos;
    });
    std::vector<Dimension> dims(images ? 4 : 2, Dimension::dynamic());
    for (const OperatorDef& op : net.op()) {
        const bool rows = (op.type() == "FC" || op.type() == "Int8FC") && op.input_size() > 1;
        if (!images && rows && op.input(0) == name && values_.contains(op.input(1))) {
            const Output weights = values_.at(op.input(1)).any();
            dims[1] = weights.partial_shape()[1];
        }
    }
    return PartialShape(dims);
}

void GraphImporter::translate(const OperatorDef& stated, const Place& net) {
    const Place place{.file = net.file, .layer = layer_name(stated), .op = stated.type()};
    place.require(stated.output_size() > 0, "has no outputs");
    std::vector<Value*> inputs;
    for (const std::string& name : stated.input()) {
        const auto found = values_.find(name);
        place.require(found != values_.end(), "reads '", name,
                      "', which has no value: it is no external_input, and no operator before this "
                      "one makes it (a later one would be a cycle)");
        inputs.push_back(&found->second);
    }
    Operator op(stated, layer_name(stated), std::move(inputs), *this, place);
    const auto before = [&] { return fmt::format("output '{}': ", stated.output(0)); };
    readers::translate_at(place, before, [&] {
        take_outputs(stated, op, find_operator(stated.type())->translate(op));
    });
}

void GraphImporter::take_outputs(const OperatorDef& stated, const Operator& op, Values values) {
    for (int i = 0; i < stated.output_size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (at < values.size() && values[at].made()) {
            values_[stated.output(i)] = values[at];
        } else {
            values_.erase(stated.output(i));
        }
    }
    fuseq::Node* last = values.empty() || !values[0].made() ? nullptr : values[0].any().node;
    if (std::find(op.made().begin(), op.made().end(), last) != op.made().end()) {
        names_.erase(last->name());
        last->set_name(unique_name(layer_name(stated)));
        last->port(0).names.insert(stated.output(0));
    }
}

// Quantized results are the bytes of the framework, u8.
void GraphImporter::add_results(const NetDef& net, const Place& place) {
    place.require(net.external_output_size() > 0, "has no external_output");
    for (const std::string& name : net.external_output()) {
        Place here = place;
        here.layer = name;
        here.op = "output";
        here.require(values_.contains(name), "has no value: no operator makes it");
        const OperatorDef none;
        Operator op(none, name, {&values_[name]}, *this, here);
        Output result = op.stored(0);
        if (const auto& grid = values_[name].grid; grid && result.type() == ElementType::i8) {
            result = op.add("Requantize", {result},
                            {{"method", kMethod},
                             {"input_scales", std::vector<float>{grid->scale}},
                             {"input_zero_points", std::vector<std::int64_t>{grid->zero_point}},
                             {"output_scale", grid->scale},
                             {"output_zero_point", grid->zero_point + kOffset},
                             {"output_type", ElementType::u8}});
        }
        for (const auto& [other, value] : values_) {
            if (other != name && value.any() == result) {
                result.node->port(result.index).names.erase(other);
            }
        }
        if (values_[name].any().node != result.node) {
            const Output inner = values_[name].any();
            inner.node->port(inner.index).names.erase(name);
        }
        result.node->port(result.index).names.insert(name);
        model_->add_result(unique_name(name + "/result"), result);
    }
}

std::string GraphImporter::unique_name(const std::string& base) {
    return readers::unique_name(names_, base);
}

void GraphImporter::warn(const std::string& sentence) const {
    if (options_.on_warning) {
        options_.on_warning(sentence);
    }
}

}  // namespace fuseq::caffe2_reader
