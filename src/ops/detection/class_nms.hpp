// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The common half of MatrixNms and MulticlassNms: attributes, shapes, order and outputs.
#pragma once

#include <vector>

#include "fuseq/attributes.hpp"
#include "ops/detection/boxes.hpp"
#include "ops/for_each_task.hpp"
#include "ops/op_spec.hpp"

namespace fuseq {

enum class SortResult { kClassId, kScore, kNone };
template <>
struct EnumNames<SortResult> {
    static constexpr const char* kNames[] = {"classid", "score", "none"};
};

struct ClassNmsAttrs : Attributes {
    SortResult sort_result_type = SortResult::kNone;
    bool sort_result_across_batch = false;
    ElementType output_type = ElementType::i64;
    float score_threshold = 0.0F;
    std::int64_t nms_top_k = -1;
    std::int64_t keep_top_k = -1;
    std::int64_t background_class = -1;
    bool normalized = true;
    void visit(AttributeVisitor& v) override {
        v.optional("sort_result_type", sort_result_type);
        v.optional("sort_result_across_batch", sort_result_across_batch);
        v.optional("output_type", output_type);
        v.optional("score_threshold", score_threshold);
        v.optional("nms_top_k", nms_top_k);
        v.optional("keep_top_k", keep_top_k);
        v.optional("background_class", background_class);
        v.optional("normalized", normalized);
    }
};

struct Detection {
    std::size_t image = 0;
    std::size_t label = 0;
    std::size_t index = 0;  // of the box in its image
    double score = 0;
    std::int64_t number = 0;  // what selected_indices shows
};

// Boxes and scores of one class of one image. Strides are in elements.
template <class T>
struct ClassView {
    const T* boxes;
    const T* scores;
    std::size_t count;
    CornerBox box(std::size_t i) const {
        const T* p = boxes + i * 4;
        return {static_cast<double>(p[0]), static_cast<double>(p[1]), static_cast<double>(p[2]),
                static_cast<double>(p[3])};
    }
    double score(std::size_t i) const { return static_cast<double>(scores[i]); }
};

// Validates and sets the three outputs. Boxes [N,M,4], scores [N,C,M]; with a third input boxes
// [C,M,4], scores [C,M], and the number of boxes of each image.
void infer_class_nms(InferContext& context, const ClassNmsAttrs& attrs);

// Positions of the scores above (or at, if `inclusive`) the threshold, best first, at most
// nms_top_k of them.
template <class T>
std::vector<std::size_t> best_candidates(const ClassView<T>& view,
                                         const ClassNmsAttrs& attrs,
                                         bool inclusive);

// Suppresses one class: gives `index` and `score` of what is kept, in any order.
template <class T>
using SuppressClass = std::vector<Detection> (*)(const ClassView<T>& view,
                                                 const ClassNmsAttrs& attrs);

// Runs it over all images and classes and writes the outputs.
void run_class_nms(EvalContext& context,
                   const ClassNmsAttrs& attrs,
                   SuppressClass<float> suppress_f32,
                   SuppressClass<double> suppress_f64,
                   ForEachTask for_each = one_task_at_a_time);

}  // namespace fuseq
