// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Attributes of the Model's operations, by name, as docs/operations.md lists them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "ops/op_spec.hpp"

namespace fuseq::readers {

using AttributeValue = std::variant<bool,
                                    std::int64_t,
                                    float,
                                    std::string,
                                    ElementType,
                                    std::vector<std::int64_t>,
                                    std::vector<float>,
                                    std::vector<std::string>>;

// Enumerations are given by their text. All members are defined in one place: gcc 12 sees variants
// of this kind as uninitialized wherever it can look into them.
class ModelAttribute {
public:
    ModelAttribute(const char* name, bool value);
    ModelAttribute(const char* name, std::int64_t value);
    ModelAttribute(const char* name, float value);
    ModelAttribute(const char* name, const char* value);
    ModelAttribute(const char* name, const std::string& value);
    ModelAttribute(const char* name, ElementType value);
    ModelAttribute(const char* name, const std::vector<std::int64_t>& value);
    ModelAttribute(const char* name, const std::vector<float>& value);
    ModelAttribute(const char* name, const std::vector<std::string>& value);
    ModelAttribute(const ModelAttribute& other);
    ModelAttribute& operator=(const ModelAttribute& other);
    ~ModelAttribute();

    const char* name() const { return name_; }
    const AttributeValue& value() const { return value_; }

private:
    const char* name_;
    AttributeValue value_;
};
using ModelAttributes = std::vector<ModelAttribute>;

// Fresh attributes of the operation with these values. Throws Error("read") for a name or a kind
// that the operation does not have.
std::unique_ptr<Attributes> make_model_attributes(const OpSpec& spec,
                                                  const ModelAttributes& values);

}  // namespace fuseq::readers
