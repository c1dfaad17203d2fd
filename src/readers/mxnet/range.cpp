// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/mxnet/range.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fuseq::mxnet_reader {

Grid grid_of_range(double min, double max, std::int64_t lowest, std::int64_t highest) {
    const double low = std::min(min, 0.0);
    const double high = std::max(max, 0.0);
    const auto first = static_cast<double>(lowest);
    const auto last = static_cast<double>(highest);
    const double scale = (high - low) / (last - first);
    if (scale == 0) {
        return {0, 0};
    }
    const double from_low = first - low / scale;
    const double from_high = last - high / scale;
    const double low_error = std::abs(first) + std::abs(low / scale);
    const double high_error = std::abs(last) + std::abs(high / scale);
    const double zero = low_error < high_error ? from_low : from_high;
    return {static_cast<float>(scale),
            static_cast<std::int64_t>(std::clamp(std::round(zero), first, last))};
}

Grid grid_of(ElementType type, double min, double max) {
    constexpr std::int64_t kByte = 127;
    constexpr std::int64_t kUnsigned = 255;
    constexpr std::int64_t kWide = std::numeric_limits<std::int32_t>::max();
    if (type == ElementType::u8) {
        return grid_of_range(min, max, 0, kUnsigned);
    }
    const double magnitude = std::max(std::abs(min), std::abs(max));
    const std::int64_t limit = type == ElementType::i8 ? kByte : kWide;
    return grid_of_range(-magnitude, magnitude, -limit, limit);
}

}  // namespace fuseq::mxnet_reader
