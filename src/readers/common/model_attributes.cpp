// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/common/model_attributes.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace fuseq::readers {
namespace {

// Whether the member could take the value.
bool assign(const AttributeRef& member, const AttributeValue& value) {
    if (const auto* text = std::get_if<std::string>(&value);
        text != nullptr && std::holds_alternative<EnumRef>(member)) {
        attribute_from_text(member, *text);
        return true;
    }
    return std::visit(
        [&]<class T>(const T& typed) {
            T* const* target = std::get_if<T*>(&member);
            if (target != nullptr) {
                **target = typed;
            }
            return target != nullptr;
        },
        value);
}

}  // namespace

ModelAttribute::ModelAttribute(const char* name, bool value) : name_(name), value_(value) {}
ModelAttribute::ModelAttribute(const char* name, std::int64_t value) : name_(name), value_(value) {}
ModelAttribute::ModelAttribute(const char* name, float value) : name_(name), value_(value) {}
ModelAttribute::ModelAttribute(const char* name, const char* value)
    : name_(name), value_(std::string(value)) {}
ModelAttribute::ModelAttribute(const char* name, const std::string& value)
    : name_(name), value_(value) {}
ModelAttribute::ModelAttribute(const char* name, ElementType value) : name_(name), value_(value) {}
ModelAttribute::ModelAttribute(const char* name, const std::vector<std::int64_t>& value)
    : name_(name), value_(value) {}
ModelAttribute::ModelAttribute(const char* name, const std::vector<float>& value)
    : name_(name), value_(value) {}
ModelAttribute::ModelAttribute(const char* name, const std::vector<std::string>& value)
    : name_(name), value_(value) {}
ModelAttribute::ModelAttribute(const ModelAttribute& other) = default;
ModelAttribute& ModelAttribute::operator=(const ModelAttribute& other) = default;
ModelAttribute::~ModelAttribute() = default;

std::unique_ptr<Attributes> make_model_attributes(const OpSpec& spec,
                                                  const ModelAttributes& values) {
    std::unique_ptr<Attributes> attributes = spec.make_attributes();
    const std::vector<NamedAttribute> members = list_attributes(*attributes);
    for (const ModelAttribute& value : values) {
        const auto found = std::find_if(members.begin(), members.end(),
                                        [&](const auto& one) { return one.name == value.name(); });
        if (found == members.end() || !assign(found->ref, value.value())) {
            throw Error("read", fmt::format("operation {}-{} has no attribute {} of that kind",
                                            spec.type, spec.version, value.name()));
        }
    }
    return attributes;
}

}  // namespace fuseq::readers
