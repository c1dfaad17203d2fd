// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Boxes and regions.
#include <limits>

#include "readers/onnx/operator_table.hpp"

namespace fuseq::onnx_reader::detection_operators {
namespace {

using Outputs = std::vector<Output>;

Output one_value(Operator& op, std::size_t i, const Output& fallback) {
    if (!op.has_input(i)) {
        return fallback;
    }
    return op.rank(op.input(i)) == 0 ? op.input(i) : op.reshape(op.input(i), {});
}

Outputs non_max_suppression(Operator& op) {
    const Output boxes = op.input(0);
    const Output count = one_value(op, 2, op.int_scalar(0));
    const Output overlap = one_value(op, 3, op.scalar(0, boxes));
    const Output score = one_value(op, 4, op.scalar(std::numeric_limits<float>::lowest(), boxes));
    const bool center = op.attributes.integer("center_point_box", 0) != 0;
    return {op.add("NonMaxSuppression", {boxes, op.input(1), count, overlap, score},
                   {{"box_encoding", std::string(center ? "center" : "corner")},
                    {"sort_result_descending", false},
                    {"output_type", ElementType::i64}})};
}

Outputs roi_align(Operator& op) {
    const std::string fallback = op.version() < 16 ? "output_half_pixel" : "half_pixel";
    const std::string coordinates = op.attributes.text("coordinate_transformation_mode", fallback);
    op.require(coordinates == "half_pixel" || coordinates == "output_half_pixel",
               "attribute coordinate_transformation_mode is '", coordinates,
               "', expected half_pixel or output_half_pixel");
    const std::string mode = op.attributes.text("mode", "avg");
    op.require(mode == "avg" || mode == "max", "attribute mode is '", mode,
               "', expected avg or max");
    return {op.add("ROIAlign", {op.input(0), op.input(1), op.input(2)},
                   {{"pooled_h", op.attributes.integer("output_height", 1)},
                    {"pooled_w", op.attributes.integer("output_width", 1)},
                    {"sampling_ratio", op.attributes.integer("sampling_ratio", 0)},
                    {"spatial_scale", op.attributes.real("spatial_scale", 1.0F)},
                    {"mode", mode},
                    {"aligned_mode", std::string(coordinates == "half_pixel" ? "half_pixel_for_nn"
                                                                             : "asymmetric")}})};
}

const OperatorRow kRows[] = {
    {.type = "NonMaxSuppression", .since = 10, .translate = non_max_suppression},
    {.type = "RoiAlign", .since = 10, .translate = roi_align},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::onnx_reader::detection_operators
