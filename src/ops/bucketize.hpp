// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

struct BucketizeAttrs final : AttributesOf<BucketizeAttrs> {
    ElementType output_type = ElementType::i64;
    bool with_right_bound = true;  // a value equal to a border belongs to the bucket before it
    void visit(AttributeVisitor& v) override {
        v.optional("output_type", output_type);
        v.optional("with_right_bound", with_right_bound);
    }
};

}  // namespace fuseq
