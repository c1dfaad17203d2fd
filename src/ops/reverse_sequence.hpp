// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

struct ReverseSequenceAttrs final : AttributesOf<ReverseSequenceAttrs> {
    std::int64_t batch_axis = 0;
    std::int64_t seq_axis = 1;
    void visit(AttributeVisitor& v) override {
        v.optional("batch_axis", batch_axis);
        v.optional("seq_axis", seq_axis);
    }
};

}  // namespace fuseq
