// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "ops/resize/interpolate.hpp"

namespace fuseq::readers {

// Whether a nearest Interpolate of an axis of `src` elements takes these ones, one a result. It
// computes places in double; runtimes that compute in f32 take others where a place lies on the border
// of two elements, or nearly so.
bool interpolate_takes(const std::vector<std::int64_t>& pixels,
                       std::int64_t src,
                       double scale,
                       CoordinateTransformation transformation,
                       NearestMode rounding);

}  // namespace fuseq::readers
