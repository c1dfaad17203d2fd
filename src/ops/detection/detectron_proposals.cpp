// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ops/axis_groups.hpp"
#include "ops/detection/anchor_boxes.hpp"
#include "ops/detection/detectron.hpp"
#include "ops/op_list.hpp"

namespace fuseq::detectron_proposals_ops {
namespace {

constexpr std::int64_t kLargest = 1 << 24;
constexpr double kExtra = 1;  // what a side counts beyond the difference of its ends

// Image [3], anchors [H * W * A, 4], deltas [A * 4, H, W], scores [A, H, W].
void infer(InferContext& context) {
    const auto& attrs = context.attrs<DetectronProposalsAttrs>();
    for (const auto& [name, value] : {std::pair{"pre_nms_count", attrs.pre_nms_count},
                                      std::pair{"post_nms_count", attrs.post_nms_count}}) {
        context.require(value >= 1 && value <= kLargest, name, " is ", value,
                        ", expected a value in [1, ", kLargest, "]");
    }
    require_real(context, 0, "im_info");
    for (const std::size_t i : {1, 2, 3}) {
        context.require_same_type(i, 0);
    }
    PartialShape anchors = context.shape(1);
    PartialShape deltas = context.shape(2);
    PartialShape scores = context.shape(3);
    anchors = anchors.rank_is_static() ? anchors : PartialShape::dynamic(2);
    deltas = deltas.rank_is_static() ? deltas : PartialShape::dynamic(3);
    scores = scores.rank_is_static() ? scores : PartialShape::dynamic(3);
    const bool fits = context.shape(0).compatible({3}) && anchors.rank() == 2 &&
                      anchors[1].compatible(4) && deltas.rank() == 3 && scores.rank() == 3 &&
                      deltas[0].compatible(scores[0] * Dimension(4)) &&
                      deltas[1].compatible(scores[1]) && deltas[2].compatible(scores[2]) &&
                      anchors[0].compatible(scores[0] * scores[1] * scores[2]);
    context.require(fits, "im_info has shape ", to_string(context.shape(0)), ", anchors ",
                    to_string(anchors), ", deltas ", to_string(deltas), ", scores ",
                    to_string(scores), ", expected [3], [H*W*A,4], [A*4,H,W] and [A,H,W]");
    context.set_output_count(2);
    context.set_output(0, context.type(0), {attrs.post_nms_count, 4});
    context.set_output(1, context.type(0), {attrs.post_nms_count});
}

struct Proposal {
    CornerBox box;
    double score;
};

template <class T>
std::vector<Proposal> refine_all(const EvalContext& context) {
    const auto side = static_cast<double>(context.attrs<DetectronProposalsAttrs>().min_size);
    const T* info = context.input(0).data<T>();
    const ImageSize image{static_cast<double>(info[0]), static_cast<double>(info[1])};
    const T* anchors = context.input(1).data<T>();
    const T* deltas = context.input(2).data<T>();
    const T* scores = context.input(3).data<T>();
    const Shape& shape = context.input(3).get_shape();
    const std::size_t area = shape[1] * shape[2];
    std::vector<Proposal> all;
    all.reserve(shape[0] * area);
    for (std::size_t cell = 0; cell < area; ++cell) {
        for (std::size_t a = 0; a < shape[0]; ++a) {
            const CornerBox anchor = anchor_box(anchors + (cell * shape[0] + a) * 4);
            const CornerBox box =
                moved_anchor(anchor, delta_of(deltas, a, cell, area), image, kExtra);
            const auto score = static_cast<double>(scores[a * area + cell]);
            // NaN has no place in an order.
            const bool kept = large_enough(box, {side, side}, kExtra) && !std::isnan(score);
            all.push_back({box, kept ? score : 0.0});
        }
    }
    return all;
}

template <class T>
void run(EvalContext& context) {
    const auto& attrs = context.attrs<DetectronProposalsAttrs>();
    const auto max_rois = static_cast<std::size_t>(attrs.post_nms_count);
    std::vector<Proposal> all = refine_all<T>(context);
    std::stable_sort(all.begin(), all.end(),
                     [](const Proposal& a, const Proposal& b) { return a.score > b.score; });
    all.resize(std::min(all.size(), static_cast<std::size_t>(attrs.pre_nms_count)));
    Tensor& boxes = context.output(0, {max_rois, 4});
    Tensor& scores = context.output(1, {max_rois});
    std::fill_n(boxes.data<T>(), boxes.get_size(), T{0});
    std::fill_n(scores.data<T>(), max_rois, T{0});
    std::vector<CornerBox> kept;
    for (const Proposal& proposal : all) {
        if (kept.size() == max_rois) {
            break;
        }
        const auto limit = static_cast<double>(attrs.nms_threshold);
        const bool covered = std::any_of(kept.begin(), kept.end(), [&](const CornerBox& other) {
            return overlap(proposal.box, other, kExtra) > limit;
        });
        if (covered) {
            continue;
        }
        T* out = boxes.data<T>() + kept.size() * 4;
        for (const double v :
             {proposal.box.x1, proposal.box.y1, proposal.box.x2, proposal.box.y2}) {
            *out++ = static_cast<T>(v);
        }
        scores.data<T>()[kept.size()] = static_cast<T>(proposal.score);
        kept.push_back(proposal.box);
    }
}

void evaluate(EvalContext& context) {
    const Shape& scores = context.input(3).get_shape();
    const bool fits = scores.size() == 3 && context.input(0).get_shape() == Shape{3} &&
                      context.input(1).get_shape() == Shape{scores[0] * scores[1] * scores[2], 4} &&
                      context.input(2).get_shape() == Shape{scores[0] * 4, scores[1], scores[2]};
    context.require(fits, "scores have shape ", to_string(scores), ", deltas ",
                    to_string(context.input(2).get_shape()), ", anchors ",
                    to_string(context.input(1).get_shape()));
    dispatch_real(context, context.input(0).get_element_type(),
                  [&](auto tag) { run<typename decltype(tag)::type>(context); });
}

const OpSpec kOps[] = {
    {.type = "ExperimentalDetectronGenerateProposalsSingleImage",
     .version = 6,
     .inputs = {4, 4},
     .make_attributes = make_attributes<DetectronProposalsAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Moves anchors, suppresses what overlaps; the rest of the rows is 0",
     .refused = "counts below 1"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::detectron_proposals_ops
