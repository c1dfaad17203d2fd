// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <optional>

#include "ops/axis_groups.hpp"
#include "ops/detection/boxes.hpp"
#include "ops/detection/detectron.hpp"
#include "ops/op_list.hpp"

namespace fuseq::detectron_detection_output_ops {
namespace {

constexpr std::int64_t kLargest = 1 << 20;
constexpr double kExtra = 1;  // what a side counts beyond the difference of its ends

void check(const InferContext& context, const DetectronDetectionOutputAttrs& attrs) {
    for (const auto& [name, value] :
         {std::pair{"num_classes", attrs.num_classes},
          std::pair{"post_nms_count", attrs.post_nms_count},
          std::pair{"max_detections_per_image", attrs.max_detections_per_image}}) {
        context.require(value >= 1 && value <= kLargest, name, " is ", value,
                        ", expected a value in [1, ", kLargest, "]");
    }
    context.require(attrs.deltas_weights.size() == 4, "deltas_weights has ",
                    attrs.deltas_weights.size(), " values, expected 4");
    for (const float weight : attrs.deltas_weights) {
        context.require(weight != 0 && std::isfinite(weight), "deltas_weights has the value ",
                        weight, ", expected one that divides");
    }
}

// Regions [N,4], deltas [N, 4 * classes], scores [N, classes], image [1,3].
void infer(InferContext& context) {
    const auto& attrs = context.attrs<DetectronDetectionOutputAttrs>();
    check(context, attrs);
    require_real(context, 0, "regions");
    PartialShape regions = context.shape(0);
    regions = regions.rank_is_static() ? regions : PartialShape::dynamic(2);
    const Dimension rows = regions.rank() == 2 ? regions[0] : Dimension();
    const bool fits = regions.compatible({rows, 4}) &&
                      context.shape(1).compatible({rows, 4 * attrs.num_classes}) &&
                      context.shape(2).compatible({rows, attrs.num_classes}) &&
                      context.shape(3).compatible({1, 3});
    context.require(fits, "regions have shape ", to_string(regions), ", deltas ",
                    to_string(context.shape(1)), ", scores ", to_string(context.shape(2)),
                    ", im_info ", to_string(context.shape(3)), ", expected [N,4], [N,",
                    4 * attrs.num_classes, "], [N,", attrs.num_classes, "] and [1,3]");
    for (const std::size_t i : {1, 2, 3}) {
        context.require_same_type(i, 0);
    }
    const std::int64_t max_boxes = attrs.max_detections_per_image;
    context.set_output_count(3);
    context.set_output(0, context.type(0), {max_boxes, 4});
    context.set_output(1, ElementType::i32, {max_boxes});
    context.set_output(2, context.type(0), {max_boxes});
}

struct Detection {
    CornerBox box;
    double score = 0;
    std::int32_t label = 0;
};

// A region moved by its deltas for one class, inside of the image. Nothing for one without an
// area.
template <class T>
std::optional<CornerBox> refine(const EvalContext& context, std::size_t region, std::size_t label) {
    const auto& attrs = context.attrs<DetectronDetectionOutputAttrs>();
    const T* p = context.input(0).data<T>() + region * 4;
    const T* d = context.input(1).data<T>() +
                 (region * static_cast<std::size_t>(attrs.num_classes) + label) * 4;
    const T* info = context.input(3).data<T>();
    const auto at = [](const T* values, std::size_t i) { return static_cast<double>(values[i]); };
    if (!(at(p, 2) > at(p, 0) && at(p, 3) > at(p, 1))) {
        return std::nullopt;
    }
    double delta[4];
    for (std::size_t i = 0; i < 4; ++i) {
        delta[i] = at(d, i) / static_cast<double>(attrs.deltas_weights[i]);
    }
    const auto max_boxes = static_cast<double>(attrs.max_delta_log_wh);
    double low[2];
    double high[2];
    for (std::size_t i = 0; i < 2; ++i) {
        const double side = at(p, i + 2) - at(p, i) + kExtra;
        const double centre = at(p, i) + side / 2 + delta[i] * side;
        const double half = std::exp(std::min(delta[i + 2], max_boxes)) * side / 2;
        const double last = at(info, 1 - i) - kExtra;
        low[i] = std::max(0.0, std::min(centre - half, last));
        high[i] = std::max(0.0, std::min(centre + half - kExtra, last));
    }
    return CornerBox{low[0], low[1], high[0], high[1]};
}

// What is left of one class after suppression, best first.
template <class T>
std::vector<Detection> detect(const EvalContext& context, std::size_t label) {
    const auto& attrs = context.attrs<DetectronDetectionOutputAttrs>();
    const T* scores = context.input(2).data<T>();
    const std::size_t regions = context.input(0).get_shape()[0];
    std::vector<Detection> found;
    for (std::size_t r = 0; r < regions; ++r) {
        const auto score =
            static_cast<double>(scores[r * static_cast<std::size_t>(attrs.num_classes) + label]);
        if (!(score > static_cast<double>(attrs.score_threshold))) {
            continue;
        }
        if (const auto box = refine<T>(context, r, label)) {
            found.push_back({*box, score, static_cast<std::int32_t>(label)});
        }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const Detection& a, const Detection& b) { return a.score > b.score; });
    std::vector<Detection> kept;
    for (const Detection& detection : found) {
        const bool covered = std::any_of(kept.begin(), kept.end(), [&](const Detection& other) {
            return overlap(detection.box, other.box, kExtra) >
                   static_cast<double>(attrs.nms_threshold);
        });
        if (!covered) {
            kept.push_back(detection);
        }
    }
    kept.resize(std::min(kept.size(), static_cast<std::size_t>(attrs.post_nms_count)));
    return kept;
}

template <class T>
void run(EvalContext& context) {
    const auto& attrs = context.attrs<DetectronDetectionOutputAttrs>();
    const auto max_boxes = static_cast<std::size_t>(attrs.max_detections_per_image);
    std::vector<Detection> all;
    for (std::size_t label = 1; label < static_cast<std::size_t>(attrs.num_classes); ++label) {
        const std::vector<Detection> found = detect<T>(context, label);
        all.insert(all.end(), found.begin(), found.end());
    }
    // Class by class, unless there are too many.
    if (all.size() > max_boxes) {
        std::stable_sort(all.begin(), all.end(),
                         [](const Detection& a, const Detection& b) { return a.score > b.score; });
        all.resize(max_boxes);
    }
    all.resize(max_boxes);
    T* boxes = context.output(0, {max_boxes, 4}).template data<T>();
    auto* labels = context.output(1, {max_boxes}).data<std::int32_t>();
    T* scores = context.output(2, {max_boxes}).template data<T>();
    for (const Detection& detection : all) {
        for (const double v :
             {detection.box.x1, detection.box.y1, detection.box.x2, detection.box.y2}) {
            *boxes++ = static_cast<T>(v);
        }
        *labels++ = detection.label;
        *scores++ = static_cast<T>(detection.score);
    }
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<DetectronDetectionOutputAttrs>();
    const Shape& regions = context.input(0).get_shape();
    const auto classes = static_cast<std::size_t>(attrs.num_classes);
    const bool fits = regions.size() == 2 && regions[1] == 4 &&
                      context.input(1).get_shape() == Shape{regions[0], 4 * classes} &&
                      context.input(2).get_shape() == Shape{regions[0], classes} &&
                      context.input(3).get_shape() == Shape{1, 3};
    context.require(fits, "regions have shape ", to_string(regions), ", deltas ",
                    to_string(context.input(1).get_shape()), ", scores ",
                    to_string(context.input(2).get_shape()));
    dispatch_real(context, context.input(0).get_element_type(),
                  [&](auto tag) { run<typename decltype(tag)::type>(context); });
}

const OpSpec kOps[] = {
    {.type = "ExperimentalDetectronDetectionOutput",
     .version = 6,
     .inputs = {4, 4},
     .make_attributes = make_attributes<DetectronDetectionOutputAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Boxes, labels and scores of the regions of each class; missing rows are 0",
     .refused = "counts below 1"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::detectron_detection_output_ops
