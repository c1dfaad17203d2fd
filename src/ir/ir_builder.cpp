// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/ir_builder.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "fuseq/error.hpp"
#include "fuseq/variable_state.hpp"
#include "ir/ir_operations.hpp"
#include "ops/constant.hpp"
#include "ops/convert.hpp"
#include "ops/detection/non_max_suppression.hpp"

namespace fuseq {
namespace {

// Bodies within bodies.
constexpr std::size_t kDeepestBody = 8;

std::string arity_text(const Arity& arity) {
    return arity.max == arity.min      ? std::to_string(arity.min)
           : arity.max == Arity::kMany ? fmt::format("{} or more", arity.min)
                                       : fmt::format("{} to {}", arity.min, arity.max);
}

// In the widened graph the declared f16 is f32.
ElementType expected_type(ElementType declared, bool widen, const Node& node) {
    const bool widened = widen && declared == ElementType::f16 && !node.is_constant();
    return widened ? ElementType::f32 : declared;
}

// Old IRs declare a fixed number of rows for what NonMaxSuppression keeps, and rely on it.
void note_fixed_rows(const IrLayer& layer, Attributes& attributes) {
    auto* suppression = dynamic_cast<NonMaxSuppression5Attrs*>(&attributes);
    if (suppression != nullptr && !layer.outputs.empty() && !layer.outputs[0].dims.empty()) {
        suppression->pad_rows = layer.outputs[0].dims[0].is_static();
    }
}

}  // namespace

IrBuilder::IrBuilder(IrContext& context, pugi::xml_node node, std::size_t depth)
    : context_(context), depth_(depth) {
    if (depth > kDeepestBody) {
        context.source.fail(fmt::format("bodies are nested more than {} deep", kDeepestBody));
    }
    graph_ = parse_ir_graph(node, context.source);
}

std::shared_ptr<Model> IrBuilder::build(std::string name) {
    model_ = std::make_shared<Model>(std::move(name));
    make_names_unique();
    for (const IrLayer& layer : graph_.layers) {
        add_layer(layer);
    }
    connect();
    return model_;
}

// Results, reports and dumps go by the names of layers.
void IrBuilder::make_names_unique() {
    std::vector<IrLayer*> repeated;
    for (IrLayer& layer : graph_.layers) {
        if (!names_.insert(layer.name).second) {
            repeated.push_back(&layer);
        }
    }
    for (IrLayer* layer : repeated) {
        std::string name = unique_name(layer->name);
        context_.findings.note(
            *layer, fmt::format("another layer has this name too; this one is called '{}'", name));
        layer->name = std::move(name);
    }
}

void IrBuilder::add_layer(const IrLayer& layer) {
    const OpSpec* spec = find_ir_op(layer);
    if (spec == nullptr) {
        context_.source.fail(layer,
                             fmt::format("is not supported in {}", layer.operation.opset_text));
    }
    if (layer.inputs.size() < spec->inputs.min || layer.inputs.size() > spec->inputs.max) {
        context_.source.fail(layer, fmt::format("has {} inputs, expected {}", layer.inputs.size(),
                                                arity_text(spec->inputs)));
    }
    auto attributes = spec->make_attributes();
    if (auto* constant = dynamic_cast<ConstAttrs*>(attributes.get())) {
        constant->value = context_.weights.constant(layer, context_.source);
    } else {
        if (!read_ir_subgraphs(context_, layer, *attributes, depth_)) {
            read_ir_attributes(layer, *attributes, context_.source);
            note_fixed_rows(layer, *attributes);
        }
        if (context_.widen_f16) {
            widen_types(*attributes);
        }
    }
    Node* node = model_->add_unchecked(*spec, layer.name, {}, std::move(attributes));
    node->layer_id = std::to_string(layer.id);
    node->set_output_count(std::max<std::size_t>(layer.outputs.size(), 1));
    read_names(layer, node);
    read_rt_info(layer, node);
    layers_[node] = nodes_.size();
    nodes_.push_back(node);
    if (node->is_constant() && context_.widen_f16 &&
        node->constant().get_element_type() == ElementType::f16) {
        add_widening(layer, node);
    }
}

// Const f16 -> Convert f32, marked as IR v11 marks the decompression of weights.
void IrBuilder::add_widening(const IrLayer& layer, Node* constant) {
    auto attributes = std::make_unique<ConvertAttrs>();
    attributes->destination_type = ElementType::f32;
    Node* convert =
        model_->add_unchecked(*find_op("Convert", 1), unique_name(layer.name + "/to_f32"),
                              {constant->output()}, std::move(attributes));
    convert->layer_id = constant->layer_id;
    convert->rt_info["decompression.version"] = "0";
    std::swap(convert->port().names, constant->port().names);
    widened_[constant] = convert;
}

void IrBuilder::connect() {
    for (std::size_t i = 0; i < graph_.layers.size(); ++i) {
        for (std::size_t port = 0; port < graph_.layers[i].inputs.size(); ++port) {
            nodes_[i]->add_input({});
        }
    }
    for (const IrEdge& edge : graph_.edges) {
        Node* from = nodes_[edge.from_layer];
        Node* to = nodes_[edge.to_layer];
        // A Convert that the file has already does the widening itself.
        if (const auto found = widened_.find(from); found != widened_.end() && !to->is("Convert")) {
            from = found->second;
        }
        to->set_input(edge.to_port, from->output(edge.from_port));
    }
    for (const auto& [constant, convert] : widened_) {
        // Only Converts of the file read the constant.
        if (convert->users().empty() && constant->users().size() > 1) {
            std::swap(convert->port().names, constant->port().names);
            model_->remove(convert);
        }
    }
}

void IrBuilder::read_names(const IrLayer& layer, Node* node) {
    for (std::size_t i = 0; i < layer.outputs.size(); ++i) {
        node->port(i).names.insert(layer.outputs[i].names.begin(), layer.outputs[i].names.end());
    }
}

// <attribute name="n" a="x" value="y"/> is kept as "n.a" = "x", "n" = "y".
void IrBuilder::read_rt_info(const IrLayer& layer, Node* node) {
    for (const pugi::xml_node item : layer.xml.child("rt_info").children("attribute")) {
        const std::string name = item.attribute("name").value();
        bool plain = true;
        for (const pugi::xml_attribute attribute : item.attributes()) {
            const std::string_view key = attribute.name();
            if (key == "name") {
                continue;
            }
            plain = false;
            node->rt_info[key == "value" ? name : fmt::format("{}.{}", name, key)] =
                attribute.value();
        }
        if (plain) {
            node->rt_info[name] = "";
        }
    }
}

void IrBuilder::validate() {
    Node* current = nullptr;
    try {
        for (Node* node : model_->ordered_nodes()) {
            current = node;
            node->infer();
            if (const auto layer = layers_.find(node); layer != layers_.end()) {
                check_declared(graph_.layers[layer->second], *node);
            }
        }
        (void)variables_of(*model_);  // checks them
    } catch (const Error& error) {
        Error::Info info = error.info();
        info.stage = "read";
        info.file = context_.source.file();
        if (info.layer.empty() && current != nullptr) {
            info.layer = current->name();
            info.op = current->type();
        }
        if (info.layer_id.empty()) {
            for (const auto& [node, layer] : layers_) {
                info.layer_id = node->name() == info.layer ? node->layer_id : info.layer_id;
            }
        }
        throw Error(std::move(info));
    }
}

void IrBuilder::check_declared(const IrLayer& layer, const Node& node) {
    // A port that inference left alone is one too many.
    std::size_t real_outputs = 0;
    while (real_outputs < node.output_count() &&
           node.port(real_outputs).type != ElementType::undefined) {
        ++real_outputs;
    }
    if (!node.is("Result") && layer.outputs.size() > real_outputs) {
        context_.source.fail(layer, fmt::format("declares {} outputs, the operation has {}",
                                                layer.outputs.size(), real_outputs));
    }
    const auto check_sizes = [&](const IrPort& declared, const Output& port) {
        // No <dim> at all stands for a scalar and for an unknown rank.
        const PartialShape shape(declared.dims);
        if (!declared.dims.empty() && !shape.compatible(port.partial_shape())) {
            context_.source.fail(
                layer, fmt::format("port {} is declared as {}, inference gives {}", declared.id,
                                   to_string(shape), to_string(port.partial_shape())));
        }
    };
    for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
        if (node.has_input(i)) {
            check_sizes(layer.inputs[i], node.input(i));
        }
    }
    const std::size_t outputs = std::min(layer.outputs.size(), node.output_count());
    for (std::size_t i = 0; i < outputs; ++i) {
        const IrPort& declared = layer.outputs[i];
        const OutputPort& port = node.port(i);
        check_sizes(declared, {nodes_[layers_.at(&node)], i});
        // A type nobody reads (the indices of a MaxPool, in many files) is not worth a word.
        if (declared.type && !port.uses.empty() &&
            expected_type(*declared.type, context_.widen_f16, node) != port.type) {
            context_.findings.note(
                layer, fmt::format("port {} is declared as {}, inference gives {}", declared.id,
                                   to_ir_precision(*declared.type), to_ir_precision(port.type)));
        }
    }
}

std::string IrBuilder::unique_name(const std::string& base) {
    std::string name = base;
    for (std::size_t n = 1; !names_.insert(name).second; ++n) {
        name = base + "_" + std::to_string(n);
    }
    return name;
}

}  // namespace fuseq
