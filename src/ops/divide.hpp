// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/binary_arithmetic.hpp"

namespace fuseq {

struct DivideAttrs final : AttributesOf<DivideAttrs> {
    AutoBroadcast auto_broadcast = AutoBroadcast::kNumpy;
    std::int64_t axis = -1;
    bool m_pythondiv = true;  // integers: rounded down; else towards zero
    void visit(AttributeVisitor& v) override {
        v.optional("auto_broadcast", auto_broadcast);
        v.optional("axis", axis);
        v.optional("m_pythondiv", m_pythondiv);
    }
};

}  // namespace fuseq
