// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

struct InverseAttrs final : AttributesOf<InverseAttrs> {
    bool adjoint = false;  // times the determinant: the adjugate matrix
    void visit(AttributeVisitor& v) override { v.optional("adjoint", adjoint); }
};

}  // namespace fuseq
