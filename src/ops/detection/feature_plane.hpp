// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// One channel of a feature map, and what region poolings check alike.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "ops/op_spec.hpp"

namespace fuseq {

inline constexpr std::int64_t kMaxRoiSamples = 1 << 12;  // along one side of a part

// A position, NaN and infinities included, as an index in [0, size].
inline std::int64_t clamped_cell(double position, std::int64_t size) {
    return position > 0 ? static_cast<std::int64_t>(std::min(position, static_cast<double>(size)))
                        : 0;
}

template <class T>
struct FeaturePlane {
    const T* values;
    std::int64_t height;
    std::int64_t width;

    double at(std::int64_t y, std::int64_t x) const {
        return static_cast<double>(values[y * width + x]);
    }
    // Between the four neighbours of a point that lies in the plane.
    double bilinear(double y, double x) const {
        const auto top = static_cast<std::int64_t>(y);
        const auto left = static_cast<std::int64_t>(x);
        const std::int64_t bottom = std::min(top + 1, height - 1);
        const std::int64_t right = std::min(left + 1, width - 1);
        const double share_y = y - std::floor(y);
        const double share_x = x - std::floor(x);
        const double above = at(top, left) * (1 - share_x) + at(top, right) * share_x;
        const double below = at(bottom, left) * (1 - share_x) + at(bottom, right) * share_x;
        return above * (1 - share_y) + below * share_y;
    }
    bool holds(double y, double x) const {
        return y >= 0 && x >= 0 && y <= static_cast<double>(height - 1) &&
               x <= static_cast<double>(width - 1);
    }
};

template <class T>
FeaturePlane<T> plane_of(const Tensor& features, std::size_t image, std::size_t channel) {
    const Shape& shape = features.get_shape();
    return {features.data<T>() + (image * shape[1] + channel) * shape[2] * shape[3],
            static_cast<std::int64_t>(shape[2]), static_cast<std::int64_t>(shape[3])};
}

// In inference: features [N,C,H,W], regions [R,columns]. Returns R and C.
struct RoiDims {
    Dimension regions;
    Dimension channels;
};
RoiDims check_roi_inputs(const InferContext& context, std::int64_t columns);

// The same at run time; H and W are at least 1.
void require_roi_shapes(const EvalContext& context, std::size_t columns);

// A sensible size of an output, named in messages.
void require_pooled_size(const InferContext& context, const char* name, std::int64_t value);

// The size of a pooled region. Both attributes are sensible sizes, and so is their product.
struct RoiPooled {
    std::int64_t height;
    std::int64_t width;
};
void require_pooled_area(const InferContext& context, const RoiPooled& pooled);

// In inference, of ROIAlign and ROIAlignRotated: features [N,C,H,W], regions [R,columns], the image
// of each region [R]. Sets the output.
void infer_roi_align(InferContext& context,
                     const RoiPooled& pooled,
                     std::int64_t sampling_ratio,
                     float spatial_scale,
                     std::int64_t columns);
// The images of the regions, input 2, at run time.
std::vector<std::size_t> images_of_regions(const EvalContext& context);

// How many of the regions [R, 5] count: an image of -1 ends the list, as Proposal writes it. What
// is pooled for the rows from there on is 0.
std::size_t listed_regions(const Tensor& regions);

// A number from a region as the index of an image; fails when there is none.
std::size_t image_index(const EvalContext& context, double value);

}  // namespace fuseq
