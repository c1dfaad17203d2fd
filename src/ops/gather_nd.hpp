// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

struct GatherNdAttrs final : AttributesOf<GatherNdAttrs> {
    std::int64_t batch_dims = 0;
    void visit(AttributeVisitor& v) override { v.optional("batch_dims", batch_dims); }
};

}  // namespace fuseq
