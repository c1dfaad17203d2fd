// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

struct SearchSortedAttrs final : AttributesOf<SearchSortedAttrs> {
    bool right_mode = false;  // after equal elements of the sequence, else before them
    ElementType output_type = ElementType::i64;
    void visit(AttributeVisitor& v) override {
        v.optional("right_mode", right_mode);
        v.optional("output_type", output_type);
    }
};

}  // namespace fuseq
