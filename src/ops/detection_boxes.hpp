// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Boxes and the greedy suppression of DetectionOutput.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "ops/detection_output.hpp"

namespace fuseq {

struct Box {
    float xmin = 0, ymin = 0, xmax = 0, ymax = 0;
};

// The sizes of a DetectionOutput, checked against each other.
struct DetectionSizes {
    std::int64_t images = 0;
    std::int64_t priors = 0;
    std::int64_t classes = 0;
    std::int64_t location_classes = 0;  // 1 when they share locations
    std::int64_t prior_images = 1;      // 1 or images
    std::int64_t rows = 0;              // of the output
};

// Prior boxes and variances of one image as [priors] boxes, over the image size.
struct Priors {
    std::vector<Box> boxes;
    std::vector<Box> variances;  // empty when they are encoded in the target
};

// One box; a delta of which the variance is part. Clipped where that comes before the suppression.
Box decoded_box(const DetectionOutput8Attrs& attrs, const Box& prior, const Box& delta);
std::vector<Box> decode_boxes(const DetectionOutput8Attrs& attrs,
                              const Priors& priors,
                              const std::vector<Box>& deltas);
Box clipped(const Box& box);
float area(const Box& box);
// Intersection over union, areas being known; 0 where one is not positive.
float overlap(const Box& a, float area_a, const Box& b, float area_b);

struct Candidate {
    float score = 0;
    std::int64_t label = 0;
    std::int64_t box = 0;
};

// A row of the output, of 7 numbers; clipped, and the label counted, as the attributes say. Returns
// where the next one begins.
float* write_detection(const DetectionOutput8Attrs& attrs,
                       std::int64_t image,
                       const Candidate& found,
                       const Box& box,
                       float* to);

// Stable, best score first; at most `limit` of them (-1: all).
void sort_candidates(std::vector<Candidate>& candidates, std::int64_t limit);

// Walks the sorted candidates and keeps each one that overlaps no kept one of its label by more
// than the threshold. boxes(label) are the boxes of a class.
std::vector<Candidate> suppress(const std::vector<Candidate>& sorted,
                                std::int64_t classes,
                                float threshold,
                                const std::function<const std::vector<Box>&(std::int64_t)>& boxes);

}  // namespace fuseq
