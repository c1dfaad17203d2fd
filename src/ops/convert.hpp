// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

struct ConvertAttrs final : AttributesOf<ConvertAttrs> {
    ElementType destination_type = ElementType::undefined;
    void visit(AttributeVisitor& v) override { v.required("destination_type", destination_type); }
};

}  // namespace fuseq
