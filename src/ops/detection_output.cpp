// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// DetectionOutput-1 and -8.
//   0 locations   [N, priors * location classes * 4]
//   1 confidences [N, priors * classes]
//   2 priors      [1 or N, 1 or 2, priors * 4 (5 when not normalized)]; row 1: variances, 4 a prior
//   3, 4 (optional, cascade): confidences [N, priors * 2] and locations of the first stage
//   -> [1, 1, rows, 7] of (image, label, confidence, xmin, ymin, xmax, ymax), by image, label and
//      falling confidence; after the last one a row that begins with -1, then zeros.
#include "ops/detection_output.hpp"

#include <algorithm>
#include <limits>

#include "ops/detection_boxes.hpp"
#include "ops/op_list.hpp"

namespace fuseq::detection_output_ops {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 24;
constexpr std::int64_t kMaxRows = std::int64_t{1} << 40;

const DetectionOutput8Attrs& attrs_of(const Node& node) {
    return dynamic_cast<const DetectionOutput8Attrs&>(node.attributes());
}

template <class Context>
void check_attributes(const Context& context) {
    const DetectionOutput8Attrs& attrs = attrs_of(context.node());
    context.require(!attrs.keep_top_k.empty(), "keep_top_k has no value");
    context.require(attrs.keep_top_k[0] >= -1 && attrs.keep_top_k[0] <= kLargest, "keep_top_k is ",
                    attrs.keep_top_k[0], ", expected -1 or more");
    context.require(attrs.top_k >= -1 && attrs.top_k <= kLargest, "top_k is ", attrs.top_k,
                    ", expected -1 or more");
    context.require(attrs.normalized || (attrs.input_width >= 1 && attrs.input_height >= 1),
                    "input_width is ", attrs.input_width, ", input_height ", attrs.input_height,
                    ", expected 1 or more");
    context.require(context.node().input_count() != 4, "has 4 inputs, expected 3 or 5");
    if (context.node().spec().version == 1) {
        const std::int64_t classes = context.template attrs<DetectionOutput1Attrs>().num_classes;
        context.require(classes >= 1 && classes <= kLargest, "num_classes is ", classes,
                        ", expected 1 or more");
    }
}

template <class Context>
void check_size(const Context& context,
                std::size_t i,
                const Dimension& found,
                const Dimension& expected,
                const char* meaning) {
    context.require(found.compatible(expected), "input ", i, " has ", to_string(found), " ",
                    meaning, ", expected ", to_string(expected));
}

// Number of priors and of classes from the shapes.
template <class Context>
std::pair<std::int64_t, std::int64_t> counts(const Context& context,
                                             std::int64_t prior_values,
                                             std::int64_t confidences) {
    const std::int64_t size = attrs_of(context.node()).normalized ? 4 : 5;
    context.require(prior_values >= size && prior_values % size == 0, "input 2 has ", prior_values,
                    " values a row, expected a multiple of ", size);
    const std::int64_t priors = prior_values / size;
    context.require(confidences >= priors && confidences % priors == 0, "input 1 has ", confidences,
                    " values an image, expected a multiple of the ", priors, " priors");
    return {priors, confidences / priors};
}

template <class Context>
void check_ranks(const Context& context, const PartialShape (&shapes)[5], std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t rank = i == 2 ? 3 : 2;
        context.require(!shapes[i].rank_is_static() || shapes[i].rank() == rank, "input ", i,
                        " has shape ", to_string(shapes[i]), ", expected rank ", rank);
    }
}

template <class Context>
DetectionSizes sizes_of(const Context& context,
                        const PartialShape (&shapes)[5],
                        std::size_t count) {
    const DetectionOutput8Attrs& attrs = attrs_of(context.node());
    check_ranks(context, shapes, count);
    const auto [priors, classes] =
        counts(context, shapes[2][2].get_length(), shapes[1][1].get_length());
    DetectionSizes sizes;
    sizes.images = shapes[0][0].get_length();
    sizes.priors = priors;
    sizes.classes = classes;
    if (context.node().spec().version == 1) {
        check_size(context, 1, classes, context.template attrs<DetectionOutput1Attrs>().num_classes,
                   "classes");
    }
    sizes.location_classes = attrs.share_location ? 1 : classes;
    const Dimension location_values =
        Dimension(priors) * Dimension(sizes.location_classes) * Dimension(4);
    check_size(context, 0, shapes[0][1], location_values, "values an image");
    check_size(context, 1, shapes[1][0], sizes.images, "images");
    sizes.prior_images = shapes[2][0].get_length();
    context.require(sizes.prior_images == 1 || sizes.prior_images == sizes.images, "input 2 has ",
                    sizes.prior_images, " images, expected 1 or ", sizes.images);
    check_size(context, 2, shapes[2][1], attrs.variance_encoded_in_target ? 1 : 2, "rows");
    if (count == 5) {
        check_size(context, 3, shapes[3][0], sizes.images, "images");
        check_size(context, 3, shapes[3][1], Dimension(priors) * Dimension(2), "values an image");
        check_size(context, 4, shapes[4][0], sizes.images, "images");
        check_size(context, 4, shapes[4][1], location_values, "values an image");
    }
    const std::int64_t keep = attrs.keep_top_k[0];
    const Dimension each =
        keep > 0 ? Dimension(keep)
                 : Dimension(attrs.top_k > 0 ? attrs.top_k : priors) * Dimension(classes);
    const Dimension rows = Dimension(sizes.images) * each;
    context.require(rows.is_static() && rows.get_length() <= kMaxRows, "the output has ",
                    to_string(rows), " rows, at most ", kMaxRows, " are allowed");
    sizes.rows = rows.get_length();
    return sizes;
}

void infer(InferContext& context) {
    check_attributes(context);
    const DetectionOutput8Attrs& attrs = attrs_of(context.node());
    PartialShape shapes[5];
    bool known = true;
    for (std::size_t i = 0; i < context.input_count(); ++i) {
        context.require_same_type(0, i);
        shapes[i] = context.shape(i);
        known = known && shapes[i].is_static();
    }
    context.require(is_real(context.type(0)), "input 0 is ", to_string(context.type(0)),
                    ", expected a real type");
    check_ranks(context, shapes, context.input_count());
    Dimension rows = Dimension::dynamic();
    if (known) {
        rows = sizes_of(context, shapes, context.input_count()).rows;
    } else if (attrs.keep_top_k[0] > 0 && shapes[0].rank_is_static()) {
        rows = shapes[0][0] * Dimension(attrs.keep_top_k[0]);
    }
    context.set_output(0, context.type(0), PartialShape{1, 1, rows, 7});
}

// One image's values of an input as floats.
std::span<const float> image_values(const EvalContext& context, std::size_t i, std::int64_t image) {
    const Tensor& tensor = context.input(i);
    const std::size_t size = tensor.get_size() / tensor.get_shape()[0];
    return tensor.values<float>().subspan(static_cast<std::size_t>(image) * size, size);
}

std::vector<Box> boxes_of_class(std::span<const float> values,
                                const DetectionSizes& sizes,
                                std::int64_t label) {
    std::vector<Box> boxes;
    boxes.reserve(static_cast<std::size_t>(sizes.priors));
    for (std::int64_t p = 0; p < sizes.priors; ++p) {
        const float* v =
            &values[static_cast<std::size_t>((p * sizes.location_classes + label) * 4)];
        boxes.push_back({v[0], v[1], v[2], v[3]});
    }
    return boxes;
}

Priors priors_of(const EvalContext& context, const DetectionSizes& sizes, std::int64_t image) {
    const DetectionOutput8Attrs& attrs = attrs_of(context.node());
    const std::span<const float> values =
        image_values(context, 2, sizes.prior_images == 1 ? 0 : image);
    const auto count = static_cast<std::size_t>(sizes.priors);
    const std::size_t size = attrs.normalized ? 4 : 5;
    const float width = attrs.normalized ? 1.0F : static_cast<float>(attrs.input_width);
    const float height = attrs.normalized ? 1.0F : static_cast<float>(attrs.input_height);
    Priors priors;
    for (std::size_t p = 0; p < count; ++p) {
        const float* v = &values[p * size + size - 4];
        priors.boxes.push_back({v[0] / width, v[1] / height, v[2] / width, v[3] / height});
    }
    for (std::size_t p = 0; !attrs.variance_encoded_in_target && p < count; ++p) {
        const float* v = &values[count * size + p * 4];
        priors.variances.push_back({v[0], v[1], v[2], v[3]});
    }
    return priors;
}

// Decoded boxes of an image: [location class][prior]. In a cascade the locations of the first stage
// move the priors.
std::vector<std::vector<Box>> decoded(const EvalContext& context,
                                      const DetectionSizes& sizes,
                                      std::int64_t image) {
    const DetectionOutput8Attrs& attrs = attrs_of(context.node());
    const Priors priors = priors_of(context, sizes, image);
    std::vector<std::vector<Box>> boxes;
    for (std::int64_t label = 0; label < sizes.location_classes; ++label) {
        Priors own = priors;
        if (context.input_count() == 5) {
            own.boxes = decode_boxes(attrs, priors,
                                     boxes_of_class(image_values(context, 4, image), sizes, label));
        }
        boxes.push_back(decode_boxes(
            attrs, own, boxes_of_class(image_values(context, 0, image), sizes, label)));
    }
    return boxes;
}

// Confidences [priors][classes] of an image. In a cascade, priors that the first stage finds empty
// are background.
std::vector<float> scores_of(const EvalContext& context,
                             const DetectionSizes& sizes,
                             std::int64_t image) {
    const DetectionOutput8Attrs& attrs = attrs_of(context.node());
    const std::span<const float> values = image_values(context, 1, image);
    std::vector<float> scores(values.begin(), values.end());
    if (context.input_count() != 5) {
        return scores;
    }
    const std::span<const float> first = image_values(context, 3, image);
    for (std::int64_t p = 0; p < sizes.priors; ++p) {
        if (first[static_cast<std::size_t>(p * 2 + 1)] >= attrs.objectness_score) {
            continue;
        }
        for (std::int64_t c = 0; c < sizes.classes; ++c) {
            scores[static_cast<std::size_t>(p * sizes.classes + c)] =
                c == attrs.background_label_id ? 1.0F : 0.0F;
        }
    }
    return scores;
}

// decrease_label_id: every prior stands for its best class, class 0 being the background.
std::vector<Candidate> best_of_priors(const DetectionOutput8Attrs& attrs,
                                      const DetectionSizes& sizes,
                                      const std::vector<float>& scores) {
    std::vector<Candidate> candidates;
    for (std::int64_t p = 0; p < sizes.priors; ++p) {
        Candidate best{-1, 0, p};
        for (std::int64_t c = 1; c < sizes.classes; ++c) {
            const float score = scores[static_cast<std::size_t>(p * sizes.classes + c)];
            if (score > best.score) {
                best = {score, c, p};
            }
        }
        if (best.label > 0 && best.score >= attrs.confidence_threshold) {
            candidates.push_back(best);
        }
    }
    sort_candidates(candidates, attrs.top_k);
    return candidates;
}

std::vector<Candidate> of_class(const DetectionOutput8Attrs& attrs,
                                const DetectionSizes& sizes,
                                const std::vector<float>& scores,
                                std::int64_t label) {
    std::vector<Candidate> candidates;
    for (std::int64_t p = 0; p < sizes.priors; ++p) {
        const float score = scores[static_cast<std::size_t>(p * sizes.classes + label)];
        if (score > attrs.confidence_threshold) {
            candidates.push_back({score, label, p});
        }
    }
    sort_candidates(candidates, attrs.top_k);
    return candidates;
}

// What is kept of an image: by label, best first.
std::vector<Candidate> detections(const DetectionOutput8Attrs& attrs,
                                  const DetectionSizes& sizes,
                                  const std::vector<float>& scores,
                                  const std::vector<std::vector<Box>>& boxes) {
    const auto boxes_of = [&](std::int64_t label) -> const std::vector<Box>& {
        return boxes[sizes.location_classes == 1 ? 0 : static_cast<std::size_t>(label)];
    };
    const auto keep = [&](const std::vector<Candidate>& sorted) {
        return suppress(sorted, sizes.classes, attrs.nms_threshold, boxes_of);
    };
    std::vector<Candidate> found;
    if (attrs.decrease_label_id) {
        found = keep(best_of_priors(attrs, sizes, scores));
    } else {
        for (std::int64_t label = 0; label < sizes.classes; ++label) {
            if (label != attrs.background_label_id) {
                const auto own = keep(of_class(attrs, sizes, scores, label));
                found.insert(found.end(), own.begin(), own.end());
            }
        }
    }
    const std::int64_t max_boxes = attrs.keep_top_k[0];
    if (max_boxes > -1 && static_cast<std::int64_t>(found.size()) > max_boxes) {
        std::stable_sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
            return a.score != b.score ? a.score > b.score : a.box < b.box;
        });
        found.resize(static_cast<std::size_t>(max_boxes));
    }
    std::stable_sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
        return a.label != b.label ? a.label < b.label : a.score > b.score;
    });
    return found;
}

void evaluate(EvalContext& context) {
    check_attributes(context);
    const DetectionOutput8Attrs& attrs = attrs_of(context.node());
    PartialShape shapes[5];
    for (std::size_t i = 0; i < context.input_count(); ++i) {
        shapes[i] = context.input(i).get_shape();
    }
    const DetectionSizes sizes = sizes_of(context, shapes, context.input_count());
    const auto rows = static_cast<std::size_t>(sizes.rows);
    Tensor& out = context.output(0, Shape{1, 1, rows, 7});
    float* to = out.data<float>();
    std::fill(to, to + out.get_size(), 0.0F);
    float* const end = to + out.get_size();
    for (std::int64_t image = 0; image < sizes.images; ++image) {
        const std::vector<std::vector<Box>> boxes = decoded(context, sizes, image);
        for (const Candidate& found :
             detections(attrs, sizes, scores_of(context, sizes, image), boxes)) {
            const std::size_t own = boxes.size() == 1 ? 0 : static_cast<std::size_t>(found.label);
            if (to == end) {
                return;
            }
            to = write_detection(attrs, image, found,
                                 boxes[own][static_cast<std::size_t>(found.box)], to);
        }
    }
    if (to != end) {
        *to = -1.0F;
    }
}

OpSpec row(int version, std::unique_ptr<Attributes> (*attributes)(), std::string_view summary) {
    return {.type = "DetectionOutput",
            .version = version,
            .inputs = {3, 5},
            .make_attributes = attributes,
            .infer = infer,
            .evaluate = evaluate,
            .summary = summary,
            .refused = "four inputs; top_k or keep_top_k below -1"};
}

const OpSpec kOps[] = {
    row(1, make_attributes<DetectionOutput1Attrs>, "Decodes and suppresses SSD boxes"),
    row(8,
        make_attributes<DetectionOutput8Attrs>,
        "DetectionOutput-1 with the number of classes taken from the shapes"),
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::detection_output_ops
