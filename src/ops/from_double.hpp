// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// From a value computed in double to the element type of an output.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace fuseq {

// Integers: rounded half to even and clamped to the range of the type; NaN gives 0.
template <class T>
T from_double(double value) {
    if constexpr (std::is_integral_v<T>) {
        if (std::isnan(value)) {
            return 0;
        }
        constexpr auto kLow = static_cast<double>(std::numeric_limits<T>::lowest());
        // One above the largest T: exact as a double where the largest itself is not.
        const double end = std::ldexp(1.0, std::numeric_limits<T>::digits);
        const double rounded = std::nearbyint(value);
        if (rounded >= end) {
            return std::numeric_limits<T>::max();
        }
        return static_cast<T>(std::max(rounded, kLow));
    } else {
        return static_cast<T>(value);
    }
}

}  // namespace fuseq
