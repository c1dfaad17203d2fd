// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

struct GatherElementsAttrs final : AttributesOf<GatherElementsAttrs> {
    std::int64_t axis = 0;
    void visit(AttributeVisitor& v) override { v.required("axis", axis); }
};

}  // namespace fuseq
