// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

// What an empty segment gets: 0 or the lowest value of the type.
enum class SegmentFill { kZero, kLowest };
template <>
struct EnumNames<SegmentFill> {
    static constexpr const char* kNames[] = {"ZERO", "LOWEST"};
};

struct SegmentMaxAttrs final : AttributesOf<SegmentMaxAttrs> {
    SegmentFill fill_mode = SegmentFill::kZero;
    void visit(AttributeVisitor& v) override { v.required("fill_mode", fill_mode); }
};

}  // namespace fuseq
