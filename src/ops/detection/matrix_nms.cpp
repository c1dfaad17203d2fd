// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/detection/matrix_nms.hpp"

#include <cmath>

#include "ops/op_list.hpp"

namespace fuseq {
namespace {

// Keeps a zero denominator from dividing; as the definition has it.
constexpr double kTiny = 1e-10;

}  // namespace

double matrix_decay(const MatrixNmsAttrs& attrs, double iou, double largest) {
    if (attrs.decay_function == DecayFunction::kGaussian) {
        return std::exp((largest * largest - iou * iou) *
                        static_cast<double>(attrs.gaussian_sigma));
    }
    return (1 - iou) / (1 - largest + kTiny);
}

}  // namespace fuseq

namespace fuseq::matrix_nms_ops {
namespace {

// Every box lowers the scores of the boxes after it by their overlap.
template <class T>
std::vector<Detection> suppress_matrix(const ClassView<T>& view, const ClassNmsAttrs& common) {
    const auto& attrs = dynamic_cast<const MatrixNmsAttrs&>(common);
    const std::vector<std::size_t> order = best_candidates(view, attrs, false);
    const double extra = attrs.normalized ? 0 : 1;
    std::vector<double> largest(order.size(), 0);  // overlap of a box with those before it
    std::vector<Detection> kept;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const CornerBox box = view.box(order[i]);
        double factor = 1;
        for (std::size_t j = 0; j < i; ++j) {
            const double iou = overlap(box, view.box(order[j]), extra);
            factor = std::min(factor, matrix_decay(attrs, iou, largest[j]));
            largest[i] = std::max(largest[i], iou);
        }
        Detection d;
        d.index = order[i];
        d.score = factor * view.score(order[i]);
        if (d.score > static_cast<double>(attrs.post_threshold)) {
            kept.push_back(d);
        }
    }
    return kept;
}

void infer(InferContext& context) {
    infer_class_nms(context, context.attrs<MatrixNmsAttrs>());
}

void evaluate(EvalContext& context) {
    run_class_nms(context, context.attrs<MatrixNmsAttrs>(), suppress_matrix<float>,
                  suppress_matrix<double>);
}

// Every box removes the boxes that overlap it; the threshold may fall with every box kept.
template <class T>
std::vector<Detection> suppress_greedy(const ClassView<T>& view, const ClassNmsAttrs& common) {
    const auto& attrs = dynamic_cast<const MulticlassNmsAttrs&>(common);
    const double extra = attrs.normalized ? 0 : 1;
    double threshold = attrs.iou_threshold;
    std::vector<Detection> kept;
    for (const std::size_t i : best_candidates(view, attrs, true)) {
        const CornerBox box = view.box(i);
        const bool covered = std::any_of(kept.begin(), kept.end(), [&](const Detection& other) {
            return overlap(box, view.box(other.index), extra) > threshold;
        });
        if (covered) {
            continue;
        }
        Detection d;
        d.index = i;
        d.score = view.score(i);
        kept.push_back(d);
        threshold = next_threshold(attrs.nms_eta, threshold);
    }
    return kept;
}

void infer_multiclass(InferContext& context) {
    const auto& attrs = context.attrs<MulticlassNmsAttrs>();
    context.require(attrs.nms_eta >= 0 && attrs.nms_eta <= 1, "nms_eta is ", attrs.nms_eta,
                    ", expected a value in [0, 1]");
    infer_class_nms(context, attrs);
}

void evaluate_multiclass(EvalContext& context) {
    run_class_nms(context, context.attrs<MulticlassNmsAttrs>(), suppress_greedy<float>,
                  suppress_greedy<double>);
}

const OpSpec kOps[] = {
    {.type = "MatrixNms",
     .version = 8,
     .inputs = {2, 2},
     .make_attributes = make_attributes<MatrixNmsAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Lowers the scores of overlapping boxes and keeps the best",
     .refused = "nms_top_k or keep_top_k below -1"},
    {.type = "MulticlassNms",
     .version = 8,
     .inputs = {2, 2},
     .make_attributes = make_attributes<MulticlassNmsAttrs>,
     .infer = infer_multiclass,
     .evaluate = evaluate_multiclass,
     .summary = "Removes overlapping boxes of every class and keeps the best",
     .refused = "nms_top_k or keep_top_k below -1, nms_eta outside of [0, 1]"},
    {.type = "MulticlassNms",
     .version = 9,
     .inputs = {2, 3},
     .make_attributes = make_attributes<MulticlassNmsAttrs>,
     .infer = infer_multiclass,
     .evaluate = evaluate_multiclass,
     .summary = "The same, also for boxes of their own for every class",
     .refused = "as MulticlassNms-8"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::matrix_nms_ops

namespace fuseq {

std::vector<Detection> suppress_matrix_f64(const ClassView<double>& view,
                                           const ClassNmsAttrs& common) {
    return matrix_nms_ops::suppress_matrix(view, common);
}

std::vector<Detection> suppress_greedy_f64(const ClassView<double>& view,
                                           const ClassNmsAttrs& common) {
    return matrix_nms_ops::suppress_greedy(view, common);
}

}  // namespace fuseq
