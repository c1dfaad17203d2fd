// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// TfliteDetectionPostProcess, in the order and the precision of TFLite's kernel: which of two equal
// scores comes first is a matter of its sorting functions.
#include "ops/detection/tflite_detection_post_process.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "ops/op_list.hpp"
#include "ops/op_spec.hpp"

namespace fuseq::tflite_detection_post_process_ops {
namespace {

using Attrs = TfliteDetectionPostProcessAttrs;

enum Port : std::size_t { kEncodings, kScores, kAnchors };
constexpr std::size_t kNumbersOfABox = 4;
constexpr std::int64_t kMaxDetections = std::int64_t{1} << 24;

Dimension dimension(const PartialShape& shape, std::size_t axis) {
    return shape.rank_is_static() && axis < shape.size() ? shape[axis] : Dimension::dynamic();
}

void check_attributes(const InferContext& context, const Attrs& attrs) {
    const auto count = [&](std::int64_t value, const char* name) {
        context.require(value >= 1 && value <= kMaxDetections, name, " is ", value,
                        ", expected 1 to ", kMaxDetections);
    };
    count(attrs.max_detections, "max_detections");
    count(attrs.max_classes_per_detection, "max_classes_per_detection");
    count(attrs.max_detections * attrs.max_classes_per_detection, "the number of detections");
    count(attrs.detections_per_class, "detections_per_class");
    count(attrs.num_classes, "num_classes");
    context.require(attrs.nms_iou_threshold > 0 && attrs.nms_iou_threshold <= 1,
                    "nms_iou_threshold is ", attrs.nms_iou_threshold,
                    ", expected a value above 0 and up to 1");
    context.require(!std::isnan(attrs.nms_score_threshold), "nms_score_threshold is no number");
    for (const float scale : {attrs.y_scale, attrs.x_scale, attrs.h_scale, attrs.w_scale}) {
        context.require(std::isfinite(scale) && scale > 0, "a scale is ", scale,
                        ", expected a finite value above 0");
    }
}

void infer(InferContext& context) {
    const auto& attrs = context.attrs<Attrs>();
    check_attributes(context, attrs);
    for (std::size_t i = 0; i < context.input_count(); ++i) {
        context.require_type(i, ElementType::f32, "the input");
    }
    const Dimension boxes = dimension(context.shape(kEncodings), 1);
    const auto shaped = [&](std::size_t i, const PartialShape& expected) {
        context.require(context.shape(i).compatible(expected), "input ", i, " has shape ",
                        to_string(context.shape(i)), ", expected ", to_string(expected));
    };
    shaped(kEncodings, {Dimension(1), Dimension::dynamic(), Dimension::dynamic()});
    shaped(kScores, {Dimension(1), boxes, Dimension::dynamic()});
    shaped(kAnchors, {boxes, Dimension(kNumbersOfABox)});
    const Dimension numbers = dimension(context.shape(kEncodings), 2);
    context.require(!numbers.is_static() || numbers.get_length() >= 4, "a box has ",
                    to_string(numbers), " numbers, expected 4 or more");
    const Dimension classes = dimension(context.shape(kScores), 2);
    context.require(!classes.is_static() || classes.get_length() >= attrs.num_classes,
                    "there are scores of ", to_string(classes), " classes, num_classes is ",
                    attrs.num_classes);
    const Dimension detections(attrs.max_detections * attrs.max_classes_per_detection);
    const Dimension one(1);
    context.set_output_count(4);
    context.set_output(0, ElementType::f32, {one, detections, Dimension(kNumbersOfABox)});
    context.set_output(1, ElementType::f32, {one, detections});
    context.set_output(2, ElementType::f32, {one, detections});
    context.set_output(3, ElementType::f32, {one});
}

struct Box {
    float y1 = 0;
    float x1 = 0;
    float y2 = 0;
    float x2 = 0;
};

// Of boxes with a positive area.
float overlap(const Box& a, const Box& b) {
    const float area_a = (a.y2 - a.y1) * (a.x2 - a.x1);
    const float area_b = (b.y2 - b.y1) * (b.x2 - b.x1);
    if (area_a <= 0 || area_b <= 0) {
        return 0;
    }
    const float height = std::max(std::min(a.y2, b.y2) - std::max(a.y1, b.y1), 0.0F);
    const float width = std::max(std::min(a.x2, b.x2) - std::max(a.x1, b.x1), 0.0F);
    const float common = height * width;
    return common / (area_a + area_b - common);
}

// The indices of the `count` largest values, largest first.
std::vector<std::size_t> largest(const float* values, std::size_t size, std::size_t count) {
    std::vector<std::size_t> order(size);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto greater = [&](std::size_t i, std::size_t j) { return values[i] > values[j]; };
    if (count == 1) {
        // partial_sort could give a later one of equal values.
        order[0] = static_cast<std::size_t>(std::max_element(values, values + size) - values);
    } else {
        std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count),
                          order.end(), greater);
    }
    order.resize(count);
    return order;
}

struct Detection {
    std::size_t box = 0;
    std::size_t label = 0;  // without the background
    float score = 0;
};

class PostProcess {
public:
    explicit PostProcess(const EvalContext& context)
        : context_(context),
          attrs_(context.attrs<Attrs>()),
          count_(context.input(kEncodings).get_shape()[1]),
          columns_(context.input(kScores).get_shape()[2]),
          scores_(context.input(kScores).data<float>()),
          classes_(static_cast<std::size_t>(attrs_.num_classes)) {
        context.require(columns_ >= classes_, "there are scores of ", columns_,
                        " classes, num_classes is ", classes_);
        decode();
    }

    const Box& box(std::size_t i) const { return boxes_[i]; }

    // Boxes by their best class; a box that stays has one detection for each of its best classes.
    std::vector<Detection> by_best_class(std::size_t classes_of_a_box) const {
        std::vector<float> best(count_);
        for (std::size_t i = 0; i < count_; ++i) {
            best[i] = *std::max_element(scores_of(i), scores_of(i) + classes_);
        }
        std::vector<Detection> found;
        for (const std::size_t i : suppress(best, attrs_.max_detections)) {
            for (const std::size_t label : largest(scores_of(i), classes_, classes_of_a_box)) {
                found.push_back({i, label, scores_of(i)[label]});
            }
        }
        return found;
    }

    // Every class apart, then the best of all.
    std::vector<Detection> by_each_class() const {
        std::vector<Detection> found;
        std::vector<float> column(count_);
        for (std::size_t label = 0; label < classes_; ++label) {
            for (std::size_t i = 0; i < count_; ++i) {
                column[i] = scores_of(i)[label];
            }
            std::vector<Detection> own;
            for (const std::size_t i : suppress(column, attrs_.detections_per_class)) {
                own.push_back({i, label, column[i]});
            }
            merge(own, found);
        }
        return found;
    }

private:
    const float* scores_of(std::size_t box) const {
        return scores_ + box * columns_ + (columns_ - classes_);
    }

    void decode() {
        const Tensor& encodings = context_.input(kEncodings);
        const std::size_t stride = encodings.get_shape()[2];
        context_.require(stride >= kNumbersOfABox, "a box has ", stride,
                         " numbers, expected 4 or more");
        for (std::size_t i = 0; i < count_; ++i) {
            const float* e = encodings.data<float>() + i * stride;
            const float* a = context_.input(kAnchors).data<float>() + i * kNumbersOfABox;
            const auto center = [&](std::size_t axis, double scale) {
                return static_cast<float>(static_cast<double>(e[axis]) / scale *
                                              static_cast<double>(a[axis + 2]) +
                                          static_cast<double>(a[axis]));
            };
            const auto half = [&](std::size_t axis, double scale) {
                return static_cast<float>(0.5 * std::exp(static_cast<double>(e[axis]) / scale) *
                                          static_cast<double>(a[axis]));
            };
            const float y = center(0, attrs_.y_scale);
            const float x = center(1, attrs_.x_scale);
            const float h = half(2, attrs_.h_scale);
            const float w = half(3, attrs_.w_scale);
            boxes_.push_back({y - h, x - w, y + h, x + w});
            context_.require(y - h < y + h && x - w < x + w, "box ", i, " from y ", y - h, ", x ",
                             x - w, " to y ", y + h, ", x ", x + w, " has no area");
        }
    }

    // Boxes of the highest scores that overlap none of those before them too much.
    std::vector<std::size_t> suppress(const std::vector<float>& scores,
                                      std::int64_t max_count) const {
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < count_; ++i) {
            if (scores[i] >= attrs_.nms_score_threshold) {
                order.push_back(i);
            }
        }
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t i, std::size_t j) { return scores[i] > scores[j]; });
        std::vector<std::size_t> selected;
        for (const std::size_t candidate : order) {
            if (selected.size() >= static_cast<std::size_t>(max_count)) {
                break;
            }
            const bool covered =
                std::any_of(selected.begin(), selected.end(), [&](std::size_t other) {
                    return overlap(boxes_[other], boxes_[candidate]) > attrs_.nms_iou_threshold;
                });
            if (!covered) {
                selected.push_back(candidate);
            }
        }
        return selected;
    }

    // Both are sorted. Of equal scores those of the later class come first.
    void merge(const std::vector<Detection>& own, std::vector<Detection>& found) const {
        std::vector<Detection> all(own.size() + found.size());
        std::merge(own.begin(), own.end(), found.begin(), found.end(), all.begin(),
                   [](const Detection& a, const Detection& b) { return a.score > b.score; });
        all.resize(std::min(all.size(), static_cast<std::size_t>(attrs_.max_detections)));
        found.swap(all);
    }

    const EvalContext& context_;
    const Attrs& attrs_;
    std::size_t count_;
    std::size_t columns_;
    const float* scores_;
    std::size_t classes_;
    std::vector<Box> boxes_;
};

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<Attrs>();
    const PostProcess process(context);
    const auto of_a_box = static_cast<std::size_t>(attrs.max_classes_per_detection);
    const std::size_t places = static_cast<std::size_t>(attrs.max_detections) * of_a_box;
    auto* boxes = context.output(0, Shape{1, places, kNumbersOfABox}).data<float>();
    auto* classes = context.output(1, Shape{1, places}).data<float>();
    auto* scores = context.output(2, Shape{1, places}).data<float>();
    auto* count = context.output(3, Shape{1}).data<float>();
    std::fill_n(boxes, places * kNumbersOfABox, 0.0F);
    std::fill_n(classes, places, 0.0F);
    std::fill_n(scores, places, 0.0F);
    // A box takes of_a_box places, of which fewer classes fill the first ones.
    const std::size_t classes_of_a_box =
        std::min(of_a_box, static_cast<std::size_t>(attrs.num_classes));
    const std::size_t filled = attrs.use_regular_nms ? 1 : classes_of_a_box;
    const std::size_t stride = attrs.use_regular_nms ? 1 : of_a_box;
    const std::vector<Detection> found =
        attrs.use_regular_nms ? process.by_each_class() : process.by_best_class(classes_of_a_box);
    for (std::size_t k = 0; k < found.size(); ++k) {
        const std::size_t place = k / filled * stride + k % filled;
        const Box& box = process.box(found[k].box);
        const float numbers[] = {box.y1, box.x1, box.y2, box.x2};
        std::copy_n(numbers, kNumbersOfABox, boxes + place * kNumbersOfABox);
        classes[place] = static_cast<float>(found[k].label);
        scores[place] = found[k].score;
    }
    const std::size_t kept = found.size() / filled;
    *count = static_cast<float>(kept);
}

const OpSpec kOps[] = {
    {.type = "TfliteDetectionPostProcess",
     .version = 1,
     .inputs = {3, 3},
     .make_attributes = make_attributes<Attrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Boxes, classes and scores from the encodings of an SSD model, as TFLite does it",
     .refused = "boxes without an area",
     .own_set = true},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::tflite_detection_post_process_ops
