// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/onnx/graph_importer.hpp"

#include <fmt/core.h>

#include <onnx/onnx_pb.h>

#include <algorithm>

#include "readers/common/unique_name.hpp"
#include "readers/onnx/element_types.hpp"
#include "readers/onnx/graph_order.hpp"
#include "readers/onnx/operator_table.hpp"
#include "readers/onnx/tensor_proto.hpp"

namespace fuseq::onnx_reader {
namespace {

using ::onnx::GraphProto;
using ::onnx::NodeProto;

constexpr std::size_t kDeepestBody = 8;

PartialShape read_shape(const ::onnx::TypeProto::Tensor& type, const Place& place) {
    if (!type.has_shape()) {
        return PartialShape::dynamic();
    }
    std::vector<Dimension> dims;
    for (const auto& dim : type.shape().dim()) {
        // Names of dimensions are free: -1 and 0 stand for open ones in some files.
        const bool fixed = dim.has_dim_value() && dim.dim_value() >= 0;
        place.require(!dim.has_dim_value() || dim.dim_value() >= -1, "an input has the dimension ",
                      dim.dim_value());
        dims.push_back(fixed ? Dimension(dim.dim_value()) : Dimension::dynamic());
    }
    return PartialShape(std::move(dims));
}

int version_of(const FileContext& context, const NodeProto& node) {
    const auto found = context.opsets.find(domain_of(node.domain()));
    return found == context.opsets.end() ? 0 : found->second;
}

void list_unknown(const GraphProto& graph,
                  const FileContext& context,
                  std::size_t depth,
                  std::map<std::string, std::vector<std::string>>& unknown) {
    context.place.require(depth <= kDeepestBody, "bodies are nested more than ", kDeepestBody,
                          " deep");
    for (const NodeProto& node : graph.node()) {
        const int version = version_of(context, node);
        if (find_operator(domain_of(node.domain()), node.op_type(), version) == nullptr) {
            unknown[fmt::format("{}-{}", operator_name(node), version)].push_back(layer_name(node));
        }
        for (const auto& attribute : node.attribute()) {
            if (attribute.has_g()) {
                list_unknown(attribute.g(), context, depth + 1, unknown);
            }
        }
    }
}

}  // namespace

void refuse_unknown_operators(const GraphProto& graph, const FileContext& context) {
    std::map<std::string, std::vector<std::string>> unknown;
    list_unknown(graph, context, 0, unknown);
    if (unknown.empty()) {
        return;
    }
    constexpr std::size_t kShown = 5;
    std::string text;
    for (const auto& [name, nodes] : unknown) {
        text += (text.empty() ? "" : "; ") + name + " (";
        for (std::size_t i = 0; i < std::min(nodes.size(), kShown); ++i) {
            text += (i == 0 ? "'" : ", '") + nodes[i] + "'";
        }
        text += nodes.size() > kShown ? fmt::format(" and {} more)", nodes.size() - kShown) : ")";
    }
    context.place.fail("these operators are not supported (operator-version and nodes): ", text);
}

GraphImporter::GraphImporter(const GraphProto& graph,
                             const FileContext& context,
                             GraphImporter* parent)
    : graph_(graph),
      context_(context),
      parent_(parent),
      depth_(parent == nullptr ? 0 : parent->depth_ + 1),
      model_(std::make_shared<Model>(graph.name().empty() ? "model" : graph.name())) {}

std::shared_ptr<Model> GraphImporter::read_model() {
    add_inputs({});
    add_initializers();
    add_nodes();
    add_results();
    return model_;
}

Body GraphImporter::read_as_body(const std::vector<ElementType>& own_inputs) {
    add_inputs(own_inputs);
    add_initializers();
    const std::size_t own = model_->parameters().size();
    add_nodes();
    add_results();
    return {.model = model_, .own_inputs = own, .captured = captured_};
}

// An input that an initializer has a value for is no input, as in files of IR 3, where every
// initializer is listed so.
void GraphImporter::add_inputs(const std::vector<ElementType>& own_inputs) {
    std::unordered_set<std::string> initialized;
    for (const auto& initializer : graph_.initializer()) {
        initialized.insert(initializer.name());
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(graph_.input_size()); ++i) {
        const auto& input = graph_.input(static_cast<int>(i));
        if (initialized.contains(input.name())) {
            continue;
        }
        Place place = context_.place;
        place.layer = input.name();
        place.op = "input";
        std::pair<ElementType, PartialShape> port;
        const bool declared =
            input.type().has_tensor_type() && input.type().tensor_type().elem_type() != 0;
        if (!declared && i < own_inputs.size()) {
            port = {own_inputs[i], PartialShape::dynamic()};
        } else {
            place.require(declared,
                          "is no tensor of a known type: sequences, optionals and sparse "
                          "tensors are not supported");
            const auto& type = input.type().tensor_type();
            port = {element_type(type.elem_type(), place), read_shape(type, place)};
        }
        names_.insert(input.name());
        set_value(input.name(),
                  model_->add_parameter(input.name(), port.first, port.second)->output());
    }
}

void GraphImporter::add_initializers() {
    context_.place.require(graph_.sparse_initializer_size() == 0,
                           "has sparse initializers, which are not supported");
    for (const auto& initializer : graph_.initializer()) {
        Place place = context_.place;
        place.layer = initializer.name();
        place.op = "initializer";
        set_value(initializer.name(),
                  model_
                      ->add_constant(unique_name(initializer.name()),
                                     read_tensor(initializer, context_.folder, place))
                      ->output());
    }
}

void GraphImporter::add_nodes() {
    const auto outer = [this](const std::string& name) {
        return parent_ != nullptr && parent_->is_defined(name);
    };
    for (const int i : ordered_nodes(graph_, outer, context_.place)) {
        translate(graph_.node(i));
    }
}

void GraphImporter::add_results() {
    for (const auto& output : graph_.output()) {
        const Output value = find_value(output.name());
        Place place = context_.place;
        place.layer = output.name();
        place.op = "output";
        place.require(bool(value),
                      "has no value: the operator that makes it does not give this "
                      "output");
        place.require(sequence(value) == nullptr, "is a sequence, which is not supported");
        model_->add_result(unique_name(output.name() + "/sink_port_0"), value);
    }
    name_outputs();
}

// What an Identity makes an output has the name of the output alone, not that of its source too.
void GraphImporter::name_outputs() {
    std::unordered_set<std::string> ends;
    for (const auto& output : graph_.output()) {
        ends.insert(output.name());
    }
    for (const auto& input : graph_.input()) {
        ends.insert(input.name());
    }
    for (const fuseq::Node* result : model_->results()) {
        const Output source = result->input(0);
        std::erase_if(source.node->port(source.index).names,
                      [&](const std::string& name) { return !ends.contains(name); });
    }
}

void GraphImporter::translate(const NodeProto& node) {
    const Place place{
        .file = context_.place.file, .layer = layer_name(node), .op = operator_name(node)};
    std::vector<Output> inputs;
    for (const std::string& name : node.input()) {
        inputs.push_back(name.empty() ? Output{} : find_value(name));
        place.require(name.empty() || bool(inputs.back()), "input '", name,
                      "' has no value: the operator that makes it does not give this output");
    }
    const int version = version_of(context_, node);
    const OperatorRow* row = find_operator(domain_of(node.domain()), node.op_type(), version);
    for (std::size_t i = row->sequences ? 1 : 0; i < inputs.size(); ++i) {
        place.require(!inputs[i] || sequence(inputs[i]) == nullptr, "input '",
                      node.input(static_cast<int>(i)),
                      "' is a sequence, which this operator is not read with");
    }
    Operator op({.type = node.op_type(),
                 .version = version,
                 .name = layer_name(node),
                 .inputs = std::move(inputs),
                 .output_names = {node.output().begin(), node.output().end()}},
                NodeAttributes(node, context_.folder, place), *this, place);
    const auto before = [&] {
        return fmt::format("output '{}': ", node.output_size() == 0 ? "" : node.output(0));
    };
    readers::translate_at(place, before, [&] {
        const std::vector<Output> outputs = row->translate(op);
        for (int i = 0; i < node.output_size(); ++i) {
            const auto at = static_cast<std::size_t>(i);
            if (!node.output(i).empty() && at < outputs.size() && outputs[at]) {
                set_value(node.output(i), outputs[at]);
            }
        }
        name_layers(node, op, outputs);
    });
}

// The layer that makes the first output gets the name of the node.
void GraphImporter::name_layers(const NodeProto& node,
                                const Operator& op,
                                const std::vector<Output>& outputs) {
    if (outputs.empty() || !outputs[0]) {
        return;
    }
    fuseq::Node* last = outputs[0].node;
    if (std::find(op.made().begin(), op.made().end(), last) != op.made().end()) {
        names_.erase(last->name());
        last->set_name(unique_name(layer_name(node)));
    }
}

void GraphImporter::set_value(const std::string& name, Output value) {
    values_[name] = value;
    value.node->port(value.index).names.insert(name);
}

bool GraphImporter::is_defined(const std::string& name) const {
    return values_.contains(name) || (parent_ != nullptr && parent_->is_defined(name));
}

Output GraphImporter::find_value(const std::string& name) {
    if (const auto found = values_.find(name); found != values_.end()) {
        return found->second;
    }
    return parent_ == nullptr ? Output{} : capture(name);
}

// A constant is copied into the body (its memory is shared), another value becomes a Parameter.
Output GraphImporter::capture(const std::string& name) {
    const Output outer = parent_->find_value(name);
    if (!outer) {
        return {};
    }
    Place place = context_.place;
    place.layer = name;
    place.op = "value";
    place.require(parent_->sequence(outer) == nullptr,
                  "is a sequence that a body reads, which is not supported");
    Output inner;
    if (outer.node->is_constant()) {
        inner = model_->add_constant(unique_name(name), outer.node->constant())->output();
    } else {
        inner =
            model_->add_parameter(unique_name(name), outer.type(), outer.partial_shape())->output();
        captured_.push_back(outer);
    }
    values_[name] = inner;
    return inner;
}

Body GraphImporter::read_body(const GraphProto& graph,
                              const std::vector<ElementType>& own_inputs,
                              const Place& place) {
    place.require(depth_ < kDeepestBody, "bodies are nested more than ", kDeepestBody, " deep");
    GraphImporter body(graph, context_, this);
    return body.read_as_body(own_inputs);
}

std::string GraphImporter::unique_name(const std::string& base) {
    return readers::unique_name(names_, base);
}

const QuantizedValue* GraphImporter::quantized(Output value) const {
    for (const auto& [output, source] : quantized_) {
        if (output == value) {
            return &source;
        }
    }
    return nullptr;
}

void GraphImporter::note_quantized(Output value, QuantizedValue source) {
    quantized_.emplace_back(value, source);
}

const std::vector<Output>* GraphImporter::sequence(Output value) const {
    const auto found = sequences_.find(value.node);
    return found == sequences_.end() ? nullptr : &found->second;
}

void GraphImporter::note_sequence(Output value, std::vector<Output> tensors) {
    sequences_[value.node] = std::move(tensors);
}

void GraphImporter::warn(const std::string& sentence) const {
    if (context_.on_warning) {
        context_.on_warning(sentence);
    }
}

}  // namespace fuseq::onnx_reader
