// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

struct GroupNormalizationAttrs final : AttributesOf<GroupNormalizationAttrs> {
    std::int64_t num_groups = 1;
    float epsilon = 0.0F;
    void visit(AttributeVisitor& v) override {
        v.required("num_groups", num_groups);
        v.required("epsilon", epsilon);
    }
};

}  // namespace fuseq
