// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/broadcast.hpp"

namespace fuseq {

// Add, Subtract, Multiply, ...
struct BinaryAttrs final : AttributesOf<BinaryAttrs> {
    AutoBroadcast auto_broadcast = AutoBroadcast::kNumpy;
    std::int64_t axis = -1;  // for pdpd
    void visit(AttributeVisitor& v) override {
        v.optional("auto_broadcast", auto_broadcast);
        v.optional("axis", axis);
    }
};

}  // namespace fuseq
