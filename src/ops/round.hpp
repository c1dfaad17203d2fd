// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

enum class RoundMode { kHalfToEven, kHalfAwayFromZero };
template <>
struct EnumNames<RoundMode> {
    static constexpr const char* kNames[] = {"half_to_even", "half_away_from_zero"};
};

struct RoundAttrs final : AttributesOf<RoundAttrs> {
    RoundMode mode = RoundMode::kHalfToEven;
    void visit(AttributeVisitor& v) override { v.optional("mode", mode); }
};

}  // namespace fuseq
