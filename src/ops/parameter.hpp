// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

struct ParameterAttrs final : AttributesOf<ParameterAttrs> {
    PartialShape shape;
    ElementType element_type = ElementType::undefined;
    void visit(AttributeVisitor& v) override {
        v.required("shape", shape);
        v.required("element_type", element_type);
    }
};

}  // namespace fuseq
