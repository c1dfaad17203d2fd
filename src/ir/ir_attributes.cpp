// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/ir_attributes.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <fmt/core.h>

#include "fuseq/error.hpp"
#include "ir/ir_legacy_attributes.hpp"
#include "model/nearest_name.hpp"
#include "model/type_names.hpp"

namespace fuseq {
namespace {

bool stands_in_data(const NamedAttribute& item) {
    return !item.internal && !std::holds_alternative<std::shared_ptr<Model>*>(item.ref) &&
           !std::holds_alternative<Tensor*>(item.ref);
}

// Attributes that the operation has and the layer does not give: one of them may be misspelled.
std::vector<std::string> missing_names(const std::vector<NamedAttribute>& items,
                                       pugi::xml_node data) {
    std::vector<std::string> names;
    for (const NamedAttribute& item : items) {
        if (!data.attribute(item.name.c_str())) {
            names.push_back(item.name);
        }
    }
    return names;
}

// What stands in the layer in place of a missing attribute, if it looks like it.
std::string spelled_so(const std::string& missing,
                       const std::vector<NamedAttribute>& items,
                       pugi::xml_node data) {
    std::vector<std::string> names;
    for (const pugi::xml_attribute found : data.attributes()) {
        if (std::none_of(items.begin(), items.end(),
                         [&](const NamedAttribute& i) { return i.name == found.name(); })) {
            names.emplace_back(found.name());
        }
    }
    const bool alike = !did_you_mean(missing, names).empty();
    return alike ? fmt::format("; there is '{}'", nearest_name(missing, names)) : "";
}

bool is_known(const char* name, const std::vector<NamedAttribute>& items) {
    constexpr std::string_view kOfConstants[] = {"element_type", "shape", "offset", "size"};
    return std::any_of(items.begin(), items.end(), [&](const NamedAttribute& item) {
        return std::holds_alternative<Tensor*>(item.ref)
                   ? std::find(std::begin(kOfConstants), std::end(kOfConstants), name) !=
                         std::end(kOfConstants)
                   : stands_in_data(item) && item.name == name;
    });
}

// Attributes that the operation does not have may change its meaning.
void add_unknown_names(pugi::xml_node layer,
                       const std::vector<NamedAttribute>& items,
                       std::vector<IrAttributeFault>& faults) {
    const pugi::xml_node data = layer.child("data");
    std::vector<NamedAttribute> own = items;
    std::erase_if(own, [](const NamedAttribute& item) { return !stands_in_data(item); });
    for (const pugi::xml_attribute found : data.attributes()) {
        if (!is_known(found.name(), items) &&
            !is_harmless_attribute(layer.attribute("type").value(), found.name(), found.value())) {
            faults.push_back({found.name(), found.value(),
                              "not known" + did_you_mean(found.name(), missing_names(own, data)),
                              true});
        }
    }
}

}  // namespace

void IrFindings::note(const IrLayer& layer, const std::string& text) {
    note(fmt::format("layer {} '{}' ({}): {}", layer.id, layer.name, layer.operation.type, text));
}

void IrFindings::report(const IrReadOptions& options, const IrSource& source) const {
    if (options.strict && !notes_.empty()) {
        std::string text;
        for (const std::string& note : notes_) {
            text += (text.empty() ? "" : "; ") + note;
        }
        source.fail(text);
    }
    if (options.on_warning) {
        for (const std::string& note : notes_) {
            options.on_warning(note);
        }
    }
}

void read_ir_attributes(const IrLayer& layer, Attributes& attributes, const IrSource& source) {
    const pugi::xml_node data = layer.xml.child("data");
    auto items = list_attributes(attributes);
    std::erase_if(items, [](const NamedAttribute& item) { return !stands_in_data(item); });
    for (const NamedAttribute& item : items) {
        const pugi::xml_attribute found = data.attribute(item.name.c_str());
        if (!found) {
            if (item.required) {
                source.fail(layer, fmt::format("attribute {} is missing{}", item.name,
                                               spelled_so(item.name, items, data)));
            }
            continue;
        }
        try {
            attribute_from_text(item.ref, found.value());
        } catch (const Error& error) {
            source.fail(layer, fmt::format("attribute {}: {}", item.name, error.info().rule));
        }
    }
}

std::vector<IrAttributeFault> attribute_faults(pugi::xml_node layer, Attributes& attributes) {
    std::vector<IrAttributeFault> faults;
    const pugi::xml_node data = layer.child("data");
    const auto items = list_attributes(attributes);
    if (std::any_of(items.begin(), items.end(), [](const NamedAttribute& item) {
            return std::holds_alternative<std::shared_ptr<Model>*>(item.ref);
        })) {
        add_unknown_names(layer, {}, faults);  // <data> has nothing that is known
        return faults;
    }
    for (const NamedAttribute& item : items) {
        // A Const states its type in place of its value.
        const bool constant = std::holds_alternative<Tensor*>(item.ref);
        const std::string name = constant ? "element_type" : item.name;
        const pugi::xml_attribute found = data.attribute(name.c_str());
        const std::string value = found.value();
        if (constant) {
            if (found && !parse_element_type(value)) {
                faults.push_back({name, value, refused_type_text(value)});
            }
        } else if (stands_in_data(item)) {
            try {
                if (found) {
                    attribute_from_text(item.ref, value);
                } else if (item.required) {
                    faults.push_back({name, value, "missing" + spelled_so(name, items, data)});
                }
            } catch (const Error& error) {
                faults.push_back({name, value, error.info().rule});
            }
        }
    }
    add_unknown_names(layer, items, faults);
    return faults;
}

void widen_types(Attributes& attributes) {
    for (const NamedAttribute& item : list_attributes(attributes)) {
        if (auto* const* type = std::get_if<ElementType*>(&item.ref);
            type != nullptr && **type == ElementType::f16) {
            **type = ElementType::f32;
        }
    }
}

}  // namespace fuseq
