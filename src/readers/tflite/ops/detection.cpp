// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What SSD models end with, a custom operator.
#include "readers/tflite/custom_options.hpp"
#include "readers/tflite/operator_table.hpp"

namespace fuseq::tflite_reader::detection_operators {
namespace {

enum Input : std::size_t { kEncodings, kScores, kAnchors };
constexpr std::int64_t kDetectionsPerClass = 100;  // where the file states none

Values detection_post_process(Operator& op) {
    op.require(op.input_count() == 3, "has ", op.input_count(), " inputs, expected 3");
    const CustomOptions options(op);
    const auto detections_per_class = options.has("detections_per_class")
                                          ? options.integer("detections_per_class")
                                          : kDetectionsPerClass;
    const bool regular = options.has("use_regular_nms") && options.boolean("use_regular_nms");
    readers::ModelAttributes attributes{{"detections_per_class", detections_per_class},
                                        {"use_regular_nms", regular}};
    for (const char* name : {"max_detections", "max_classes_per_detection", "num_classes"}) {
        attributes.emplace_back(name, options.integer(name));
    }
    for (const char* name :
         {"nms_score_threshold", "nms_iou_threshold", "y_scale", "x_scale", "h_scale", "w_scale"}) {
        attributes.emplace_back(name, options.real(name));
    }
    return outputs_of(op.node("TfliteDetectionPostProcess",
                              {op.real(kEncodings), op.real(kScores), op.real(kAnchors)},
                              attributes));
}

const OperatorRow kRows[] = {
    {.type = "TFLite_Detection_PostProcess",
     .newest = 1,
     .translate = detection_post_process,
     .note = "custom; boxes without an area are an error of the inference",
     .custom = true},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::tflite_reader::detection_operators
