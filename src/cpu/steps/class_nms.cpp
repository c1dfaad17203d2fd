// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// MulticlassNms and MatrixNms: the classes spread over threads, the best candidates without sorting
// all of them, a box compared with many at a time.
#include <cmath>
#include <limits>

#include "cpu/kernels/detection/best_ranks.hpp"
#include "cpu/kernels/detection/box_overlap.hpp"
#include "cpu/steps/own_kernels.hpp"
#include "ops/detection/matrix_nms.hpp"

namespace fuseq::cpu {
namespace {

namespace kernels = fuseq::kernels;
using NmsBox = kernels::BoxColumns<double>::Box;

// Positions of the scores above (or at, if `inclusive`) the threshold, best first.
std::vector<std::size_t> best_places(const ClassView<float>& view,
                                     const ClassNmsAttrs& attrs,
                                     bool inclusive) {
    constexpr float kLowest = -std::numeric_limits<float>::infinity();
    const float threshold = attrs.score_threshold;
    if (inclusive && threshold == kLowest) {
        return best_candidates(view, attrs, inclusive);  // nothing is below
    }
    std::vector<std::int32_t> places(view.count);
    places.resize(kernels::places_above(view.scores, view.count,
                                        inclusive ? std::nextafter(threshold, kLowest) : threshold,
                                        places.data()));
    std::vector<std::uint32_t> ranks;
    ranks.reserve(places.size());
    for (const std::int32_t place : places) {
        ranks.push_back(kernels::rank_of(view.scores[place], true));
    }
    const std::size_t wanted =
        attrs.nms_top_k < 0 ? ranks.size()
                            : std::min(ranks.size(), static_cast<std::size_t>(attrs.nms_top_k));
    std::vector<std::uint64_t> entries(kernels::best_ranks_room(ranks.size(), wanted));
    std::vector<std::uint64_t> work(wanted);
    const std::size_t count =
        kernels::best_ranks(ranks.data(), ranks.size(), wanted, entries.data());
    kernels::sort_entries(entries.data(), count, work.data());
    std::vector<std::size_t> order;
    order.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        order.push_back(static_cast<std::size_t>(places[kernels::place_of(entries[i])]));
    }
    return order;
}

NmsBox sized_box(const ClassView<float>& view, std::size_t index, double extra) {
    const CornerBox box = view.box(index);
    return {box.x1, box.y1, box.x2, box.y2, box.area(extra)};
}

std::vector<Detection> suppress_greedy(const ClassView<float>& view, const ClassNmsAttrs& common) {
    const auto& attrs = dynamic_cast<const MulticlassNmsAttrs&>(common);
    const double extra = attrs.normalized ? 0 : 1;
    double threshold = attrs.iou_threshold;
    kernels::BoxColumns<double> boxes;
    std::vector<Detection> kept;
    for (const std::size_t i : best_places(view, attrs, true)) {
        const NmsBox box = sized_box(view, i, extra);
        if (kernels::overlaps_any(boxes, box, extra, threshold)) {
            continue;
        }
        boxes.push_back(box);
        Detection d;
        d.index = i;
        d.score = view.score(i);
        kept.push_back(d);
        threshold = next_threshold(attrs.nms_eta, threshold);
    }
    return kept;
}

// What boxes that do not overlap leave of a score. Of a gaussian that falls it is all; of a line it
// is less than 1 by what keeps its denominator from zero, and less than an overlap leaves is never.
double decay_apart(const MatrixNmsAttrs& attrs, double largest) {
    return attrs.decay_function == DecayFunction::kGaussian ? 1.0 : matrix_decay(attrs, 0, largest);
}

std::vector<Detection> suppress_matrix(const ClassView<float>& view, const ClassNmsAttrs& common) {
    const auto& attrs = dynamic_cast<const MatrixNmsAttrs&>(common);
    const bool rising = attrs.decay_function == DecayFunction::kGaussian &&
                        !(attrs.gaussian_sigma >= 0);  // boxes apart count too
    const std::vector<std::size_t> order = best_places(view, attrs, false);
    const double extra = attrs.normalized ? 0 : 1;
    constexpr std::size_t kVector = 16;
    std::vector<double> ious(order.size() + kVector);
    std::vector<double> largest(order.size(), 0);  // overlap of a box with those before it
    kernels::BoxColumns<double> boxes;
    double apart = 1;  // the smallest of decay_apart()
    std::vector<Detection> kept;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const NmsBox box = sized_box(view, order[i], extra);
        kernels::overlaps(boxes, box, extra, 0, ious.data());
        double factor = apart;
        for (std::size_t j = 0; j < i; ++j) {
            if (ious[j] != 0 || rising) {
                factor = std::min(factor, matrix_decay(attrs, ious[j], largest[j]));
                largest[i] = std::max(largest[i], ious[j]);
            }
        }
        boxes.push_back(box);
        apart = std::min(apart, decay_apart(attrs, largest[i]));
        Detection d;
        d.index = order[i];
        d.score = factor * view.score(order[i]);
        if (d.score > static_cast<double>(attrs.post_threshold)) {
            kept.push_back(d);
        }
    }
    return kept;
}

}  // namespace

NodeKernel make_multiclass_nms() {
    return [](EvalContext& context) {
        run_class_nms(context, context.attrs<MulticlassNmsAttrs>(), suppress_greedy,
                      suppress_greedy_f64, tasks_on_threads);
    };
}

NodeKernel make_matrix_nms() {
    return [](EvalContext& context) {
        run_class_nms(context, context.attrs<MatrixNmsAttrs>(), suppress_matrix,
                      suppress_matrix_f64, tasks_on_threads);
    };
}

}  // namespace fuseq::cpu
