// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fuseq/attributes.hpp"
#include "ops/detection/boxes.hpp"

namespace fuseq {

struct ProposalAttrs final : AttributesOf<ProposalAttrs> {
    std::int64_t base_size = 16;
    std::int64_t pre_nms_topn = 1;
    std::int64_t post_nms_topn = 1;
    float nms_thresh = 0.0F;
    std::int64_t feat_stride = 1;
    std::int64_t min_size = 1;
    std::vector<float> ratio;
    std::vector<float> scale;
    bool clip_before_nms = true;
    bool clip_after_nms = false;
    bool normalize = false;
    float box_size_scale = 1.0F;
    float box_coordinate_scale = 1.0F;
    std::string framework;  // "tensorflow", or anything else for Caffe
    void visit(AttributeVisitor& v) override {
        v.required("base_size", base_size);
        v.required("pre_nms_topn", pre_nms_topn);
        v.required("post_nms_topn", post_nms_topn);
        v.required("nms_thresh", nms_thresh);
        v.required("feat_stride", feat_stride);
        v.required("min_size", min_size);
        v.required("ratio", ratio);
        v.required("scale", scale);
        v.optional("clip_before_nms", clip_before_nms);
        v.optional("clip_after_nms", clip_after_nms);
        v.optional("normalize", normalize);
        v.optional("box_size_scale", box_size_scale);
        v.optional("box_coordinate_scale", box_coordinate_scale);
        v.optional("framework", framework);
    }
    bool tensorflow() const { return framework == "tensorflow"; }
};

// The boxes around the cell at the origin, ratios outside, scales inside. The sides of a Caffe box
// include both end pixels.
std::vector<CornerBox> proposal_anchors(const ProposalAttrs& attrs);

}  // namespace fuseq
