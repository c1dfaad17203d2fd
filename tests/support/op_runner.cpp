// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace fuseq::test {
namespace {

std::string strip(std::string_view text) {
    const auto first = text.find_first_not_of(' ');
    if (first == std::string_view::npos) {
        return {};
    }
    return std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

std::map<std::string, std::string> parse(std::string_view text) {
    std::map<std::string, std::string> values;
    while (!text.empty()) {
        const auto end = std::min(text.find(';'), text.size());
        const std::string_view item = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const auto equal = item.find('=');
        if (equal != std::string_view::npos) {
            values[strip(item.substr(0, equal))] = strip(item.substr(equal + 1));
        } else if (!strip(item).empty()) {
            throw Error("test", "attribute without a value: " + std::string(item));
        }
    }
    return values;
}

class Setter final : public AttributeVisitor {
public:
    explicit Setter(std::map<std::string, std::string> values) : values_(std::move(values)) {}
    void finish() const {
        if (!values_.empty()) {
            throw Error("test", "unknown attribute " + values_.begin()->first);
        }
    }

protected:
    void visit(const char* name, const AttributeRef& value, bool required) override {
        const auto found = values_.find(name);
        if (found != values_.end()) {
            attribute_from_text(value, found->second);
            values_.erase(found);
        } else if (required) {
            throw Error("test", std::string("attribute ") + name + " is required");
        }
    }

private:
    std::map<std::string, std::string> values_;
};

const OpSpec& spec_of(std::string_view type, int opset) {
    const OpSpec* spec = find_op(type, opset);
    if (spec == nullptr) {
        throw Error("test", "no operation " + std::string(type));
    }
    return *spec;
}

std::vector<Tensor> values_of(const std::vector<In>& inputs) {
    std::vector<Tensor> values;
    for (const In& input : inputs) {
        values.push_back(input.value);
    }
    return values;
}

std::vector<In> blind(std::vector<In> inputs) {
    for (In& input : inputs) {
        input.constant = false;
        input.shape = PartialShape::dynamic();
    }
    return inputs;
}

void check_announced(const Node& node, const std::vector<Tensor>& outputs) {
    ASSERT_EQ(outputs.size(), node.output_count());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        EXPECT_EQ(to_string(outputs[i].get_element_type()), to_string(node.port(i).type));
        EXPECT_TRUE(node.port(i).shape.contains(outputs[i].get_shape()))
            << "output " << i << " has shape " << to_string(outputs[i].get_shape()) << ", inferred "
            << to_string(node.port(i).shape);
    }
}

}  // namespace

std::unique_ptr<Attributes> attributes_of(std::string_view type, int opset, std::string_view text) {
    std::unique_ptr<Attributes> attributes = spec_of(type, opset).make_attributes();
    Setter setter(parse(text));
    attributes->visit(setter);
    setter.finish();
    return attributes;
}

OpModel make_op(std::string_view type,
                int opset,
                std::string_view attributes,
                const std::vector<In>& inputs) {
    OpModel result{std::make_shared<Model>(), nullptr};
    std::vector<Output> sources;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const In& input = inputs[i];
        const std::string name = "in" + std::to_string(i);
        if (input.absent) {
            sources.emplace_back();
        } else if (input.constant) {
            sources.push_back(result.model->add_constant(name, input.value)->output());
        } else {
            sources.push_back(result.model->add_parameter(name, input.type, input.shape)->output());
        }
    }
    result.node =
        result.model->add(type, opset, "op", sources, attributes_of(type, opset, attributes));
    return result;
}

std::vector<Tensor> run_blind(std::string_view type,
                              int opset,
                              std::string_view attributes,
                              const std::vector<In>& inputs) {
    const OpModel op = make_op(type, opset, attributes, blind(inputs));
    const std::vector<Tensor> outputs = evaluate_node(*op.node, values_of(inputs));
    check_announced(*op.node, outputs);
    return outputs;
}

std::vector<Tensor> run_op(std::string_view type,
                           int opset,
                           std::string_view attributes,
                           const std::vector<In>& inputs,
                           Dynamic dynamic) {
    const OpModel op = make_op(type, opset, attributes, inputs);
    std::vector<Tensor> outputs = evaluate_node(*op.node, values_of(inputs));
    check_announced(*op.node, outputs);
    if (dynamic == Dynamic::kCheck) {
        const std::vector<Tensor> again = run_blind(type, opset, attributes, inputs);
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            EXPECT_TRUE(same_bytes(outputs[i], again.at(i)))
                << "output " << i << " differs when inference knows no shapes";
        }
    }
    return outputs;
}

std::string shape_of(std::string_view type,
                     int opset,
                     std::string_view attributes,
                     const std::vector<In>& inputs,
                     std::size_t port) {
    return to_string(make_op(type, opset, attributes, inputs).node->port(port).shape);
}

std::string error_of(std::string_view type,
                     int opset,
                     std::string_view attributes,
                     const std::vector<In>& inputs) {
    try {
        const OpModel op = make_op(type, opset, attributes, inputs);
        if (std::all_of(inputs.begin(), inputs.end(),
                        [](const In& input) { return bool(input.value) || input.absent; })) {
            evaluate_node(*op.node, values_of(inputs));
        }
    } catch (const Error& error) {
        return error.what();
    }
    ADD_FAILURE() << type << " accepted " << attributes;
    return {};
}

std::string blind_error_of(std::string_view type,
                           int opset,
                           std::string_view attributes,
                           const std::vector<In>& inputs) {
    try {
        run_blind(type, opset, attributes, inputs);
    } catch (const Error& error) {
        return error.what();
    }
    ADD_FAILURE() << type << " ran with " << attributes;
    return {};
}

void expect_near(const Tensor& actual,
                 const Shape& shape,
                 const std::vector<float>& values,
                 double tolerance) {
    ASSERT_EQ(to_string(actual.get_element_type()), "f32");
    ASSERT_EQ(to_string(actual.get_shape()), to_string(shape));
    ASSERT_EQ(actual.get_size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_NEAR(actual.data<float>()[i], values[i],
                    tolerance * std::max(1.0, std::abs(static_cast<double>(values[i]))))
            << "at " << i;
    }
}

void expect_bools(const Tensor& actual, const Shape& shape, const std::vector<int>& values) {
    ASSERT_EQ(to_string(actual.get_element_type()), "boolean");
    ASSERT_EQ(to_string(actual.get_shape()), to_string(shape));
    const auto* bytes = static_cast<const std::uint8_t*>(actual.data());
    ASSERT_EQ(actual.get_size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_EQ(int{bytes[i]}, values[i]) << "at " << i;
    }
}

}  // namespace fuseq::test
