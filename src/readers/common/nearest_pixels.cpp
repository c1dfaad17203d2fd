// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/common/nearest_pixels.hpp"

#include <algorithm>

namespace fuseq::readers {

bool interpolate_takes(const std::vector<std::int64_t>& pixels,
                       std::int64_t src,
                       double scale,
                       CoordinateTransformation transformation,
                       NearestMode rounding) {
    const TapSettings settings{.mode = InterpolateMode::kNearest,
                               .transformation = transformation,
                               .nearest = rounding,
                               .antialias = false,
                               .cube_coeff = 0};
    const AxisResize resize{.axis = 0, .new_size = pixels.size(), .scale = scale};
    const AxisTaps taps = resize_taps(settings, resize, static_cast<std::size_t>(src));
    return std::equal(pixels.begin(), pixels.end(), taps.begin(),
                      [](std::int64_t pixel, const std::vector<ResizeTap>& tap) {
                          return pixel == static_cast<std::int64_t>(tap[0].index);
                      });
}

}  // namespace fuseq::readers
