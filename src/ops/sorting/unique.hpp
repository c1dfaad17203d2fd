// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

struct UniqueAttrs final : AttributesOf<UniqueAttrs> {
    bool sorted = true;  // else in the order in which they first occur
    ElementType index_element_type = ElementType::i64;
    ElementType count_element_type = ElementType::i64;
    void visit(AttributeVisitor& v) override {
        v.optional("sorted", sorted);
        v.optional("index_element_type", index_element_type);
        v.optional("count_element_type", count_element_type);
    }
};

}  // namespace fuseq
