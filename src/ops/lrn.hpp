// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

struct LrnAttrs final : AttributesOf<LrnAttrs> {
    float alpha = 0.0F;
    float beta = 0.0F;
    float bias = 0.0F;
    std::int64_t size = 1;
    void visit(AttributeVisitor& v) override {
        v.required("alpha", alpha);
        v.required("beta", beta);
        v.required("bias", bias);
        v.required("size", size);
    }
};

}  // namespace fuseq
