// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

struct GenerateProposalsAttrs final : AttributesOf<GenerateProposalsAttrs> {
    float min_size = 0.0F;
    float nms_threshold = 0.0F;
    std::int64_t pre_nms_count = 1;
    std::int64_t post_nms_count = 1;
    bool normalized = true;
    float nms_eta = 1.0F;
    ElementType roi_num_type = ElementType::i64;
    void visit(AttributeVisitor& v) override {
        v.required("min_size", min_size);
        v.required("nms_threshold", nms_threshold);
        v.required("pre_nms_count", pre_nms_count);
        v.required("post_nms_count", post_nms_count);
        v.optional("normalized", normalized);
        v.optional("nms_eta", nms_eta);
        v.optional("roi_num_type", roi_num_type);
    }
};

}  // namespace fuseq
