// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Attributes of ReadValue and Assign.
#pragma once

#include <memory>
#include <string>

#include "fuseq/attributes.hpp"
#include "fuseq/node.hpp"

namespace fuseq {

struct VariableAttrs : Attributes {
    std::string variable_id;
};

// Assign, and ReadValue of opset3, whose input says type and shape.
struct VariableIdAttrs final : VariableAttrs {
    std::unique_ptr<Attributes> clone() const override {
        return std::make_unique<VariableIdAttrs>(*this);
    }
    void visit(AttributeVisitor& v) override { v.required("variable_id", variable_id); }
};

// ReadValue of opset6. Files of OpenVINO before 2023 do not state type and shape.
struct ReadValueAttrs final : VariableAttrs {
    ElementType variable_type = ElementType::undefined;
    PartialShape variable_shape = PartialShape::dynamic();

    std::unique_ptr<Attributes> clone() const override {
        return std::make_unique<ReadValueAttrs>(*this);
    }
    void visit(AttributeVisitor& v) override {
        v.required("variable_id", variable_id);
        v.optional("variable_type", variable_type);
        v.optional("variable_shape", variable_shape);
    }
};

// A node that is computed although its result is not read.
inline bool is_sink(const Node& node) {
    return node.is("Assign");
}

}  // namespace fuseq
