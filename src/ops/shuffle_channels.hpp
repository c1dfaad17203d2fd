// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

struct ShuffleChannelsAttrs final : AttributesOf<ShuffleChannelsAttrs> {
    std::int64_t axis = 1;
    std::int64_t group = 1;
    void visit(AttributeVisitor& v) override {
        v.optional("axis", axis);
        v.optional("group", group);
    }
};

}  // namespace fuseq
