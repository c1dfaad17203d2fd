// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What detection models end with: boxes that do not overlap, and a custom operator of SSD models.
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

// Inputs: boxes [N, 4], scores [N], how many at most, IoU and score thresholds, and the sigma of
// version 5. Places that no box fills are 0.
Values non_max_suppression(Operator& op) {
    const bool soft = op.type() == "NON_MAX_SUPPRESSION_V5";
    const Output most = op.convert(op.reshape(op.input(2), {}), ElementType::i64);
    constexpr std::int64_t kLargest = std::int64_t{1} << 24;
    if (const auto known = op.known_ints(most)) {
        op.require(known->at(0) >= 0 && known->at(0) <= kLargest, "the number of boxes is ",
                   known->at(0), ", expected 0 to ", kLargest);
    }
    std::vector<Output> inputs{op.unsqueeze(op.input(0), {0}), op.unsqueeze(op.input(1), {0, 1}),
                               most, op.reshape(op.input(3), {}), op.reshape(op.input(4), {})};
    if (soft) {
        inputs.push_back(op.reshape(op.input(5), {}));
    }
    fuseq::Node* node = op.node("NonMaxSuppression", inputs,
                                {{"box_encoding", "corner"},
                                 {"sort_result_descending", true},
                                 {"output_type", ElementType::i32}});
    // Column 2 of [selected, 3], then nothing.
    const auto filled = [&](std::size_t port) {
        const Output rows = node->output(port);
        const Output column = op.add("Gather", {rows, op.int_scalar(2), op.int_scalar(1)});
        const Output nothing = op.add("Broadcast", {op.scalar(0, column), op.reshape(most, {1})});
        const Output both = op.add("Concat", {column, nothing}, {{"axis", std::int64_t{0}}});
        const Output cut = op.add("Slice", {both, op.int_list({0}), op.reshape(most, {1}),
                                            op.int_list({1}), op.int_list({0})});
        // Known where the number is.
        return op.add("Reshape", {cut, op.reshape(most, {1})}, {{"special_zero", false}});
    };
    Values values{{.plain = filled(0)}};
    if (soft) {
        values.push_back({.plain = filled(1)});
    }
    values.push_back({.plain = op.reshape(node->output(2), {})});
    return values;
}

const OperatorRow kRows[] = {
    {.type = "NON_MAX_SUPPRESSION_V4",
     .newest = 1,
     .translate = non_max_suppression,
     .note = "of equal scores the first comes first"},
    {.type = "NON_MAX_SUPPRESSION_V5",
     .newest = 1,
     .translate = non_max_suppression,
     .note = "of equal scores the first comes first"},
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
