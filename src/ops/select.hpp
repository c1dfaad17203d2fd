// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/broadcast.hpp"

namespace fuseq {

struct SelectAttrs final : AttributesOf<SelectAttrs> {
    AutoBroadcast auto_broadcast = AutoBroadcast::kNumpy;
    void visit(AttributeVisitor& v) override { v.optional("auto_broadcast", auto_broadcast); }
};

}  // namespace fuseq
