// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// GenerateProposals-9: image sizes and scales [N, 3 or 4], anchors [H,W,A,4], deltas [N,A*4,H,W],
// scores [N,A,H,W] -> boxes [R,4] and scores [R] of all images, one after the other, and their
// number for every image [N]
#include "ops/detection/generate_proposals.hpp"

#include "ops/axis_groups.hpp"
#include "ops/detection/anchor_boxes.hpp"
#include "ops/op_list.hpp"

namespace fuseq::generate_proposals_ops {
namespace {

void check_attributes(const InferContext& context) {
    constexpr std::int64_t kLargest = 1 << 24;
    const auto& attrs = context.attrs<GenerateProposalsAttrs>();
    for (const auto& [name, value] : {std::pair{"pre_nms_count", attrs.pre_nms_count},
                                      std::pair{"post_nms_count", attrs.post_nms_count}}) {
        context.require(value >= 0 && value <= kLargest, name, " is ", value,
                        ", expected a value in [0, ", kLargest, "]");
    }
    for (const auto& [name, value] :
         {std::pair{"min_size", attrs.min_size}, std::pair{"nms_threshold", attrs.nms_threshold}}) {
        context.require(value >= 0, name, " is ", value, ", expected 0 or more");
    }
    context.require(attrs.nms_eta >= 0 && attrs.nms_eta <= 1, "nms_eta is ", attrs.nms_eta,
                    ", expected a value in [0, 1]");
    context.require(
        attrs.roi_num_type == ElementType::i32 || attrs.roi_num_type == ElementType::i64,
        "roi_num_type is ", to_string(attrs.roi_num_type), ", expected i32 or i64");
}

// Shapes of the inputs, of the right rank and compatible with each other.
template <class Context>
void check_shapes(const Context& context, const PartialShape (&shapes)[4]) {
    const auto& [info, anchors, deltas, scores] = shapes;
    const bool ranks =
        info.rank() == 2 && anchors.rank() == 4 && deltas.rank() == 4 && scores.rank() == 4;
    bool fits = ranks && (info[1].compatible(3) || info[1].compatible(4)) &&
                anchors[3].compatible(4) && anchors[2].compatible(scores[1]) &&
                deltas[1].compatible(scores[1] * Dimension(4));
    for (const PartialShape* const other : {&deltas, &scores}) {
        fits = fits && (*other)[0].compatible(info[0]) && (*other)[2].compatible(anchors[0]) &&
               (*other)[3].compatible(anchors[1]);
    }
    context.require(fits, "im_info has shape ", to_string(info), ", anchors ", to_string(anchors),
                    ", deltas ", to_string(deltas), ", scores ", to_string(scores),
                    ", expected [N,3] or [N,4], [H,W,A,4], [N,A*4,H,W] and [N,A,H,W]");
}

void infer(InferContext& context) {
    const auto& attrs = context.attrs<GenerateProposalsAttrs>();
    check_attributes(context);
    require_real(context, 0, "im_info");
    PartialShape shapes[4];
    for (std::size_t i = 0; i < 4; ++i) {
        context.require_same_type(i, 0);
        const PartialShape& shape = context.shape(i);
        shapes[i] = shape.rank_is_static() ? shape : PartialShape::dynamic(i == 0 ? 2 : 4);
    }
    check_shapes(context, shapes);
    Dimension images;
    Dimension::merge(images, shapes[0][0], shapes[2][0]);
    Dimension::merge(images, images, shapes[3][0]);
    const Dimension each = smaller(shapes[1][0] * shapes[1][1] * shapes[1][2],
                                   std::min(attrs.pre_nms_count, attrs.post_nms_count));
    const Dimension rows = up_to(images * each);
    context.set_output_count(3);
    context.set_output(0, context.type(0), {rows, 4});
    context.set_output(1, context.type(0), {rows});
    context.set_output(2, attrs.roi_num_type, {images});
}

struct Proposal {
    CornerBox box;
    double score;
    std::size_t order;  // among equal scores
    bool large;
};

// All of one image.
template <class T>
std::vector<Proposal> propose(const EvalContext& context, std::size_t image, double extra) {
    const auto min_size = static_cast<double>(context.attrs<GenerateProposalsAttrs>().min_size);
    const std::size_t numbers = context.input(0).get_shape()[1];
    const T* info = context.input(0).data<T>() + image * numbers;
    const auto number = [&](std::size_t i) { return static_cast<double>(info[i]); };
    const ImageSize size{number(0), number(1)};
    const ImageSize min_sides{min_size * number(2), min_size * number(numbers - 1)};
    const Shape& shape = context.input(3).get_shape();
    const std::size_t anchors = shape[1];
    const std::size_t cells = shape[2] * shape[3];
    const T* deltas = context.input(2).data<T>() + image * anchors * 4 * cells;
    const T* scores = context.input(3).data<T>() + image * anchors * cells;
    std::vector<Proposal> all;
    all.reserve(anchors * cells);
    for (std::size_t cell = 0; cell < cells; ++cell) {
        for (std::size_t a = 0; a < anchors; ++a) {
            const std::size_t order = cell * anchors + a;
            const CornerBox box = moved_anchor(anchor_box(context.input(1).data<T>() + order * 4),
                                               delta_of(deltas, a, cell, cells), size, extra);
            const auto score = static_cast<double>(scores[a * cells + cell]);
            if (!std::isnan(score)) {  // which has no place in an order
                all.push_back({box, score, order, large_enough(box, min_sides, extra)});
            }
        }
    }
    return all;
}

// The proposals that are kept, best first.
std::vector<Proposal> select(std::vector<Proposal> all,
                             const GenerateProposalsAttrs& attrs,
                             double extra) {
    const std::size_t count = std::min(all.size(), static_cast<std::size_t>(attrs.pre_nms_count));
    const auto better = [](const Proposal& a, const Proposal& b) {
        return a.score != b.score ? a.score > b.score : a.order < b.order;
    };
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end(),
                      better);
    double threshold = attrs.nms_threshold;
    std::vector<Proposal> kept;
    for (std::size_t i = 0;
         i < count && kept.size() < static_cast<std::size_t>(attrs.post_nms_count); ++i) {
        const auto covers = [&](const Proposal& other) {
            return overlap(all[i].box, other.box, extra) > threshold;
        };
        if (all[i].large && std::none_of(kept.begin(), kept.end(), covers)) {
            kept.push_back(all[i]);
            threshold = next_threshold(attrs.nms_eta, threshold);
        }
    }
    return kept;
}

template <class T>
void run(EvalContext& context) {
    const auto& attrs = context.attrs<GenerateProposalsAttrs>();
    const double extra = attrs.normalized ? 0 : 1;
    const std::size_t images = context.input(0).get_shape()[0];
    std::vector<Proposal> all;
    std::vector<std::size_t> counts;
    for (std::size_t image = 0; image < images; ++image) {
        const auto kept = select(propose<T>(context, image, extra), attrs, extra);
        all.insert(all.end(), kept.begin(), kept.end());
        counts.push_back(kept.size());
    }
    T* boxes = context.output(0, {all.size(), 4}).template data<T>();
    T* scores = context.output(1, {all.size()}).template data<T>();
    for (const Proposal& proposal : all) {
        for (const double v :
             {proposal.box.x1, proposal.box.y1, proposal.box.x2, proposal.box.y2}) {
            *boxes++ = static_cast<T>(v);
        }
        *scores++ = static_cast<T>(proposal.score);
    }
    dispatch_numeric(context.output_type(2), [&](auto tag) {
        using Count = typename decltype(tag)::type;
        std::transform(counts.begin(), counts.end(),
                       context.output(2, {images}).template data<Count>(),
                       [](std::size_t count) { return static_cast<Count>(count); });
    });
}

void evaluate(EvalContext& context) {
    PartialShape shapes[4];
    for (std::size_t i = 0; i < 4; ++i) {
        shapes[i] = context.input(i).get_shape();
    }
    check_shapes(context, shapes);
    dispatch_real(context, context.input(0).get_element_type(),
                  [&](auto tag) { run<typename decltype(tag)::type>(context); });
}

const OpSpec kOps[] = {
    {.type = "GenerateProposals",
     .version = 9,
     .inputs = {4, 4},
     .make_attributes = make_attributes<GenerateProposalsAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Moves anchors, drops small boxes and those that overlap better ones; as many rows "
                "as are kept",
     .refused = "negative counts, sizes or thresholds, nms_eta outside of [0, 1]"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::generate_proposals_ops
