// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

struct CumSumAttrs final : AttributesOf<CumSumAttrs> {
    bool exclusive = false;  // the element itself is left out
    bool reverse = false;    // from the end
    void visit(AttributeVisitor& v) override {
        v.optional("exclusive", exclusive);
        v.optional("reverse", reverse);
    }
};

}  // namespace fuseq
