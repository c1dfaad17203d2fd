// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

struct ClampAttrs final : AttributesOf<ClampAttrs> {
    float min = 0;
    float max = 0;
    void visit(AttributeVisitor& v) override {
        v.required("min", min);
        v.required("max", max);
    }
};

}  // namespace fuseq
