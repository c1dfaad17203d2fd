// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/common/convert_precision.hpp"

#include <algorithm>

#include "ops/constant.hpp"
#include "ops/convert.hpp"

namespace fuseq {
namespace {

constexpr const char* kName = "convert_precision";

bool to_be_converted(ElementType type) {
    return is_real(type) && type != ElementType::f32;
}

// Names f32 where an attribute names another real type; collects the bodies.
class TypeAttributes final : public AttributeVisitor {
public:
    std::vector<std::shared_ptr<Model>*> bodies;

protected:
    void visit(const char*, const AttributeRef& value, bool) override {
        if (const auto* type = std::get_if<ElementType*>(&value)) {
            **type = to_be_converted(**type) ? ElementType::f32 : **type;
        } else if (const auto* body = std::get_if<std::shared_ptr<Model>*>(&value)) {
            if (**body) {
                bodies.push_back(*body);
            }
        }
    }
};

bool mentions_other_reals(const Model& model) {
    std::vector<const Model*> models{&model};
    while (!models.empty()) {
        const Model* current = models.back();
        models.pop_back();
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
                const auto* const* body = std::get_if<std::shared_ptr<Model>*>(&item.ref);
                if (body != nullptr && **body) {
                    models.push_back((*body)->get());
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
            if (to_be_converted(value.get_element_type())) {
                const Tensor inputs[] = {value};
                value = context.computed(std::string(kName), inputs, [&] {
                    return std::vector{value.to(ElementType::f32)};
                })[0];
            }
        } else if (!keep_parameters || !node->is("Parameter")) {
            TypeAttributes types;
            node->attributes().visit(types);
            bodies.insert(bodies.end(), types.bodies.begin(), types.bodies.end());
        }
    }
    return bodies;
}

void convert_bodies(std::vector<std::shared_ptr<Model>*> bodies, const PassContext& context) {
    while (!bodies.empty()) {
        Model& body = **bodies.back();
        bodies.pop_back();
        const auto inner = convert_nodes(body, false, context);
        bodies.insert(bodies.end(), inner.begin(), inner.end());
    }
}

// A Convert behind each Parameter of another real type, read in its place.
void convert_inputs(Model& model) {
    for (Node* parameter : model.parameters()) {
        if (!to_be_converted(parameter->port().type)) {
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

}  // namespace

bool convert_precision(Model& model, PassContext& context) {
    if (!mentions_other_reals(model)) {
        return false;
    }
    std::vector<ElementType> result_types;
    for (const Output& output : model.outputs()) {
        result_types.push_back(output.type());
    }
    convert_inputs(model);
    std::vector<std::shared_ptr<Model>*> bodies = convert_nodes(model, true, context);
    convert_bodies(std::move(bodies), context);
    model.validate();
    remove_void_converts(model);
    convert_outputs(model, result_types);
    for (const Node* convert : model.find_all("Convert")) {
        if (convert->input_node(0)->is("Parameter") || feeds_result(*convert)) {
            context.rewritten(kName, *convert, "the border keeps its type, inside reals are f32");
        }
    }
    return true;
}

}  // namespace fuseq
