// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/ir_attributes.hpp"

#include <algorithm>

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

}  // namespace

void IrFindings::unknown_attribute(const IrLayer& layer,
                                   const char* name,
                                   const char* value,
                                   const std::string& hint) {
    Entry& entry = unknown_[{layer.operation.type, name}];
    if (entry.count++ == 0) {
        entry.first = fmt::format("layer {} '{}' has '{}'{}", layer.id, layer.name, value, hint);
    }
}

void IrFindings::note(const IrLayer& layer, const std::string& text) {
    note(fmt::format("layer {} '{}' ({}): {}", layer.id, layer.name, layer.operation.type, text));
}

void IrFindings::report(const IrReadOptions& options, const IrSource& source) const {
    std::vector<std::string> all;
    for (const auto& [what, entry] : unknown_) {
        all.push_back(fmt::format("attribute {} of {} is not known and was ignored in {}{}{}",
                                  what.second, what.first, entry.count,
                                  entry.count == 1 ? " layer: " : " layers, first: ", entry.first));
    }
    all.insert(all.end(), notes_.begin(), notes_.end());
    if (options.strict && !all.empty()) {
        std::string text;
        for (const std::string& finding : all) {
            text += (text.empty() ? "" : "; ") + finding;
        }
        source.fail(text);
    }
    if (options.on_warning) {
        for (const std::string& finding : all) {
            options.on_warning(finding);
        }
    }
}

void read_ir_attributes(const IrLayer& layer,
                        Attributes& attributes,
                        const IrSource& source,
                        IrFindings& findings) {
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
    for (const pugi::xml_attribute found : data.attributes()) {
        const bool known = std::any_of(items.begin(), items.end(), [&](const NamedAttribute& i) {
            return i.name == found.name();
        });
        if (!known && !is_harmless_attribute(layer.operation.type, found.name(), found.value())) {
            findings.unknown_attribute(layer, found.name(), found.value(),
                                       did_you_mean(found.name(), missing_names(items, data)));
        }
    }
}

std::vector<IrAttributeFault> attribute_faults(pugi::xml_node layer, Attributes& attributes) {
    const pugi::xml_node data = layer.child("data");
    const auto items = list_attributes(attributes);
    if (std::any_of(items.begin(), items.end(), [](const NamedAttribute& item) {
            return std::holds_alternative<std::shared_ptr<Model>*>(item.ref);
        })) {
        return {};
    }
    std::vector<IrAttributeFault> faults;
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
