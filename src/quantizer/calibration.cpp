// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fuseq::quantizer {
namespace {

// Ends are tried in this many steps between a tenth of the range and all of it.
constexpr int kSteps = 90;
constexpr double kMinRangeShare = 0.1;

// Mean squared distance of the values from what the scale makes of them. Values of a bin are taken
// for evenly spread over it.
double squared_error(const Histogram& histogram, const ScaleAndOffset& scale) {
    const double step = scale.scale;
    const double width = histogram.width();
    const RealRange limits = scale.limits();
    const double within_bin = width * width / 12;
    double sum = 0;
    for (std::size_t i = 0; i < histogram.counts().size(); ++i) {
        const auto count = static_cast<double>(histogram.counts()[i]);
        if (count == 0) {
            continue;
        }
        const double x = histogram.center(i);
        const double clipped =
            std::clamp(x, static_cast<double>(limits.min), static_cast<double>(limits.max));
        const double nearest = std::nearbyint(clipped / step) * step;
        // Bins wider than a step lie across several values.
        const double distance = width < step || clipped != x
                                    ? (x - nearest) * (x - nearest) + within_bin
                                    : step * step / 12;
        sum += count * distance;
    }
    return sum;
}

RealRange share_of(RealRange range, double low, double high) {
    return {static_cast<float>(static_cast<double>(range.min) * low),
            static_cast<float>(static_cast<double>(range.max) * high)};
}

double share(int step) {
    return kMinRangeShare + (1 - kMinRangeShare) * step / kSteps;
}

template <class Cost>
RealRange best_range(RealRange range, const Cost& cost) {
    // Both ends at once, then each alone from there.
    double low = 1;
    double high = 1;
    double best = cost(range);
    const auto consider = [&](double new_low, double new_high) {
        const double value = cost(share_of(range, new_low, new_high));
        if (value < best) {
            best = value;
            low = new_low;
            high = new_high;
        }
    };
    for (int step = kSteps - 1; step >= 0; --step) {
        consider(share(step), share(step));
    }
    for (int step = kSteps; range.min < 0 && step >= 0; --step) {
        consider(share(step), high);
    }
    for (int step = kSteps; range.max > 0 && step >= 0; --step) {
        consider(low, share(step));
    }
    return share_of(range, low, high);
}

RealRange least_squares(RealRange range,
                        const Histogram& histogram,
                        const CalibrationOptions& options) {
    return best_range(range, [&](RealRange tried) {
        return squared_error(histogram, choose_scale(tried, options.schema, options.integers));
    });
}

// Divergence of the histogram from its quantized form, both clipped to the same integers: every
// value outside counts at the end next to it, and the quantized form spreads each integer evenly
// over its bins that are not empty.
class Divergence {
public:
    Divergence(const Histogram& histogram, const CalibrationOptions& options)
        : histogram_(histogram), options_(options) {}

    double operator()(RealRange range) const {
        const ScaleAndOffset scale = choose_scale(range, options_.schema, options_.integers);
        const std::vector<std::uint64_t>& counts = histogram_.counts();
        const auto levels = static_cast<std::size_t>(options_.integers.levels());
        std::vector<double> mass(levels);
        std::vector<std::size_t> filled(levels);
        std::vector<std::size_t> level(counts.size());
        const RealRange limits = scale.limits();
        const auto outside = [&](std::size_t i) {
            const double x = histogram_.center(i);
            return x < static_cast<double>(limits.min) - scale.scale / 2.0 ||
                   x > static_cast<double>(limits.max) + scale.scale / 2.0;
        };
        std::vector<double> clipped(counts.size());
        std::size_t first = counts.size();
        std::size_t last = 0;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            if (outside(i)) {
                continue;
            }
            first = std::min(first, i);
            last = i;
            level[i] = static_cast<std::size_t>(
                scale.quantize(static_cast<float>(histogram_.center(i))) - options_.integers.min);
            clipped[i] = static_cast<double>(counts[i]);
            mass[level[i]] += clipped[i];  // without what is clipped
            filled[level[i]] += counts[i] != 0 ? 1 : 0;
        }
        if (first > last) {
            return std::numeric_limits<double>::infinity();
        }
        for (std::size_t i = 0; i < counts.size(); ++i) {
            if (i < first || i > last) {
                clipped[i < first ? first : last] += static_cast<double>(counts[i]);
            }
        }
        return distance(clipped, mass, filled, level, first, last);
    }

private:
    // Stands for zero in bins that the clipped histogram fills and its quantized form does not.
    static constexpr double kSmallest = 1e-9;

    double distance(const std::vector<double>& clipped,
                    const std::vector<double>& mass,
                    const std::vector<std::size_t>& filled,
                    const std::vector<std::size_t>& level,
                    std::size_t first,
                    std::size_t last) const {
        const auto total = static_cast<double>(histogram_.total());
        double inside = 0;
        for (const double m : mass) {
            inside += m;
        }
        if (inside == 0) {
            return std::numeric_limits<double>::infinity();
        }
        double sum = 0;
        for (std::size_t i = first; i <= last; ++i) {
            if (clipped[i] == 0) {
                continue;
            }
            const double p = clipped[i] / total;
            const std::size_t bins = filled[level[i]];
            const double q = bins == 0 || histogram_.counts()[i] == 0
                                 ? kSmallest
                                 : mass[level[i]] / static_cast<double>(bins) / inside;
            sum += p * std::log(p / q);
        }
        return sum;
    }

    const Histogram& histogram_;
    const CalibrationOptions& options_;
};

// Half of what may be left out on each side that has values; all of it on the only one.
RealRange percentile(RealRange range, const Histogram& histogram, double percent) {
    const std::vector<std::uint64_t>& counts = histogram.counts();
    const bool two_sided = range.min < 0 && range.max > 0;
    const double outside =
        static_cast<double>(histogram.total()) * (1 - percent / 100) / (two_sided ? 2 : 1);
    const auto end_after = [&](auto bin, auto stop) {
        double left_out = 0;
        for (; bin != stop; ++bin) {
            left_out += static_cast<double>(*bin);
            if (left_out > outside) {
                break;
            }
        }
        return bin;
    };
    const double width = histogram.width();
    if (range.max > 0) {
        const auto bin = end_after(counts.rbegin(), counts.rend());
        const auto ordinal = static_cast<double>(counts.rend() - bin + histogram.first());
        range.max = std::min(range.max, static_cast<float>(std::max(ordinal, 0.0) * width));
    }
    if (range.min < 0) {
        const auto bin = end_after(counts.begin(), counts.end());
        const auto ordinal = static_cast<double>(bin - counts.begin() + histogram.first());
        range.min = std::max(range.min, static_cast<float>(std::min(ordinal, 0.0) * width));
    }
    return range;
}

}  // namespace

RealRange calibrate(RealRange range,
                    const Histogram& histogram,
                    const CalibrationOptions& options) {
    if (options.method == Calibration::kNone || histogram.total() == 0) {
        return range;
    }
    if (options.method == Calibration::kPercentile) {
        return percentile(range, histogram, options.percentile);
    }
    if (static_cast<std::int64_t>(histogram.max_bins()) < options.integers.levels()) {
        return range;
    }
    range = {std::min(range.min, 0.0f), std::max(range.max, 0.0f)};
    return options.method == Calibration::kMse ? least_squares(range, histogram, options)
                                               : best_range(range, Divergence(histogram, options));
}

}  // namespace fuseq::quantizer
