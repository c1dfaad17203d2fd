// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

// Split; VariadicSplit has no attributes.
struct SplitAttrs final : AttributesOf<SplitAttrs> {
    std::int64_t num_splits = 1;
    void visit(AttributeVisitor& v) override { v.required("num_splits", num_splits); }
};

}  // namespace fuseq
