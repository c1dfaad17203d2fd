// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The addends of an elu of which bytes remain (EluSteps).
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

#include "cpu/kernels/gemm/gemm_vnni_wide.hpp"

namespace fuseq::kernels::gemm {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The float nearest to `x` that fits, of a few.
template <class Fits>
std::optional<float> nearest(float x, const Fits& fits) {
    constexpr int kTries = 8;
    float above = x;
    float below = x;
    for (int i = 0; i < kTries; ++i) {
        if (fits(above)) {
            return above;
        }
        if (fits(below)) {
            return below;
        }
        above = std::nextafter(above, kInfinity);
        below = std::nextafter(below, -kInfinity);
    }
    return std::nullopt;
}

// An elu below zero in units of bytes.
class ByteElu {
public:
    explicit ByteElu(const WideElu& elu)
        : factor_(static_cast<double>(elu.factor)),
          depth_(static_cast<double>(elu.alpha) * factor_),
          shift_(static_cast<double>(elu.shift)) {}

    double integer(float y) const {
        return std::nearbyint(depth_ * std::expm1(static_cast<double>(y) / factor_) + shift_);
    }
    double lowest() const { return std::nearbyint(shift_ - depth_); }

    // Whether an integer ends between them.
    bool differs(float low, float high) const { return integer(low) != integer(high); }

    // The first float with the integer of `last`, which that of `first` precedes.
    float change(float first, float last) const {
        const double value = integer(first) + 0.5 - shift_;
        const double near = factor_ * std::log1p(std::fmin(value, 0.0) / depth_);
        float y = std::clamp(static_cast<float>(near), first, last);
        while (y > first && differs(first, std::nextafter(y, first))) {
            y = std::nextafter(y, first);
        }
        while (!differs(first, y)) {
            y = std::nextafter(y, last);
        }
        return y;
    }

    // Of floats from `first` to `last`, less than 1 apart. Slopes are at most 1, so that they have
    // two integers at most.
    std::optional<float> addend(float first, float last) const {
        const bool changes = differs(first, last);
        const float end = changes ? change(first, last) : last;
        const auto middle = static_cast<float>(integer(first));
        const float add = changes ? middle + 0.5f - end : middle - (first + last) / 2;
        const auto takes = [&](float y, float by) {
            return static_cast<double>(std::nearbyint(y + by)) == integer(y);
        };
        // A sum may be rounded to a tie from both sides: floats this near to it are not looked at.
        for (const float near : {0.0f, 0x1p-22f * std::max(1.0f, std::abs(middle))}) {
            const float before = std::max(first, std::nextafter(end, first) - near);
            const float after = std::min(last, end + near);
            const auto fits = [&](float by) {
                return takes(first, by) && takes(last, by) &&
                       (!changes || (takes(before, by) && takes(after, by)));
            };
            if (const std::optional<float> found = nearest(add, fits)) {
                return found;
            }
        }
        return std::nullopt;
    }

private:
    double factor_, depth_, shift_;
};

// The greatest float of a unit.
float end_of_unit(std::size_t number) {
    const auto has = [&](float y) {
        return std::floor(y * -EluSteps::kUnits) >= static_cast<float>(number);
    };
    float y = static_cast<float>(number) / -EluSteps::kUnits;
    while (!has(y)) {
        y = std::nextafter(y, -kInfinity);
    }
    while (y < 0.0f && has(std::nextafter(y, 0.0f))) {
        y = std::nextafter(y, 0.0f);
    }
    return y;
}

}  // namespace

std::optional<EluSteps> elu_steps(const WideElu& elu) {
    const ByteElu of(elu);
    EluSteps steps;
    steps.add[EluSteps::kCount - 1] = elu.shift;
    for (std::size_t i = 0; i + 1 < EluSteps::kCount; ++i) {
        const float first = std::nextafter(end_of_unit(i + 1), kInfinity);
        const std::optional<float> addend = of.addend(first, end_of_unit(i));
        if (!addend) {
            return std::nullopt;
        }
        steps.add[i] = *addend;
        if (of.integer(first) == of.lowest()) {
            steps.lowest = first;
            return steps;
        }
    }
    return std::nullopt;
}

}  // namespace fuseq::kernels::gemm
