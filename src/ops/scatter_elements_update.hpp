// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

enum class ScatterReduction { kNone, kSum, kProd, kMin, kMax, kMean };
template <>
struct EnumNames<ScatterReduction> {
    static constexpr const char* kNames[] = {"none", "sum", "prod", "min", "max", "mean"};
};

// ScatterElementsUpdate-12; -3 has no attributes and replaces.
struct ScatterElementsAttrs final : AttributesOf<ScatterElementsAttrs> {
    ScatterReduction reduction = ScatterReduction::kNone;
    bool use_init_val = true;  // the element of data takes part in the reduction
    void visit(AttributeVisitor& v) override {
        v.optional("reduction", reduction);
        v.optional("use_init_val", use_init_val);
    }
};

}  // namespace fuseq
