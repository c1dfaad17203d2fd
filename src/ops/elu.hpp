// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

struct EluAttrs final : AttributesOf<EluAttrs> {
    float alpha = 1;
    void visit(AttributeVisitor& v) override { v.required("alpha", alpha); }
};

}  // namespace fuseq
