// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/detection/non_max_suppression.hpp"

namespace fuseq {

// Of NonMaxSuppression it has the order and the type of the output.
struct NmsRotatedAttrs final : NonMaxSuppressionAttrs {
    bool clockwise = true;  // the direction of positive angles
    void visit(AttributeVisitor& v) override {
        v.optional("sort_result_descending", sort_result_descending);
        v.optional("output_type", output_type);
        v.optional("clockwise", clockwise);
    }
    std::unique_ptr<Attributes> clone() const override {
        return std::make_unique<NmsRotatedAttrs>(*this);
    }
};

}  // namespace fuseq
