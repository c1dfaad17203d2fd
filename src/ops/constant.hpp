// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

struct ConstAttrs final : AttributesOf<ConstAttrs> {
    Tensor value;
    void visit(AttributeVisitor& v) override { v.required("value", value); }
};

}  // namespace fuseq
