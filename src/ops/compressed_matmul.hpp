// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"
#include "fuseq/element_type.hpp"

namespace fuseq {

// Types that compressed weights are stored in.
constexpr bool is_weight_code(ElementType type) {
    return type == ElementType::i8 || type == ElementType::u8 || type == ElementType::i4 ||
           type == ElementType::u4 || type == ElementType::nf4;
}

struct CompressedMatMulAttrs final : AttributesOf<CompressedMatMulAttrs> {
    bool transpose_b = false;  // codes are [N, K]
    void visit(AttributeVisitor& v) override { v.optional("transpose_b", transpose_b); }
};

}  // namespace fuseq
