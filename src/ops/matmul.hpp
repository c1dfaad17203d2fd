// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

struct MatMulAttrs final : AttributesOf<MatMulAttrs> {
    bool transpose_a = false;
    bool transpose_b = false;
    void visit(AttributeVisitor& v) override {
        v.optional("transpose_a", transpose_a);
        v.optional("transpose_b", transpose_b);
    }
};

}  // namespace fuseq
