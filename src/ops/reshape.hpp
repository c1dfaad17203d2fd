// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

struct ReshapeAttrs final : AttributesOf<ReshapeAttrs> {
    bool special_zero = false;  // a 0 in the pattern keeps the size of src
    void visit(AttributeVisitor& v) override { v.optional("special_zero", special_zero); }
};

}  // namespace fuseq
