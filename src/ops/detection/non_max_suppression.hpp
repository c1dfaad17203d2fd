// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fuseq/attributes.hpp"
#include "ops/detection/boxes.hpp"
#include "ops/op_spec.hpp"

namespace fuseq {

enum class BoxEncoding { kCorner, kCenter };
template <>
struct EnumNames<BoxEncoding> {
    static constexpr const char* kNames[] = {"corner", "center"};
};

struct NonMaxSuppressionAttrs : AttributesOf<NonMaxSuppressionAttrs> {
    BoxEncoding box_encoding = BoxEncoding::kCorner;
    bool sort_result_descending = true;
    ElementType output_type = ElementType::i64;  // an attribute from opset 3 on
    bool pad_rows = false;                       // from opset 5 on
    void visit(AttributeVisitor& v) override {
        v.optional("box_encoding", box_encoding);
        v.optional("sort_result_descending", sort_result_descending);
    }
};

struct NonMaxSuppression3Attrs : NonMaxSuppressionAttrs {
    void visit(AttributeVisitor& v) override {
        NonMaxSuppressionAttrs::visit(v);
        v.optional("output_type", output_type);
    }
    std::unique_ptr<Attributes> clone() const override {
        return std::make_unique<NonMaxSuppression3Attrs>(*this);
    }
};

struct NonMaxSuppression5Attrs final : NonMaxSuppression3Attrs {
    void visit(AttributeVisitor& v) override {
        NonMaxSuppression3Attrs::visit(v);
        // Set by the reader where an old IR declares a fixed number of rows: outputs 0 and 1 have
        // as many rows as there can be boxes, and what no box fills is -1.
        v.internal("pad_rows", pad_rows);
    }
    std::unique_ptr<Attributes> clone() const override {
        return std::make_unique<NonMaxSuppression5Attrs>(*this);
    }
};

// Inputs: boxes [N, B, 4], scores [N, C, B], and numbers. NMSRotated has the same, with 5 numbers a
// box.
enum NmsPort : std::size_t { kBoxes, kScores, kMaxBoxes, kIouThreshold, kScoreThreshold, kSigma };

// Validates and sets the outputs.
void infer_nms(InferContext& context, std::int64_t numbers_of_a_box);

// --- for kernels, in this order
// ----------------------------------------------------------------------

// Boxes [images, boxes, 4] and scores [images, classes, boxes]; checked against each other.
struct NmsSizes {
    std::size_t images = 0;
    std::size_t classes = 0;
    std::size_t boxes = 0;
};
NmsSizes nms_sizes(const EvalContext& context, std::size_t numbers_of_a_box = 4);

struct NmsLimits {
    std::size_t max_boxes = 0;  // boxes of a class
    double iou = 0;
    double score = 0;
    double sigma = 0;
};
NmsLimits nms_limits(const EvalContext& context);

template <class T>
CornerBox nms_box(const T* p, BoxEncoding encoding) {
    const double v[] = {static_cast<double>(p[0]), static_cast<double>(p[1]),
                        static_cast<double>(p[2]), static_cast<double>(p[3])};
    if (encoding == BoxEncoding::kCenter) {
        return {v[0] - v[2] / 2, v[1] - v[3] / 2, v[0] + v[2] / 2, v[1] + v[3] / 2};
    }
    // Any two opposite corners. y stands first, which changes nothing here.
    return {std::min(v[0], v[2]), std::min(v[1], v[3]), std::max(v[0], v[2]), std::max(v[1], v[3])};
}

struct NmsKept {
    std::size_t image = 0;
    std::size_t label = 0;
    std::size_t index = 0;
    double score = 0;
};
// Sorts what was kept, which stands in the order of images and classes, and writes the outputs.
void finish_nms(EvalContext& context,
                const NmsSizes& sizes,
                const NmsLimits& limits,
                std::vector<NmsKept>& kept);

}  // namespace fuseq
