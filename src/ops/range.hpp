// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

// Range-4; Range-1 has no attributes and gives the type of its inputs.
struct RangeAttrs final : AttributesOf<RangeAttrs> {
    ElementType output_type = ElementType::undefined;
    void visit(AttributeVisitor& v) override { v.required("output_type", output_type); }
};

}  // namespace fuseq
