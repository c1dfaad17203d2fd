// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fuseq/attributes.hpp"

namespace fuseq {

struct PriorBoxClusteredAttrs final : AttributesOf<PriorBoxClusteredAttrs> {
    std::vector<float> width;  // of the boxes, in pixels of the image
    std::vector<float> height;
    bool clip = false;
    float step = 0;  // pixels between centres, for a step_w or step_h of 0; 0: image / layer
    float step_w = 0;
    float step_h = 0;
    float offset = 0;             // of the first centre, in steps
    std::vector<float> variance;  // 1 or 4 values; none: 0.1
    void visit(AttributeVisitor& v) override {
        v.required("width", width);
        v.required("height", height);
        v.optional("clip", clip);
        v.optional("step", step);
        v.optional("step_w", step_w);
        v.optional("step_h", step_h);
        v.required("offset", offset);
        v.optional("variance", variance);
    }
};

}  // namespace fuseq
