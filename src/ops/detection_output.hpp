// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fuseq/attributes.hpp"

namespace fuseq {

enum class BoxCode { kCorner, kCenterSize };
template <>
struct EnumNames<BoxCode> {
    static constexpr const char* kNames[] = {"caffe.PriorBoxParameter.CORNER",
                                             "caffe.PriorBoxParameter.CENTER_SIZE"};
};

struct DetectionOutput8Attrs : AttributesOf<DetectionOutput8Attrs> {
    std::int64_t background_label_id = 0;
    std::int64_t top_k = -1;  // candidates of a class before suppression; -1: all
    bool variance_encoded_in_target = false;
    std::vector<std::int64_t> keep_top_k;  // [0]: detections of an image; -1: all
    BoxCode code_type = BoxCode::kCorner;
    bool share_location = true;
    float nms_threshold = 0;
    float confidence_threshold = 0;
    bool clip_after_nms = false;
    bool clip_before_nms = false;
    bool decrease_label_id = false;
    bool normalized = false;
    std::int64_t input_height = 1;
    std::int64_t input_width = 1;
    float objectness_score = 0;
    void visit(AttributeVisitor& v) override {
        v.optional("background_label_id", background_label_id);
        v.optional("top_k", top_k);
        v.optional("variance_encoded_in_target", variance_encoded_in_target);
        v.required("keep_top_k", keep_top_k);
        v.optional("code_type", code_type);
        v.optional("share_location", share_location);
        v.required("nms_threshold", nms_threshold);
        v.optional("confidence_threshold", confidence_threshold);
        v.optional("clip_after_nms", clip_after_nms);
        v.optional("clip_before_nms", clip_before_nms);
        v.optional("decrease_label_id", decrease_label_id);
        v.optional("normalized", normalized);
        v.optional("input_height", input_height);
        v.optional("input_width", input_width);
        v.optional("objectness_score", objectness_score);
    }
};

// DetectionOutput-1 states the number of classes; -8 takes it from the shapes.
struct DetectionOutput1Attrs final : DetectionOutput8Attrs {
    std::int64_t num_classes = 0;
    void visit(AttributeVisitor& v) override {
        v.required("num_classes", num_classes);
        DetectionOutput8Attrs::visit(v);
    }
    std::unique_ptr<Attributes> clone() const override {
        return std::make_unique<DetectionOutput1Attrs>(*this);
    }
};

}  // namespace fuseq
