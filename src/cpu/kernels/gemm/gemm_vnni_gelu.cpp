// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"

namespace fuseq::kernels::gemm {
namespace {

constexpr double kWidth = 1.0 / static_cast<double>(GeluTable::kPerUnit);

// What relu has more than gelu, t >= 0.
double missing(post_ops::EltwiseKind kind, double t) {
    if (kind == post_ops::EltwiseKind::kGeluErf) {
        return 0.5 * t * std::erfc(t / std::sqrt(2.0));
    }
    constexpr double kRootOf2ByPi = 0.79788456080286535588;
    return t / (1.0 + std::exp(2.0 * kRootOf2ByPi * (t + 0.044715 * t * t * t)));
}

// The polynomial through a function at the Chebyshev nodes of an interval: Newton's divided
// differences, then multiplied out. At 0, where the interval begins there, it is nothing, to the
// bit.
template <std::size_t Points, class Function>
void fit(const Function& function, double begin, double end, double (&c)[Points]) {
    double node[Points];
    double difference[Points];
    for (std::size_t i = 0; i < Points; ++i) {
        const double angle = (2.0 * static_cast<double>(i) + 1.0) / (2.0 * Points);
        node[i] = begin + (end - begin) * (0.5 - 0.5 * std::cos(angle * 3.14159265358979323846));
        node[i] = begin == 0.0 && i == 0 ? 0.0 : node[i];
        difference[i] = function(node[i]);
    }
    for (std::size_t order = 1; order < Points; ++order) {
        for (std::size_t i = Points - 1; i >= order; --i) {
            difference[i] = (difference[i] - difference[i - 1]) / (node[i] - node[i - order]);
        }
    }
    std::fill(std::begin(c), std::end(c), 0.0);
    for (std::size_t i = Points; i-- > 0;) {
        // c = c * (t - node) + difference
        for (std::size_t power = Points - 1; power > 0; --power) {
            c[power] = c[power - 1] - node[i] * c[power];
        }
        c[0] = difference[i] - node[i] * c[0];
    }
}

}  // namespace

bool GeluTable::knows(post_ops::EltwiseKind kind) {
    return kind == post_ops::EltwiseKind::kGeluErf || kind == post_ops::EltwiseKind::kGeluTanh;
}

GeluTable::GeluTable(const post_ops::Eltwise& eltwise) : scale(eltwise.scale) {
    // Nothing in the last one: a large x stays what it is, and a half that follows stays a half.
    for (auto& coefficient : coefficients) {
        coefficient[kIntervals - 1] = 0.0f;
    }
    for (std::size_t i = 0; i + 1 < kIntervals; ++i) {
        const double middle = kWidth * static_cast<double>(i);
        double c[kDegree + 1];
        fit([&](double t) { return missing(eltwise.kind, t); }, std::max(middle - kWidth / 2, 0.0),
            middle + kWidth / 2, c);
        for (std::size_t power = 0; power <= kDegree; ++power) {
            coefficients[power][i] =
                static_cast<float>(-static_cast<double>(eltwise.scale) * c[power]);
        }
    }
}

float GeluTable::value(float x) const {
    const float t = std::min(std::abs(x), kEnd);
    const auto i = static_cast<std::size_t>(std::lrint(kPerUnit * t));
    float v = coefficients[kDegree][i];
    for (std::size_t power = kDegree; power-- > 0;) {
        v = std::fma(v, t, coefficients[power][i]);
    }
    return std::fma(std::max(x, 0.0f), scale, v);
}

ShortGeluTable::ShortGeluTable(const post_ops::Eltwise& eltwise) : scale(eltwise.scale) {
    for (std::size_t i = 0; i + 1 < kIntervals; ++i) {  // nothing in the last one
        const auto middle = static_cast<double>(i);
        double c[kDegree + 1];
        fit([&](double u) { return missing(eltwise.kind, (middle + u) / double{kPerUnit}); },
            i == 0 ? 0.0 : -0.5, 0.5, c);
        for (std::size_t power = 0; power <= kDegree; ++power) {
            coefficients[power][i] =
                static_cast<float>(-static_cast<double>(eltwise.scale) * c[power]);
        }
    }
}

float ShortGeluTable::value(float x) const {
    const float place = kPerUnit * std::min(std::abs(x), kEnd);
    const float nearest = std::nearbyint(place);
    const auto i = static_cast<std::size_t>(nearest);
    float v = coefficients[kDegree][i];
    for (std::size_t power = kDegree; power-- > 0;) {
        v = std::fma(v, place - nearest, coefficients[power][i]);
    }
    return std::fma(std::max(x, 0.0f), scale, v);
}

}  // namespace fuseq::kernels::gemm
