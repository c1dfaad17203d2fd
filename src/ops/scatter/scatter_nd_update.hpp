// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"
#include "ops/scatter/scatter_combine.hpp"

namespace fuseq {

template <>
struct EnumNames<Combine> {
    static constexpr const char* kNames[] = {"none", "sum", "sub", "prod", "min", "max"};
};

// ScatterNDUpdate-15; -3 has no attributes and replaces.
struct ScatterNdAttrs final : AttributesOf<ScatterNdAttrs> {
    Combine reduction = Combine::kReplace;
    void visit(AttributeVisitor& v) override { v.optional("reduction", reduction); }
};

}  // namespace fuseq
