// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fuseq/attributes.hpp"
#include "fuseq/shape.hpp"

namespace fuseq {

// ReduceMean, ReduceSum, ReduceProd, ReduceMax, ReduceMin, ReduceL1, ReduceL2, ReduceLogicalAnd,
// ReduceLogicalOr. Input 1 holds the axes.
struct ReduceAttrs final : AttributesOf<ReduceAttrs> {
    bool keep_dims = false;
    // Set by transformations, for ReduceMean and ReduceSum: an integer src is reduced to this real
    // type. Undefined: the type of src (the mean is then truncated).
    ElementType output_type = ElementType::undefined;
    void visit(AttributeVisitor& v) override {
        v.optional("keep_dims", keep_dims);
        v.internal("output_type", output_type);
    }
};

}  // namespace fuseq
