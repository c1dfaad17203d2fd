// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Greedy suppression of the boxes of every class of every image, for any kind of box: overlap(a, b)
// is the intersection over union of two of them.
#pragma once

#include <cmath>
#include <functional>
#include <queue>
#include <vector>

#include "ops/detection/non_max_suppression.hpp"

namespace fuseq {

struct NmsCandidate {
    double score;
    std::size_t index;
    std::size_t compared;  // kept boxes that it was compared with
    // Best first; of equal scores the first box.
    bool operator<(const NmsCandidate& other) const {
        return score != other.score ? score < other.score : index > other.index;
    }
};

// Lowers the score of a candidate by the boxes kept since it was last looked at; true when a box
// covers it.
template <class AnyBox>
bool suppressed(NmsCandidate& candidate,
                const std::vector<AnyBox>& boxes,
                const std::vector<NmsKept>& kept,
                const NmsLimits& limits) {
    for (std::size_t j = kept.size(); j-- > candidate.compared;) {
        const double iou = overlap(boxes[candidate.index], boxes[kept[j].index]);
        if (iou > limits.iou) {
            return true;
        }
        if (limits.sigma > 0) {
            candidate.score *= std::exp(-0.5 * iou * iou / limits.sigma);
            if (candidate.score <= limits.score) {
                break;
            }
        }
    }
    candidate.compared = kept.size();
    return false;
}

// Boxes of one class of one image, best first.
template <class AnyBox, class T>
std::vector<NmsKept> suppress_class(const std::vector<AnyBox>& boxes,
                                    const T* scores,
                                    const NmsLimits& limits) {
    std::vector<NmsCandidate> candidates;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        if (static_cast<double>(scores[i]) > limits.score) {
            candidates.push_back({static_cast<double>(scores[i]), i, 0});
        }
    }
    // One pass makes the heap; few candidates are ever taken off it.
    std::priority_queue<NmsCandidate> queue(std::less<NmsCandidate>(), std::move(candidates));
    std::vector<NmsKept> kept;
    while (!queue.empty() && kept.size() < limits.max_boxes) {
        NmsCandidate candidate = queue.top();
        queue.pop();
        const double before = candidate.score;
        if (suppressed(candidate, boxes, kept, limits)) {
            continue;
        }
        if (candidate.score == before) {
            kept.push_back({0, 0, candidate.index, candidate.score});
        } else if (candidate.score > limits.score) {
            queue.push(candidate);
        }
    }
    return kept;
}

// read_box(numbers) makes a box of its numbers in input 0.
template <class T, class ReadBox>
std::vector<NmsKept> suppress_images(const EvalContext& context,
                                     const NmsSizes& sizes,
                                     const NmsLimits& limits,
                                     const ReadBox& read_box) {
    const T* numbers = context.input(kBoxes).data<T>();
    const std::size_t size = context.input(kBoxes).get_shape()[2];
    const T* scores = context.input(kScores).data<T>();
    std::vector<NmsKept> all;
    for (std::size_t image = 0; image < sizes.images; ++image) {
        std::vector<decltype(read_box(numbers))> boxes;
        boxes.reserve(sizes.boxes);
        for (std::size_t b = 0; b < sizes.boxes; ++b) {
            boxes.push_back(read_box(numbers + (image * sizes.boxes + b) * size));
        }
        for (std::size_t label = 0; label < sizes.classes; ++label) {
            const T* own = scores + (image * sizes.classes + label) * sizes.boxes;
            for (NmsKept kept : suppress_class(boxes, own, limits)) {
                kept.image = image;
                kept.label = label;
                all.push_back(kept);
            }
        }
    }
    return all;
}

// The whole kernel.
template <class ReadBox>
void run_nms(EvalContext& context, std::size_t numbers_of_a_box, const ReadBox& read_box) {
    const NmsSizes sizes = nms_sizes(context, numbers_of_a_box);
    const NmsLimits limits = nms_limits(context);
    std::vector<NmsKept> kept;
    switch (context.input(kBoxes).get_element_type()) {
        case ElementType::f32:
            kept = suppress_images<float>(context, sizes, limits, read_box);
            break;
        case ElementType::f64:
            kept = suppress_images<double>(context, sizes, limits, read_box);
            break;
        default:
            context.fail("no kernel for boxes of ",
                         to_string(context.input(kBoxes).get_element_type()),
                         ", expected f32 or f64");
    }
    finish_nms(context, sizes, limits, kept);
}

}  // namespace fuseq
