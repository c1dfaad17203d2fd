// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

struct OneHotAttrs final : AttributesOf<OneHotAttrs> {
    std::int64_t axis = -1;  // of the new dimension, in dst
    void visit(AttributeVisitor& v) override { v.required("axis", axis); }
};

}  // namespace fuseq
