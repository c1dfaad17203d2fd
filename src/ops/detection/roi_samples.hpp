// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The samples of the parts of a region, and their mean or maximum.
#pragma once

#include <limits>
#include <vector>

#include "ops/detection/feature_plane.hpp"
#include "ops/detection/roi_pooling.hpp"

namespace fuseq {

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
    context.require(samples <= static_cast<double>(kMaxRoiSamples), "a region needs ", samples,
                    " samples a part, expected ", kMaxRoiSamples, " or fewer");
    return {begin, length, std::max<std::int64_t>(0, static_cast<std::int64_t>(samples))};
}

struct RoiPart {
    std::int64_t row;
    std::int64_t column;
};

// A sample on one axis lies between two cells.
struct RoiCell {
    std::int64_t low = 0;
    std::int64_t high = 0;
    double share = 0;  // of the higher one
    bool inside = false;
};

// A value up to one cell outside of the plane is that of the border; farther away it is 0.
inline RoiCell roi_cell(double position, std::int64_t size) {
    RoiCell cell;
    cell.inside = position >= -1 && position <= static_cast<double>(size);
    if (cell.inside) {
        const double within = std::clamp(position, 0.0, static_cast<double>(size - 1));
        cell.low = static_cast<std::int64_t>(within);
        cell.high = std::min(cell.low + 1, size - 1);
        cell.share = within - std::floor(within);
    }
    return cell;
}

// Between the four neighbours of a point: two of row y.low, two of row y.high.
template <class T>
double between_cells(const T* above, const T* below, const RoiCell& y, const RoiCell& x) {
    const auto between = [&](const T* row) {
        return static_cast<double>(row[x.low]) * (1 - x.share) +
               static_cast<double>(row[x.high]) * x.share;
    };
    return between(above) * (1 - y.share) + between(below) * y.share;
}

// The samples of one part of a region, for planes of one size: their cells are worked out once for
// all channels.
class RoiSampler {
public:
    RoiSampler(std::int64_t height, std::int64_t width, const RoiAxis& y, const RoiAxis& x)
        : height_(height), width_(width), y_(y), x_(x) {}

    void set_part(const RoiPart& part) {
        place(y_, part.row, height_, rows_);
        place(x_, part.column, width_, columns_);
    }

    template <class T>
    double pool(const FeaturePlane<T>& plane, RoiAlignMode mode) const {
        const std::size_t count = rows_.size() * columns_.size();
        double sum = 0;
        double best = count > 0 ? std::numeric_limits<double>::lowest() : 0.0;
        for (const RoiCell& y : rows_) {
            const T* above = plane.values + y.low * width_;
            const T* below = plane.values + y.high * width_;
            for (const RoiCell& x : columns_) {
                const double value = y.inside && x.inside ? between_cells(above, below, y, x) : 0.0;
                sum += value;
                best = std::max(best, value);
            }
        }
        if (mode == RoiAlignMode::kMax) {
            return best;
        }
        return count > 0 ? sum / static_cast<double>(count) : 0.0;
    }

private:
    static void place(const RoiAxis& axis,
                      std::int64_t part,
                      std::int64_t size,
                      std::vector<RoiCell>& cells) {
        cells.resize(static_cast<std::size_t>(axis.samples));
        for (std::int64_t i = 0; i < axis.samples; ++i) {
            cells[static_cast<std::size_t>(i)] = roi_cell(axis.position(part, i), size);
        }
    }

    std::int64_t height_;
    std::int64_t width_;
    RoiAxis y_, x_;
    std::vector<RoiCell> rows_, columns_;
};

// All parts of a region, of `channels` planes that begin with `first`; to[channel][part].
template <class T, class Sampler>
void pool_region(const FeaturePlane<T>& first,
                 std::size_t channels,
                 Sampler sampler,
                 const RoiPart& parts,
                 RoiAlignMode mode,
                 T* to) {
    const auto area = static_cast<std::size_t>(first.height * first.width);
    const std::int64_t count = parts.row * parts.column;
    constexpr std::size_t kAtOnce = 32;  // their planes stay in the cache from part to part
    for (std::size_t begin = 0; begin < channels; begin += kAtOnce) {
        const std::size_t end = std::min(begin + kAtOnce, channels);
        for (std::int64_t i = 0; i < count; ++i) {
            sampler.set_part({i / parts.column, i % parts.column});
            for (std::size_t c = begin; c < end; ++c) {
                const FeaturePlane<T> plane{first.values + c * area, first.height, first.width};
                to[static_cast<std::int64_t>(c) * count + i] =
                    static_cast<T>(sampler.pool(plane, mode));
            }
        }
    }
}

}  // namespace fuseq
