// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/detection/proposal.hpp"

#include <cmath>
#include <numeric>

#include "ops/axis_groups.hpp"
#include "ops/op_list.hpp"

namespace fuseq::proposal_ops {
namespace {

constexpr std::int64_t kLargest = 1 << 24;

void require_positive(const InferContext& context, const char* name, std::int64_t value) {
    context.require(value >= 1 && value <= kLargest, name, " is ", value,
                    ", expected a value in [1, ", kLargest, "]");
}

void check(const InferContext& context, const ProposalAttrs& attrs) {
    require_positive(context, "base_size", attrs.base_size);
    require_positive(context, "pre_nms_topn", attrs.pre_nms_topn);
    require_positive(context, "post_nms_topn", attrs.post_nms_topn);
    require_positive(context, "feat_stride", attrs.feat_stride);
    context.require(attrs.min_size >= 0 && attrs.min_size <= kLargest, "min_size is ",
                    attrs.min_size, ", expected 0 or more");
    context.require(!attrs.ratio.empty() && !attrs.scale.empty(), "ratio or scale is empty");
    for (const float v : attrs.ratio) {
        context.require(v > 0 && std::isfinite(v), "ratio has the value ", v,
                        ", expected one above 0");
    }
    for (const float v : attrs.scale) {
        context.require(v > 0 && std::isfinite(v), "scale has the value ", v,
                        ", expected one above 0");
    }
    for (const float v : {attrs.box_size_scale, attrs.box_coordinate_scale}) {
        context.require(v > 0 && std::isfinite(v), "box_size_scale or box_coordinate_scale is ", v,
                        ", expected a value above 0");
    }
    require_real(context, 0, "class_probs");
    context.require_same_type(1, 0);
    context.require_same_type(2, 0);
}

// Scores [N, 2A, H, W], deltas [N, 4A, H, W], image [3] or [4].
void infer(InferContext& context) {
    const auto& attrs = context.attrs<ProposalAttrs>();
    check(context, attrs);
    const auto anchors = static_cast<std::int64_t>(attrs.ratio.size() * attrs.scale.size());
    PartialShape scores = context.shape(0);
    PartialShape deltas = context.shape(1);
    scores = scores.rank_is_static() ? scores : PartialShape::dynamic(4);
    deltas = deltas.rank_is_static() ? deltas : PartialShape::dynamic(4);
    bool fits = scores.rank() == 4 && deltas.rank() == 4 && scores[1].compatible(2 * anchors) &&
                deltas[1].compatible(4 * anchors);
    for (const std::size_t d : {0, 2, 3}) {
        fits = fits && scores[d].compatible(deltas[d]);
    }
    context.require(fits, "class_probs has shape ", to_string(scores), ", bbox_deltas ",
                    to_string(deltas), ", expected [N,", 2 * anchors, ",H,W] and [N,", 4 * anchors,
                    ",H,W]");
    const PartialShape& image = context.shape(2);
    context.require(image.compatible({3}) || image.compatible({4}) || image.compatible({1, 3}) ||
                        image.compatible({1, 4}),
                    "image_shape has shape ", to_string(image), ", expected 3 or 4 values");
    Dimension images;
    Dimension::merge(images, scores[0], deltas[0]);
    const Dimension rows = images * Dimension(attrs.post_nms_topn);
    const bool with_scores = context.node().spec().version >= 4;
    context.set_output_count(with_scores ? 2 : 1);
    context.set_output(0, context.type(0), {rows, 5});
    if (with_scores) {
        context.set_output(1, context.type(0), {rows});
    }
}

struct ImageSize {
    double height;
    double width;
    double min_height;  // of a box
    double min_width;
    double extra;  // what a side counts beyond the difference of its ends
};

struct Candidate {
    CornerBox box;
    double score;
};

CornerBox clipped(const CornerBox& box, double width, double height) {
    return {std::clamp(box.x1, 0.0, width), std::clamp(box.y1, 0.0, height),
            std::clamp(box.x2, 0.0, width), std::clamp(box.y2, 0.0, height)};
}

struct Delta {
    double x;
    double y;
    double log_width;
    double log_height;
};

Candidate propose(const ProposalAttrs& attrs,
                  CornerBox box,
                  const Delta& delta,
                  const ImageSize& size,
                  double score) {
    if (attrs.tensorflow()) {
        box = clipped(box, size.width, size.height);
    }
    const double width = box.x2 - box.x1 + size.extra;
    const double height = box.y2 - box.y1 + size.extra;
    const auto shift = static_cast<double>(attrs.box_coordinate_scale);
    const auto growth = static_cast<double>(attrs.box_size_scale);
    const double centre_x = box.x1 + width / 2 + delta.x / shift * width;
    const double centre_y = box.y1 + height / 2 + delta.y / shift * height;
    const double half_width = std::exp(delta.log_width / growth) * width / 2;
    const double half_height = std::exp(delta.log_height / growth) * height / 2;
    box = {centre_x - half_width, centre_y - half_height, centre_x + half_width,
           centre_y + half_height};
    if (attrs.clip_before_nms) {
        box = clipped(box, std::max(0.0, size.width - size.extra),
                      std::max(0.0, size.height - size.extra));
    }
    const bool large = size.min_width <= box.x2 - box.x1 + size.extra &&
                       size.min_height <= box.y2 - box.y1 + size.extra;
    // NaN has no place in an order.
    return {box, large && !std::isnan(score) ? score : 0.0};
}

// All candidates of one image, cell by cell.
template <class T>
std::vector<Candidate> propose_all(const EvalContext& context,
                                   std::size_t image,
                                   const ImageSize& size) {
    const auto& attrs = context.attrs<ProposalAttrs>();
    const std::vector<CornerBox> anchors = proposal_anchors(attrs);
    const Shape& shape = context.input(0).get_shape();
    const std::size_t area = shape[2] * shape[3];
    const std::size_t count = anchors.size();
    const T* scores = context.input(0).data<T>() + (image * 2 + 1) * count * area;
    const T* deltas = context.input(1).data<T>() + image * 4 * count * area;
    std::vector<Candidate> all;
    for (std::size_t cell = 0; cell < area; ++cell) {
        const std::size_t row = cell / shape[3];
        const std::size_t column = cell % shape[3];
        const auto stride = static_cast<double>(attrs.feat_stride);
        const double x = static_cast<double>(attrs.tensorflow() ? row : column) * stride;
        const double y = static_cast<double>(attrs.tensorflow() ? column : row) * stride;
        for (std::size_t a = 0; a < count; ++a) {
            const auto delta = [&](std::size_t i) {
                return static_cast<double>(deltas[(a * 4 + i) * area + cell]);
            };
            const CornerBox& anchor = anchors[a];
            all.push_back(propose(attrs,
                                  {anchor.x1 + x, anchor.y1 + y, anchor.x2 + x, anchor.y2 + y},
                                  {delta(0), delta(1), delta(2), delta(3)}, size,
                                  static_cast<double>(scores[a * area + cell])));
        }
    }
    return all;
}

// The best candidates that do not overlap a better one.
std::vector<Candidate> select(std::vector<Candidate> all,
                              const ProposalAttrs& attrs,
                              double extra) {
    std::stable_sort(all.begin(), all.end(),
                     [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
    all.resize(std::min(all.size(), static_cast<std::size_t>(attrs.pre_nms_topn)));
    std::vector<Candidate> kept;
    for (const Candidate& candidate : all) {
        if (kept.size() == static_cast<std::size_t>(attrs.post_nms_topn)) {
            break;
        }
        const bool covered = std::any_of(kept.begin(), kept.end(), [&](const Candidate& other) {
            return overlap(candidate.box, other.box, extra) > static_cast<double>(attrs.nms_thresh);
        });
        if (!covered) {
            kept.push_back(candidate);
        }
    }
    return kept;
}

ImageSize read_image(const EvalContext& context) {
    const auto& attrs = context.attrs<ProposalAttrs>();
    const std::vector<float> values = to_floats(context.input(2));
    context.require(values.size() == 3 || values.size() == 4, "image_shape has ", values.size(),
                    " values, expected 3 or 4");
    for (const float v : values) {
        context.require(std::isfinite(v) && v > 0, "image_shape has the value ", v,
                        ", expected one above 0");
    }
    const auto min_size = static_cast<double>(attrs.min_size);
    return {.height = static_cast<double>(values[0]),
            .width = static_cast<double>(values[1]),
            .min_height = min_size * static_cast<double>(values[2]),
            .min_width = min_size * static_cast<double>(values[values.size() - 1]),
            .extra = attrs.tensorflow() ? 0.0 : 1.0};
}

template <class T>
void run(EvalContext& context) {
    const auto& attrs = context.attrs<ProposalAttrs>();
    const std::size_t images = context.input(0).get_shape()[0];
    const auto max_rois = static_cast<std::size_t>(attrs.post_nms_topn);
    const ImageSize size = read_image(context);
    Tensor& rois = context.output(0, {images * max_rois, 5});
    std::vector<T> scores(images * max_rois, T{0});
    std::fill_n(rois.data<T>(), rois.get_size(), T{0});
    for (std::size_t image = 0; image < images; ++image) {
        const auto kept = select(propose_all<T>(context, image, size), attrs, size.extra);
        T* out = rois.data<T>() + image * max_rois * 5;
        for (std::size_t i = 0; i < kept.size(); ++i) {
            CornerBox box = kept[i].box;
            if (attrs.clip_after_nms) {
                box = clipped(box, size.width, size.height);
            }
            const double w = attrs.normalize ? size.width : 1.0;
            const double h = attrs.normalize ? size.height : 1.0;
            for (const double v :
                 {static_cast<double>(image), box.x1 / w, box.y1 / h, box.x2 / w, box.y2 / h}) {
                *out++ = static_cast<T>(v);
            }
            scores[image * max_rois + i] = static_cast<T>(kept[i].score);
        }
        if (kept.size() < max_rois) {
            *out = T{-1};  // ends the list; the rest is 0
        }
    }
    if (context.output_count() > 1) {
        std::copy(scores.begin(), scores.end(),
                  context.output(1, {images * max_rois}).template data<T>());
    }
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<ProposalAttrs>();
    const Shape& scores = context.input(0).get_shape();
    const Shape& deltas = context.input(1).get_shape();
    const std::size_t anchors = attrs.ratio.size() * attrs.scale.size();
    context.require(scores.size() == 4 && scores[1] == 2 * anchors &&
                        deltas == Shape{scores[0], 4 * anchors, scores[2], scores[3]},
                    "class_probs has shape ", to_string(scores), ", bbox_deltas ",
                    to_string(deltas), " for ", anchors, " anchors");
    dispatch_real(context, context.input(0).get_element_type(),
                  [&](auto tag) { run<typename decltype(tag)::type>(context); });
}

OpSpec row(int version, std::string_view summary) {
    return {.type = "Proposal",
            .version = version,
            .inputs = {3, 3},
            .make_attributes = make_attributes<ProposalAttrs>,
            .infer = infer,
            .evaluate = evaluate,
            .summary = summary,
            .refused = "sizes, ratios and scales not above 0"};
}

const OpSpec kOps[] = {
    row(1, "Boxes that a region proposal network thinks hold objects; -1 ends the list"),
    row(4, "The same, and their scores"),
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::proposal_ops

namespace fuseq {

std::vector<CornerBox> proposal_anchors(const ProposalAttrs& attrs) {
    const bool caffe = !attrs.tensorflow();
    const double extra = caffe ? 1 : 0;
    const auto base = static_cast<double>(attrs.base_size);
    const double centre = caffe ? (base - extra) / 2 : 0.0;
    std::vector<CornerBox> anchors;
    for (const float ratio : attrs.ratio) {
        double width = std::sqrt(base * base / static_cast<double>(ratio));
        width = caffe ? std::round(width) : width;
        double height = width * static_cast<double>(ratio);
        height = caffe ? std::round(height) : height;
        for (const float scale : attrs.scale) {
            const double half_width = (width * static_cast<double>(scale) - extra) / 2;
            const double half_height = (height * static_cast<double>(scale) - extra) / 2;
            anchors.push_back({centre - half_width, centre - half_height, centre + half_width,
                               centre + half_height});
        }
    }
    return anchors;
}

}  // namespace fuseq
