// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

// SoftMax-1, SoftMax-8, LogSoftmax-5.
struct SoftmaxAttrs final : AttributesOf<SoftmaxAttrs> {
    std::int64_t axis = 1;
    void visit(AttributeVisitor& v) override { v.optional("axis", axis); }
};

}  // namespace fuseq
