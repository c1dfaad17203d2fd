// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fuseq/attributes.hpp"

namespace fuseq {

// Masks are lists of 0 and 1, one value an element of begin; missing ones are 0.
struct StridedSliceAttrs final : AttributesOf<StridedSliceAttrs> {
    std::vector<std::int64_t> begin_mask;  // 1: begin is ignored, the slice starts at the first
    std::vector<std::int64_t> end_mask;    // 1: end is ignored
    std::vector<std::int64_t> new_axis_mask;
    std::vector<std::int64_t> shrink_axis_mask;
    std::vector<std::int64_t> ellipsis_mask;
    void visit(AttributeVisitor& v) override {
        v.required("begin_mask", begin_mask);
        v.required("end_mask", end_mask);
        v.optional("new_axis_mask", new_axis_mask);
        v.optional("shrink_axis_mask", shrink_axis_mask);
        v.optional("ellipsis_mask", ellipsis_mask);
    }
};

}  // namespace fuseq
