// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

struct IsInfAttrs final : AttributesOf<IsInfAttrs> {
    bool detect_negative = true;
    bool detect_positive = true;
    void visit(AttributeVisitor& v) override {
        v.optional("detect_negative", detect_negative);
        v.optional("detect_positive", detect_positive);
    }
};

}  // namespace fuseq
