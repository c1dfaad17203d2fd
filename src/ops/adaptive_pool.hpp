// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

// AdaptiveMaxPool-8; AdaptiveAvgPool-8 has no attributes.
struct AdaptiveMaxPoolAttrs final : AttributesOf<AdaptiveMaxPoolAttrs> {
    ElementType index_element_type = ElementType::i64;
    void visit(AttributeVisitor& v) override {
        v.optional("index_element_type", index_element_type);
    }
};

}  // namespace fuseq
