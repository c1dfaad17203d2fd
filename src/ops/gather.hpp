// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

// Gather-7 and -8; Gather-1 has no attributes.
struct GatherAttrs final : AttributesOf<GatherAttrs> {
    std::int64_t batch_dims = 0;  // negative: counted from the rank of the indices
    void visit(AttributeVisitor& v) override { v.optional("batch_dims", batch_dims); }
};

}  // namespace fuseq
