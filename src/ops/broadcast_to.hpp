// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

enum class BroadcastMode { kNumpy, kExplicit, kBidirectional };
template <>
struct EnumNames<BroadcastMode> {
    static constexpr const char* kNames[] = {"numpy", "explicit", "bidirectional"};
};

// Broadcast-1 and -3; bidirectional is a mode of -3 only.
struct BroadcastAttrs final : AttributesOf<BroadcastAttrs> {
    BroadcastMode mode = BroadcastMode::kNumpy;
    void visit(AttributeVisitor& v) override { v.optional("mode", mode); }
};

}  // namespace fuseq
