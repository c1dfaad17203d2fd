// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/detection_boxes.hpp"

#include <algorithm>
#include <cmath>

namespace fuseq {
namespace {

Box decode_corner(const Box& prior, const Box& delta) {
    return {prior.xmin + delta.xmin, prior.ymin + delta.ymin, prior.xmax + delta.xmax,
            prior.ymax + delta.ymax};
}

Box decode_center_size(const Box& prior, const Box& delta) {
    const float width = prior.xmax - prior.xmin;
    const float height = prior.ymax - prior.ymin;
    const float x = (prior.xmin + prior.xmax) / 2 + delta.xmin * width;
    const float y = (prior.ymin + prior.ymax) / 2 + delta.ymin * height;
    const float half_width = std::exp(delta.xmax) * width / 2;
    const float half_height = std::exp(delta.ymax) * height / 2;
    return {x - half_width, y - half_height, x + half_width, y + half_height};
}

}  // namespace

float area(const Box& box) {
    return std::max(0.0F, box.xmax - box.xmin) * std::max(0.0F, box.ymax - box.ymin);
}

Box clipped(const Box& box) {
    return {std::clamp(box.xmin, 0.0F, 1.0F), std::clamp(box.ymin, 0.0F, 1.0F),
            std::clamp(box.xmax, 0.0F, 1.0F), std::clamp(box.ymax, 0.0F, 1.0F)};
}

Box decoded_box(const DetectionOutput8Attrs& attrs, const Box& prior, const Box& delta) {
    const Box box = attrs.code_type == BoxCode::kCorner ? decode_corner(prior, delta)
                                                        : decode_center_size(prior, delta);
    return attrs.clip_before_nms ? clipped(box) : box;
}

std::vector<Box> decode_boxes(const DetectionOutput8Attrs& attrs,
                              const Priors& priors,
                              const std::vector<Box>& deltas) {
    std::vector<Box> boxes(deltas.size());
    for (std::size_t i = 0; i < deltas.size(); ++i) {
        Box delta = deltas[i];
        if (!priors.variances.empty()) {
            const Box& v = priors.variances[i];
            delta = {delta.xmin * v.xmin, delta.ymin * v.ymin, delta.xmax * v.xmax,
                     delta.ymax * v.ymax};
        }
        boxes[i] = decoded_box(attrs, priors.boxes[i], delta);
    }
    return boxes;
}

float overlap(const Box& a, float area_a, const Box& b, float area_b) {
    const float width = std::min(a.xmax, b.xmax) - std::max(a.xmin, b.xmin);
    const float height = std::min(a.ymax, b.ymax) - std::max(a.ymin, b.ymin);
    if (!(width > 0 && height > 0 && area_a > 0 && area_b > 0)) {
        return 0;
    }
    const float common = width * height;
    return common / (area_a + area_b - common);
}

float* write_detection(const DetectionOutput8Attrs& attrs,
                       std::int64_t image,
                       const Candidate& found,
                       const Box& box,
                       float* to) {
    const Box shown = attrs.clip_after_nms ? clipped(box) : box;
    const std::int64_t label = found.label - (attrs.decrease_label_id ? 1 : 0);
    const float row[7] = {static_cast<float>(image),
                          static_cast<float>(label),
                          found.score,
                          shown.xmin,
                          shown.ymin,
                          shown.xmax,
                          shown.ymax};
    return std::copy(row, row + 7, to);
}

void sort_candidates(std::vector<Candidate>& candidates, std::int64_t limit) {
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
    if (limit > -1 && static_cast<std::int64_t>(candidates.size()) > limit) {
        candidates.resize(static_cast<std::size_t>(limit));
    }
}

std::vector<Candidate> suppress(const std::vector<Candidate>& sorted,
                                std::int64_t classes,
                                float threshold,
                                const std::function<const std::vector<Box>&(std::int64_t)>& boxes) {
    std::vector<Candidate> kept;
    std::vector<std::vector<Box>> kept_boxes(static_cast<std::size_t>(classes));
    for (const Candidate& candidate : sorted) {
        const Box& box = boxes(candidate.label)[static_cast<std::size_t>(candidate.box)];
        std::vector<Box>& others = kept_boxes[static_cast<std::size_t>(candidate.label)];
        const bool falls = std::any_of(others.begin(), others.end(), [&](const Box& other) {
            return overlap(box, area(box), other, area(other)) > threshold;
        });
        if (!falls) {
            others.push_back(box);
            kept.push_back(candidate);
        }
    }
    return kept;
}

}  // namespace fuseq
