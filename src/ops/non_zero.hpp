// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

struct NonZeroAttrs final : AttributesOf<NonZeroAttrs> {
    ElementType output_type = ElementType::i64;
    void visit(AttributeVisitor& v) override { v.optional("output_type", output_type); }
};

}  // namespace fuseq
