// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/common/convert_precision.hpp"

#include <algorithm>

#include "ops/constant.hpp"
#include "ops/convert.hpp"
#include "transformations/support/bodies.hpp"

namespace fuseq {
namespace convert_precision_pass {
namespace {

constexpr const char* kName = "convert_precision";

// What the devices compute in.
ElementType wide(ElementType type) {
    return is_real(type) ? ElementType::f32 : unpacked_type(type);
}

bool to_be_converted(ElementType type) {
    return wide(type) != type;
}

bool makes_packed(const Node& node) {
    return node.output_count() == 1 && is_packed(node.port().type);
}

// Names f32 where an attribute names another real type, u8 or i8 for packed integers; collects the
// bodies.
class TypeAttributes final : public AttributeVisitor {
public:
    std::vector<std::shared_ptr<Model>*> bodies;

protected:
    void visit(const char*, const AttributeRef& value, bool) override {
        if (const auto* type = std::get_if<ElementType*>(&value)) {
            **type = wide(**type);
        } else if (const auto* body = std::get_if<std::shared_ptr<Model>*>(&value)) {
            if (**body) {
                bodies.push_back(*body);
            }
        }
    }
};

bool mentions_other_types(Model& model) {
    for (const Model* current : model_and_bodies(model)) {
        for (const Node* node : current->ordered_nodes()) {
            for (std::size_t i = 0; i < node->output_count(); ++i) {
                if (to_be_converted(node->port(i).type)) {
                    return true;
                }
            }
            for (const NamedAttribute& item : list_attributes(node->attributes())) {
                const auto* const* type = std::get_if<ElementType*>(&item.ref);
                if (type != nullptr && to_be_converted(**type)) {
                    return true;
                }
            }
        }
    }
    return false;
}

Output add_convert(Model& model, const std::string& name, Output source, ElementType type) {
    ConvertAttrs attributes;
    attributes.destination_type = type;
    return model.add("Convert", 1, model.unique_name(name), {source}, attributes)->output();
}

// Every type in the graph, without the Parameters of the outermost one.
std::vector<std::shared_ptr<Model>*> convert_nodes(Model& model,
                                                   bool keep_parameters,
                                                   const PassContext& context) {
    std::vector<std::shared_ptr<Model>*> bodies;
    for (Node* node : model.ordered_nodes()) {
        if (node->is_constant()) {
            Tensor& value = node->attrs<ConstAttrs>().value;
            if (to_be_converted(value.get_element_type()) && !makes_packed(*node)) {
                const Tensor inputs[] = {value};
                value = context.computed(std::string(kName), inputs, [&] {
                    return std::vector{value.to(ElementType::f32)};
                })[0];
            }
        } else if (node->is("Parameter") ? !keep_parameters
                                         : !node->is("Convert") || !makes_packed(*node)) {
            TypeAttributes types;
            node->attributes().visit(types);
            bodies.insert(bodies.end(), types.bodies.begin(), types.bodies.end());
        }
    }
    return bodies;
}

// A Convert after each Const and Convert of packed elements, and each such Parameter of the
// outermost model. Other Converts read packed elements themselves, and so do its Results.
void unpack(Model& model, bool outermost) {
    for (Node* node : model.ordered_nodes()) {
        const bool packed = makes_packed(*node) && (node->is_constant() || node->is("Convert") ||
                                                    (outermost && node->is("Parameter")));
        if (!packed) {
            continue;
        }
        Output unpacked;
        const std::vector<Use> uses = node->port().uses;
        for (const Use& use : uses) {
            if (use.node->is("Convert") || (outermost && use.node->is("Result"))) {
                continue;
            }
            if (!unpacked) {
                const ElementType type = wide(node->port().type);
                unpacked =
                    add_convert(model, node->name() + "/" + to_string(type), node->output(), type);
            }
            use.node->set_input(use.index, unpacked);
        }
    }
}

void convert_bodies(std::vector<std::shared_ptr<Model>*> bodies, const PassContext& context) {
    while (!bodies.empty()) {
        Model& body = **bodies.back();
        bodies.pop_back();
        unpack(body, false);
        const auto inner = convert_nodes(body, false, context);
        bodies.insert(bodies.end(), inner.begin(), inner.end());
    }
}

// A Convert after each Parameter of another real type, read in its place.
void convert_inputs(Model& model) {
    for (Node* parameter : model.parameters()) {
        if (!to_be_converted(parameter->port().type) || is_packed(parameter->port().type)) {
            continue;
        }
        const std::vector<Use> uses = parameter->port().uses;
        const Output converted =
            add_convert(model, parameter->name() + "/f32", parameter->output(), ElementType::f32);
        for (const Use& use : uses) {
            use.node->set_input(use.index, converted);
        }
    }
}

void convert_outputs(Model& model, const std::vector<ElementType>& types) {
    for (std::size_t i = 0; i < types.size(); ++i) {
        Node* result = model.results()[i];
        const Output source = result->input(0);
        if (source.type() != types[i]) {
            const std::string name = source.node->name() + "/" + to_string(types[i]);
            result->set_input(0, add_convert(model, name, source, types[i]));
            result->infer();
        }
    }
}

bool feeds_result(const Node& node) {
    const std::vector<Use> uses = node.users();
    return std::any_of(uses.begin(), uses.end(), [](const Use& u) { return u.node->is("Result"); });
}

void remove_void_converts(Model& model) {
    for (Node* convert : model.find_all("Convert")) {
        const Output source = convert->input(0);
        if (source.type() == convert->port().type) {
            model.replace(convert->output(), source);
            model.remove(convert);
        }
    }
}

bool run(Model& model, PassContext& context) {
    if (!mentions_other_types(model)) {
        return false;
    }
    std::vector<ElementType> result_types;
    for (const Output& output : model.outputs()) {
        result_types.push_back(output.type());
    }
    convert_inputs(model);
    unpack(model, true);
    std::vector<std::shared_ptr<Model>*> bodies = convert_nodes(model, true, context);
    convert_bodies(std::move(bodies), context);
    model.validate();
    remove_void_converts(model);
    convert_outputs(model, result_types);
    for (const Node* convert : model.find_all("Convert")) {
        if (convert->input_node(0)->is("Parameter") || feeds_result(*convert)) {
            context.rewritten(
                kName, *convert,
                "the border keeps its type, inside reals are f32 and integers whole bytes");
        }
    }
    return true;
}

}  // namespace
}  // namespace convert_precision_pass

bool convert_precision(Model& model, PassContext& context) {
    return convert_precision_pass::run(model, context);
}

}  // namespace fuseq
