// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/onnx/functions.hpp"

#include <google/protobuf/unknown_field_set.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "readers/onnx/graph_order.hpp"

namespace fuseq::onnx_reader {
namespace {

using ::onnx::AttributeProto;
using ::onnx::FunctionProto;
using ::onnx::GraphProto;
using ::onnx::ModelProto;
using ::onnx::NodeProto;

// Calls within calls.
constexpr std::size_t kDeepest = 32;
constexpr std::size_t kMaxNodes = 1 << 18;

// Fields that Debian's onnx.proto does not know yet, by their numbers.
constexpr int kNodeOverload = 8;
constexpr int kFunctionOverload = 13;
constexpr int kFunctionAttributes = 11;

template <class Message>
std::vector<std::string> newer_field(const Message& message, int number) {
    std::vector<std::string> values;
    const auto& fields = message.GetReflection()->GetUnknownFields(message);
    for (int i = 0; i < fields.field_count(); ++i) {
        const auto& field = fields.field(i);
        if (field.number() == number &&
            field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED) {
            values.push_back(field.length_delimited());
        }
    }
    return values;
}

template <class Message>
std::string overload_of(const Message& message, int number) {
    const std::vector<std::string> values = newer_field(message, number);
    return values.empty() ? std::string() : values.back();
}

// Domain, name, overload.
using Key = std::tuple<std::string, std::string, std::string>;

// What the names within a function become at one call.
class Names {
public:
    Names(const FunctionProto& function, const NodeProto& call, std::string prefix)
        : prefix_(std::move(prefix)) {
        for (int i = 0; i < function.input_size(); ++i) {
            names_[function.input(i)] = i < call.input_size() ? call.input(i) : "";
        }
        for (int i = 0; i < function.output_size(); ++i) {
            // A result that is an operand too keeps its name; an Identity follows.
            const bool given = i < call.output_size() && !call.output(i).empty();
            if (given && !names_.contains(function.output(i))) {
                names_[function.output(i)] = call.output(i);
            } else if (given) {
                copies_.emplace_back(names_[function.output(i)], call.output(i));
            }
        }
    }

    std::string operator()(const std::string& name) const {
        const auto found = names_.find(name);
        return name.empty() ? name : found != names_.end() ? found->second : prefix_ + name;
    }
    const std::vector<std::pair<std::string, std::string>>& copies() const { return copies_; }
    const std::string& prefix() const { return prefix_; }

private:
    std::string prefix_;
    std::unordered_map<std::string, std::string> names_;
    std::vector<std::pair<std::string, std::string>> copies_;  // from, to
};

using Attributes = std::map<std::string, AttributeProto>;

class Inliner {
public:
    Inliner(ModelProto& model, const Place& place) : model_(model), place_(place) {
        for (const FunctionProto& function : model.functions()) {
            const Key key{domain_of(function.domain()), function.name(),
                          overload_of(function, kFunctionOverload)};
            place.require(functions_.emplace(key, &function).second, "defines the function '",
                          function.name(), "' twice");
        }
    }

    void run() { inline_graph(*model_.mutable_graph(), 0); }

private:
    const FunctionProto* find(const NodeProto& node) const {
        const Key key{domain_of(node.domain()), node.op_type(), overload_of(node, kNodeOverload)};
        const auto found = functions_.find(key);
        return found == functions_.end() ? nullptr : found->second;
    }

    void inline_graph(GraphProto& graph, std::size_t depth) {
        google::protobuf::RepeatedPtrField<NodeProto> nodes;
        nodes.Swap(graph.mutable_node());
        for (NodeProto& node : nodes) {
            add(std::move(node), *graph.mutable_node(), depth);
        }
    }

    // The node itself, or what its function consists of.
    void add(NodeProto node, google::protobuf::RepeatedPtrField<NodeProto>& to, std::size_t depth) {
        place_.require(++count_ <= kMaxNodes, "functions stand for more than ", kMaxNodes,
                       " nodes");
        const FunctionProto* function = find(node);
        if (function != nullptr) {
            expand(*function, node, to, depth);
            return;
        }
        for (AttributeProto& attribute : *node.mutable_attribute()) {
            if (attribute.has_g()) {
                inline_graph(*attribute.mutable_g(), depth);
            }
        }
        *to.Add() = std::move(node);
    }

    void expand(const FunctionProto& function,
                const NodeProto& call,
                google::protobuf::RepeatedPtrField<NodeProto>& to,
                std::size_t depth) {
        const Place here{.file = place_.file, .layer = layer_name(call), .op = operator_name(call)};
        here.require(depth < kDeepest, "functions call each other more than ", kDeepest, " deep");
        here.require(call.input_size() <= function.input_size() &&
                         call.output_size() <= function.output_size(),
                     "has ", call.input_size(), " inputs and ", call.output_size(),
                     " outputs, the function has ", function.input_size(), " and ",
                     function.output_size());
        check_opsets(function, here);
        const Attributes given = attributes_of(function, call, here);
        const Names names(function, call, unique_prefix(layer_name(call)));
        for (const NodeProto& stated : function.node()) {
            NodeProto node = stated;
            rename(node, names, given);
            add(std::move(node), to, depth + 1);
        }
        for (const auto& [from, result] : names.copies()) {
            NodeProto& copy = *to.Add();
            copy.set_op_type("Identity");
            copy.add_input(from);
            copy.add_output(result);
        }
    }

    std::string unique_prefix(const std::string& name) {
        const std::size_t number = prefixes_[name]++;
        return number == 0 ? name + "/" : name + "_" + std::to_string(number) + "/";
    }

    // Of the call, else the defaults of the function.
    static Attributes attributes_of(const FunctionProto& function,
                                    const NodeProto& call,
                                    const Place& place) {
        Attributes given;
        for (const std::string& bytes : newer_field(function, kFunctionAttributes)) {
            AttributeProto attribute;
            place.require(attribute.ParseFromString(bytes), "a default of the function '",
                          function.name(), "' is damaged");
            given[attribute.name()] = attribute;
        }
        for (const AttributeProto& attribute : call.attribute()) {
            given[attribute.name()] = attribute;
        }
        return given;
    }

    // The version of an operator is that of the model.
    void check_opsets(const FunctionProto& function, const Place& place) {
        for (const auto& entry : function.opset_import()) {
            const std::string domain = domain_of(entry.domain());
            auto* imported = model_.mutable_opset_import();
            const auto found = std::find_if(imported->begin(), imported->end(), [&](auto& one) {
                return domain_of(one.domain()) == domain;
            });
            if (found == imported->end()) {
                *imported->Add() = entry;
                continue;
            }
            const bool own = std::any_of(functions_.begin(), functions_.end(), [&](auto& one) {
                return std::get<0>(one.first) == domain;
            });
            place.require(own || found->version() == entry.version(), "the function '",
                          function.name(), "' is of version ", entry.version(),
                          " of the operator set '", domain, "', the model of ", found->version());
        }
    }

    static void rename(NodeProto& node, const Names& names, const Attributes& given) {
        node.set_name(names.prefix() + layer_name(node));
        for (std::string& name : *node.mutable_input()) {
            name = names(name);
        }
        for (std::string& name : *node.mutable_output()) {
            name = names(name);
        }
        google::protobuf::RepeatedPtrField<AttributeProto> attributes;
        for (AttributeProto& attribute : *node.mutable_attribute()) {
            if (!attribute.ref_attr_name().empty()) {
                const auto found = given.find(attribute.ref_attr_name());
                if (found != given.end()) {
                    AttributeProto& value = *attributes.Add();
                    value = found->second;
                    value.set_name(attribute.name());
                }
                continue;
            }
            if (attribute.has_g()) {
                rename_graph(*attribute.mutable_g(), names, given);
            }
            *attributes.Add() = std::move(attribute);
        }
        node.mutable_attribute()->Swap(&attributes);
    }

    static void rename_graph(GraphProto& graph, const Names& names, const Attributes& given) {
        for (auto& input : *graph.mutable_input()) {
            input.set_name(names(input.name()));
        }
        for (auto& initializer : *graph.mutable_initializer()) {
            initializer.set_name(names(initializer.name()));
        }
        for (NodeProto& node : *graph.mutable_node()) {
            rename(node, names, given);
        }
        for (auto& output : *graph.mutable_output()) {
            output.set_name(names(output.name()));
        }
    }

    ModelProto& model_;
    const Place& place_;
    std::map<Key, const FunctionProto*> functions_;
    std::map<std::string, std::size_t> prefixes_;
    std::size_t count_ = 0;
};

}  // namespace

std::shared_ptr<const ModelProto> inline_functions(const ModelProto& model, const Place& place) {
    if (model.functions_size() == 0) {
        return nullptr;
    }
    const auto copy = std::make_shared<ModelProto>(model);
    Inliner(*copy, place).run();
    return copy;
}

}  // namespace fuseq::onnx_reader
