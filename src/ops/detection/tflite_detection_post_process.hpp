// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "fuseq/attributes.hpp"

namespace fuseq {

// What TFLite's SSD models end with.
//
//   TfliteDetectionPostProcess(encodings f32 [1, N, 4 or more], scores f32 [1, N, C], anchors f32 [N, 4])
//     -> boxes f32 [1, D, 4] as y1, x1, y2, x2, classes f32 [1, D], scores f32 [1, D], count f32 [1]
//
// D = max_detections * max_classes_per_detection. Scores that C has beyond num_classes come first and
// are those of the background. Encodings and anchors are y, x, height, width.
struct TfliteDetectionPostProcessAttrs final : AttributesOf<TfliteDetectionPostProcessAttrs> {
    std::int64_t max_detections = 0;
    std::int64_t max_classes_per_detection = 1;
    std::int64_t detections_per_class = 100;  // of use_regular_nms
    std::int64_t num_classes = 0;
    bool use_regular_nms = false;  // every class apart; else boxes by their best class
    float nms_score_threshold = 0.0F;
    float nms_iou_threshold = 0.0F;
    float y_scale = 1.0F;
    float x_scale = 1.0F;
    float h_scale = 1.0F;
    float w_scale = 1.0F;
    void visit(AttributeVisitor& v) override {
        v.required("max_detections", max_detections);
        v.required("max_classes_per_detection", max_classes_per_detection);
        v.optional("detections_per_class", detections_per_class);
        v.required("num_classes", num_classes);
        v.optional("use_regular_nms", use_regular_nms);
        v.required("nms_score_threshold", nms_score_threshold);
        v.required("nms_iou_threshold", nms_iou_threshold);
        v.required("y_scale", y_scale);
        v.required("x_scale", x_scale);
        v.required("h_scale", h_scale);
        v.required("w_scale", w_scale);
    }
};

}  // namespace fuseq
