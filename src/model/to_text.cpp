// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The text form of a Model. One line a node, producers first:
//
//   model "name"
//   %x = Parameter.1 : f32[1,3,8,8] "tensor name" "another"
//   %w = Const.1 value={1,0.5} : f32[1,2]
//   %c = Convolution.1(%x, %w) strides=[1,1] dilations=[1,1] : f32[1,64,28,28]
//   %s = Split.1(%c, %axis) num_splits=2 : f32[1,32,28,28], f32[1,32,28,28]
//   %r = Result.1(%s:1) : f32[1,32,28,28]
//
// Type.version, operands (%name:port, port 0 is not written, _ is an input that is not connected),
// attributes (required ones and those that differ from their default), !origins, and after ':' the
// type, shape and tensor names of each output. Names that are not made of [A-Za-z0-9_./-] are
// quoted; a name that several layers have gets a suffix #1, #2, ... from the second on. A subgraph
// prints as an indented block in braces. Parameters come first and Results last, in the order the
// model has them. // begins a comment. Values of constants: model/tensor_text.hpp.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "fuseq/model.hpp"
#include "model/tensor_text.hpp"
#include "model/text.hpp"
#include "ops/op_spec.hpp"

namespace fuseq {

bool is_plain_name_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '/' || c == '-';
}

std::string quote_text(std::string_view text) {
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            quoted += '\\';
            quoted += c;
        } else if (c == '\n') {
            quoted += "\\n";
        } else {
            quoted += c;
        }
    }
    return quoted + '"';
}

std::string type_and_shape_to_text(ElementType type, const PartialShape& shape) {
    return to_string(type) + to_string(shape);
}

namespace {

class Printer {
public:
    Printer(const Model& model, std::size_t inline_limit, std::size_t indent)
        : model_(model), inline_limit_(inline_limit), indent_(indent) {}

    std::string print() {
        text_ = line_start() + "model " + quote_text(model_.name()) + "\n";
        std::vector<const Node*> nodes(model_.parameters().begin(), model_.parameters().end());
        for (const Node* node : model_.ordered_nodes()) {
            if (!node->is("Parameter") && !node->is("Result")) {
                nodes.push_back(node);
            }
        }
        nodes.insert(nodes.end(), model_.results().begin(), model_.results().end());
        for (const Node* node : nodes) {
            print_node(*node);
        }
        return std::move(text_);
    }

private:
    std::string line_start() const { return std::string(indent_, ' '); }

    void print_node(const Node& node) {
        text_ += line_start() + new_handle(node) + " = " + node.type() + "." +
                 std::to_string(node.spec().version);
        print_operands(node);
        print_attributes(node);
        if (!node.origins.empty()) {
            text_ += " !origins=" + strings_to_text(node.origins);
        }
        for (std::size_t i = 0; i < node.output_count(); ++i) {
            const OutputPort& port = node.port(i);
            text_ += (i == 0 ? " : " : ", ") + type_and_shape_to_text(port.type, port.shape);
            std::vector<std::string> names(port.names.begin(), port.names.end());
            std::sort(names.begin(), names.end());
            for (const std::string& name : names) {
                text_ += " " + quote_text(name);
            }
        }
        text_ += "\n";
    }

    std::string new_handle(const Node& node) {
        const std::string& name = node.name();
        const bool plain =
            !name.empty() && std::all_of(name.begin(), name.end(), is_plain_name_char);
        std::string handle = "%" + (plain ? name : quote_text(name));
        const std::size_t before = seen_[name]++;
        if (before != 0) {
            handle += "#" + std::to_string(before);
        }
        handles_[&node] = handle;
        return handle;
    }

    void print_operands(const Node& node) {
        if (node.input_count() == 0) {
            return;
        }
        text_ += "(";
        for (std::size_t i = 0; i < node.input_count(); ++i) {
            text_ += i == 0 ? "" : ", ";
            const Output& input = node.input(i);
            if (!input) {
                text_ += "_";
                continue;
            }
            text_ += handles_.at(input.node);
            if (input.index != 0) {
                text_ += ":" + std::to_string(input.index);
            }
        }
        text_ += ")";
    }

    void print_attributes(const Node& node) {
        // Type and shape of a Parameter stand after the colon.
        if (node.is("Parameter")) {
            return;
        }
        const auto fresh = node.spec().make_attributes();
        const auto defaults = list_attributes(std::as_const(*fresh));
        const auto items = list_attributes(node.attributes());
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (items[i].required || !same_value(items[i].ref, defaults[i].ref)) {
                print_attribute(node, items[i]);
            }
        }
    }

    void print_attribute(const Node& node, const NamedAttribute& item) {
        std::string value;
        if (const auto* string = std::get_if<std::string*>(&item.ref)) {
            value = quote_text(**string);
        } else if (const auto* strings = std::get_if<std::vector<std::string>*>(&item.ref)) {
            value = strings_to_text(**strings);
        } else if (const auto* model = std::get_if<std::shared_ptr<Model>*>(&item.ref)) {
            if (**model == nullptr) {
                return;
            }
            constexpr std::size_t kStep = 4;
            value = "{\n" + Printer(***model, inline_limit_, indent_ + kStep).print() +
                    line_start() + "}";
        } else if (const auto* tensor = std::get_if<Tensor*>(&item.ref)) {
            if (!**tensor) {
                return;
            }
            // The type and shape of a Const stand after the colon.
            const Tensor& t = **tensor;
            value =
                (node.is_constant() ? ""
                                    : to_string(t.get_element_type()) + to_string(t.get_shape())) +
                tensor_values_to_text(t, inline_limit_);
        } else {
            value = attribute_to_text(item.ref);
            if (std::holds_alternative<std::vector<std::int64_t>*>(item.ref) ||
                std::holds_alternative<std::vector<float>*>(item.ref) ||
                std::holds_alternative<PartialShape*>(item.ref)) {
                value = "[" + value + "]";
            }
        }
        text_ += " " + item.name + "=" + value;
    }

    static std::string strings_to_text(const std::vector<std::string>& strings) {
        std::string text = "[";
        for (std::size_t i = 0; i < strings.size(); ++i) {
            text += (i == 0 ? "" : ",") + quote_text(strings[i]);
        }
        return text + "]";
    }

    const Model& model_;
    std::size_t inline_limit_;
    std::size_t indent_;
    std::string text_;
    std::unordered_map<const Node*, std::string> handles_;
    std::unordered_map<std::string, std::size_t> seen_;
};

}  // namespace

std::string Model::to_text(std::size_t inline_limit) const {
    return Printer(*this, inline_limit, 0).print();
}

}  // namespace fuseq
