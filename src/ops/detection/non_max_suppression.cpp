// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/detection/non_max_suppression.hpp"

#include <vector>

#include "ops/detection/nms_suppress.hpp"
#include "ops/op_list.hpp"
#include "ops/scalars.hpp"

namespace fuseq::non_max_suppression_ops {
namespace {

// Number of rows that the output has (opsets 1 to 4) or has at most.
Dimension row_limit(int version,
                    const Dimension& images,
                    const Dimension& classes,
                    const Dimension& boxes,
                    const Dimension& max_boxes) {
    return version < 4 ? smaller(boxes, max_boxes * classes)
                       : smaller(boxes, max_boxes) * classes * images;
}

void check(const InferContext& context, const NonMaxSuppressionAttrs& attrs) {
    const ElementType type = attrs.output_type;
    context.require(type == ElementType::i32 || type == ElementType::i64, "output_type is ",
                    to_string(type), ", expected i32 or i64");
    context.require(is_real(context.type(kBoxes)), "boxes are ", to_string(context.type(kBoxes)),
                    ", expected a real type");
    context.require_same_type(kBoxes, kScores);
    require_int_scalar(context, kMaxBoxes, "max_output_boxes_per_class");
    require_real_scalar(context, kIouThreshold, "iou_threshold");
    require_real_scalar(context, kScoreThreshold, "score_threshold");
    require_real_scalar(context, kSigma, "soft_nms_sigma");
}

template <class T>
void write_indices(Tensor& tensor, const std::vector<NmsKept>& kept) {
    T* out = tensor.data<T>();
    std::fill(out, out + tensor.get_size(), T{-1});
    for (std::size_t i = 0; i < kept.size(); ++i) {
        out[i * 3] = static_cast<T>(kept[i].image);
        out[i * 3 + 1] = static_cast<T>(kept[i].label);
        out[i * 3 + 2] = static_cast<T>(kept[i].index);
    }
}

template <class T>
void write_scores(Tensor& tensor, const std::vector<NmsKept>& kept) {
    T* out = tensor.data<T>();
    std::fill(out, out + tensor.get_size(), T{-1});
    for (std::size_t i = 0; i < kept.size(); ++i) {
        out[i * 3] = static_cast<T>(kept[i].image);
        out[i * 3 + 1] = static_cast<T>(kept[i].label);
        out[i * 3 + 2] = static_cast<T>(kept[i].score);
    }
}

void write_outputs(EvalContext& context, const std::vector<NmsKept>& kept, std::size_t rows) {
    const bool wide = context.output_type() == ElementType::i64;
    Tensor& indices = context.output(0, {rows, 3});
    wide ? write_indices<std::int64_t>(indices, kept) : write_indices<std::int32_t>(indices, kept);
    if (context.output_count() < 3) {
        return;
    }
    Tensor& scores = context.output(1, {rows, 3});
    if (context.output_type(1) == ElementType::f32) {
        write_scores<float>(scores, kept);
    } else {
        write_scores<double>(scores, kept);
    }
    Tensor& count = context.output(2, {1});
    if (wide) {
        *count.data<std::int64_t>() = static_cast<std::int64_t>(kept.size());
    } else {
        *count.data<std::int32_t>() = static_cast<std::int32_t>(kept.size());
    }
}

void infer(InferContext& context) {
    infer_nms(context, 4);
}

void evaluate(EvalContext& context) {
    const BoxEncoding encoding = context.attrs<NonMaxSuppressionAttrs>().box_encoding;
    run_nms(context, 4, [&](const auto* numbers) { return nms_box(numbers, encoding); });
}

OpSpec row(int version,
           Arity inputs,
           std::unique_ptr<Attributes> (*attributes)(),
           std::string_view summary) {
    return {.type = "NonMaxSuppression",
            .version = version,
            .inputs = inputs,
            .make_attributes = attributes,
            .infer = infer,
            .evaluate = evaluate,
            .summary = summary,
            .refused = "negative max_output_boxes_per_class"};
}

const OpSpec kOps[] = {
    row(1,
        {2, 5},
        make_attributes<NonMaxSuppressionAttrs>,
        "Best boxes that do not overlap, for every class; rows beyond the last one are -1"),
    row(3, {2, 5}, make_attributes<NonMaxSuppression3Attrs>, "The same, with a type of the output"),
    row(4, {2, 5}, make_attributes<NonMaxSuppression3Attrs>, "The same, with rows for all classes"),
    row(5,
        {2, 6},
        make_attributes<NonMaxSuppression5Attrs>,
        "As many rows as boxes were found; scores; soft suppression"),
    row(9, {2, 6}, make_attributes<NonMaxSuppression5Attrs>, "The same"),
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::non_max_suppression_ops

namespace fuseq {

void infer_nms(InferContext& context, std::int64_t numbers_of_a_box) {
    const auto& attrs = context.attrs<NonMaxSuppressionAttrs>();
    non_max_suppression_ops::check(context, attrs);
    PartialShape boxes = context.shape(kBoxes);
    PartialShape scores = context.shape(kScores);
    boxes = boxes.rank_is_static() ? boxes : PartialShape::dynamic(3);
    scores = scores.rank_is_static() ? scores : PartialShape::dynamic(3);
    const bool fits = boxes.rank() == 3 && scores.rank() == 3 &&
                      boxes[2].compatible(numbers_of_a_box) && boxes[0].compatible(scores[0]) &&
                      boxes[1].compatible(scores[2]);
    context.require(fits, "boxes have shape ", to_string(boxes), ", scores ", to_string(scores),
                    ", expected [N,B,", numbers_of_a_box, "] and [N,C,B]");
    const auto max_boxes = known_int(context, kMaxBoxes, 0);
    context.require(!max_boxes || *max_boxes >= 0, "max_output_boxes_per_class is ",
                    max_boxes.value_or(0), ", expected 0 or more");
    Dimension images;
    Dimension count;
    Dimension::merge(images, boxes[0], scores[0]);
    Dimension::merge(count, boxes[1], scores[2]);
    const int version = context.node().spec().version;
    Dimension rows = non_max_suppression_ops::row_limit(
        version, images, scores[1], count,
        max_boxes ? Dimension(*max_boxes) : Dimension::dynamic());
    if (version >= 5 && !attrs.pad_rows) {
        rows = up_to(rows);
    }
    context.set_output_count(version >= 5 ? 3 : 1);
    context.set_output(0, attrs.output_type, {rows, 3});
    if (version >= 5) {
        context.set_output(1, context.type(kScores), {rows, 3});
        context.set_output(2, attrs.output_type, {1});
    }
}

NmsSizes nms_sizes(const EvalContext& context, std::size_t numbers_of_a_box) {
    const Shape& boxes = context.input(kBoxes).get_shape();
    const Shape& scores = context.input(kScores).get_shape();
    context.require(boxes.size() == 3 && scores.size() == 3 && boxes[2] == numbers_of_a_box &&
                        boxes[0] == scores[0] && boxes[1] == scores[2],
                    "boxes have shape ", to_string(boxes), ", scores ", to_string(scores),
                    ", expected [N,B,", numbers_of_a_box, "] and [N,C,B]");
    return {scores[0], scores[1], boxes[1]};
}

NmsLimits nms_limits(const EvalContext& context) {
    NmsLimits limits;
    const std::int64_t max_boxes = int_input(context, kMaxBoxes, "max_output_boxes_per_class", 0);
    context.require(max_boxes >= 0, "max_output_boxes_per_class is ", max_boxes,
                    ", expected 0 or more");
    limits.max_boxes = static_cast<std::size_t>(max_boxes);
    limits.iou = scalar_input(context, kIouThreshold, "iou_threshold", 0);
    limits.score = scalar_input(context, kScoreThreshold, "score_threshold", 0);
    limits.sigma = scalar_input(context, kSigma, "soft_nms_sigma", 0);
    context.require(limits.sigma >= 0, "soft_nms_sigma is ", limits.sigma, ", expected 0 or more");
    return limits;
}

void finish_nms(EvalContext& context,
                const NmsSizes& sizes,
                const NmsLimits& limits,
                std::vector<NmsKept>& kept) {
    const auto& attrs = context.attrs<NonMaxSuppressionAttrs>();
    if (attrs.sort_result_descending) {
        std::stable_sort(kept.begin(), kept.end(),
                         [](const NmsKept& a, const NmsKept& b) { return a.score > b.score; });
    }
    std::size_t rows = kept.size();
    const int version = context.node().spec().version;
    if (version < 5 || attrs.pad_rows) {
        const auto dim = [](std::size_t size) {
            return Dimension(static_cast<std::int64_t>(size));
        };
        const Dimension limit =
            non_max_suppression_ops::row_limit(version, dim(sizes.images), dim(sizes.classes),
                                               dim(sizes.boxes), dim(limits.max_boxes));
        rows = static_cast<std::size_t>(limit.get_max_length());
        kept.resize(std::min(kept.size(), rows));
    }
    non_max_suppression_ops::write_outputs(context, kept, rows);
}

}  // namespace fuseq
