// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Operations of Detectron's two-stage detectors (Faster and Mask R-CNN). Sides of their boxes count
// both end pixels.
#pragma once

#include <vector>

#include "fuseq/attributes.hpp"

namespace fuseq {

struct DetectronDetectionOutputAttrs final : AttributesOf<DetectronDetectionOutputAttrs> {
    float score_threshold = 0.0F;
    float nms_threshold = 0.0F;
    std::int64_t num_classes = 1;
    std::int64_t post_nms_count = 1;
    std::int64_t max_detections_per_image = 1;
    bool class_agnostic_box_regression = false;  // without the background, which never comes out
    float max_delta_log_wh = 0.0F;
    std::vector<float> deltas_weights;
    void visit(AttributeVisitor& v) override {
        v.required("score_threshold", score_threshold);
        v.required("nms_threshold", nms_threshold);
        v.required("num_classes", num_classes);
        v.required("post_nms_count", post_nms_count);
        v.required("max_detections_per_image", max_detections_per_image);
        v.optional("class_agnostic_box_regression", class_agnostic_box_regression);
        v.required("max_delta_log_wh", max_delta_log_wh);
        v.required("deltas_weights", deltas_weights);
    }
};

struct DetectronProposalsAttrs final : AttributesOf<DetectronProposalsAttrs> {
    float min_size = 0.0F;
    float nms_threshold = 0.0F;
    std::int64_t pre_nms_count = 1;
    std::int64_t post_nms_count = 1;
    void visit(AttributeVisitor& v) override {
        v.required("min_size", min_size);
        v.required("nms_threshold", nms_threshold);
        v.required("pre_nms_count", pre_nms_count);
        v.required("post_nms_count", post_nms_count);
    }
};

struct DetectronPriorGridAttrs final : AttributesOf<DetectronPriorGridAttrs> {
    bool flatten = true;
    std::int64_t h = 0;  // 0: of the feature map
    std::int64_t w = 0;
    float stride_x = 0.0F;  // 0: of the image over the grid
    float stride_y = 0.0F;
    void visit(AttributeVisitor& v) override {
        v.optional("flatten", flatten);
        v.optional("h", h);
        v.optional("w", w);
        v.optional("stride_x", stride_x);
        v.optional("stride_y", stride_y);
    }
};

struct DetectronRoiFeaturesAttrs final : AttributesOf<DetectronRoiFeaturesAttrs> {
    std::int64_t output_size = 1;
    std::int64_t sampling_ratio = 0;
    std::vector<std::int64_t> pyramid_scales;
    bool aligned = false;
    void visit(AttributeVisitor& v) override {
        v.required("output_size", output_size);
        v.required("sampling_ratio", sampling_ratio);
        v.required("pyramid_scales", pyramid_scales);
        v.optional("aligned", aligned);
    }
};

struct DetectronTopKRoisAttrs final : AttributesOf<DetectronTopKRoisAttrs> {
    std::int64_t max_rois = 0;
    void visit(AttributeVisitor& v) override { v.optional("max_rois", max_rois); }
};

}  // namespace fuseq
