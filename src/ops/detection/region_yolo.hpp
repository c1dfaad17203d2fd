// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fuseq/attributes.hpp"

namespace fuseq {

struct RegionYoloAttrs final : AttributesOf<RegionYoloAttrs> {
    std::vector<float> anchors;  // for the user's decoder; not computed with
    std::int64_t axis = 1;
    std::int64_t coords = 4;
    std::int64_t classes = 1;
    std::int64_t end_axis = 3;
    std::int64_t num = 1;
    bool do_softmax = true;
    std::vector<std::int64_t> mask;
    void visit(AttributeVisitor& v) override {
        v.optional("anchors", anchors);
        v.required("axis", axis);
        v.required("coords", coords);
        v.required("classes", classes);
        v.required("end_axis", end_axis);
        v.required("num", num);
        v.optional("do_softmax", do_softmax);
        v.optional("mask", mask);
    }
};

struct ReorgYoloAttrs final : AttributesOf<ReorgYoloAttrs> {
    std::vector<std::int64_t> stride;  // one value
    void visit(AttributeVisitor& v) override { v.required("stride", stride); }
};

}  // namespace fuseq
