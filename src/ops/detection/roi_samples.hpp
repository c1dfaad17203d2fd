// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The samples of the parts of a region, and their mean or maximum.
#pragma once

#include <limits>

#include "ops/detection/feature_plane.hpp"
#include "ops/detection/roi_pooling.hpp"

namespace fuseq {

inline constexpr std::int64_t kMostRoiSamples = 1 << 12;  // along one side of a part

// One axis of a region: parts and the samples in each.
struct RoiAxis {
    double begin = 0;
    double length = 0;  // of a part
    std::int64_t samples = 0;
    double position(std::int64_t part, std::int64_t sample) const {
        return begin + (static_cast<double>(part) +
                        (static_cast<double>(sample) + 0.5) / static_cast<double>(samples)) *
                           length;
    }
};

// A side from `begin` over `size`, in cells; sampling_ratio 0: as many samples as cells in a part.
inline RoiAxis make_roi_axis(const EvalContext& context,
                             double begin,
                             double size,
                             std::int64_t parts,
                             std::int64_t sampling_ratio) {
    context.require(std::isfinite(begin) && std::isfinite(size), "a region has a side from ", begin,
                    " of length ", size);
    const double length = size / static_cast<double>(parts);
    const double samples =
        sampling_ratio > 0 ? static_cast<double>(sampling_ratio) : std::ceil(length);
    context.require(samples <= static_cast<double>(kMostRoiSamples), "a region needs ", samples,
                    " samples a part, expected ", kMostRoiSamples, " or fewer");
    return {begin, length, std::max<std::int64_t>(0, static_cast<std::int64_t>(samples))};
}

// A value up to one cell outside of the plane is that of the border; farther away it is 0.
template <class T>
double roi_value_at(const FeaturePlane<T>& plane, double y, double x) {
    const auto height = static_cast<double>(plane.height);
    const auto width = static_cast<double>(plane.width);
    if (!(y >= -1 && y <= height && x >= -1 && x <= width)) {
        return 0;
    }
    return plane.bilinear(std::clamp(y, 0.0, height - 1), std::clamp(x, 0.0, width - 1));
}

struct RoiPart {
    std::int64_t row;
    std::int64_t column;
};

template <class T>
double pool_roi_samples(const FeaturePlane<T>& plane,
                        const RoiAxis& y,
                        const RoiAxis& x,
                        const RoiPart& part,
                        RoiAlignMode mode) {
    const std::int64_t count = y.samples * x.samples;
    double sum = 0;
    double best = count > 0 ? std::numeric_limits<double>::lowest() : 0.0;
    for (std::int64_t i = 0; i < count; ++i) {
        const double value = roi_value_at(plane, y.position(part.row, i / x.samples),
                                          x.position(part.column, i % x.samples));
        sum += value;
        best = std::max(best, value);
    }
    if (mode == RoiAlignMode::kMax) {
        return best;
    }
    return count > 0 ? sum / static_cast<double>(count) : 0.0;
}

}  // namespace fuseq
