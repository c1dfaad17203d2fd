// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

// Inputs: query [..., L, E], key [..., S, E], value [..., S, Ev], [mask], [scale].
struct AttentionAttrs final : AttributesOf<AttentionAttrs> {
    bool causal = false;  // position l of the query sees the keys 0 to l; the mask is ignored then
    void visit(AttributeVisitor& v) override { v.required("causal", causal); }
};

}  // namespace fuseq
