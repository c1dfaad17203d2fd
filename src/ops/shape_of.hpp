// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

// ShapeOf-3; ShapeOf-1 has no attributes.
struct ShapeOfAttrs final : AttributesOf<ShapeOfAttrs> {
    ElementType output_type = ElementType::i64;
    void visit(AttributeVisitor& v) override { v.optional("output_type", output_type); }
};

}  // namespace fuseq
