// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "cpu/kernels/gemm_vnni_detail.hpp"

namespace fuseq::kernels::gemm {
namespace {

constexpr std::size_t kPoints = NormalTable::kDegree + 1;
constexpr double kWidth = 0.25;

double integral(double t) {
    return 0.5 * std::erf(t / std::sqrt(2.0));
}

// The polynomial through the function at the Chebyshev nodes of an interval: Newton's divided
// differences, then multiplied out.
void fit(double begin, double (&c)[kPoints]) {
    double node[kPoints];
    double difference[kPoints];
    for (std::size_t i = 0; i < kPoints; ++i) {
        const double angle = (2.0 * static_cast<double>(i) + 1.0) / (2.0 * kPoints);
        node[i] = 0.5 - 0.5 * std::cos(angle * 3.14159265358979323846);
        difference[i] = integral(begin + kWidth * node[i]);
    }
    for (std::size_t order = 1; order < kPoints; ++order) {
        for (std::size_t i = kPoints - 1; i >= order; --i) {
            difference[i] = (difference[i] - difference[i - 1]) / (node[i] - node[i - order]);
        }
    }
    std::fill(std::begin(c), std::end(c), 0.0);
    for (std::size_t i = kPoints; i-- > 0;) {
        // c = c * (u - node) + difference
        for (std::size_t power = kPoints - 1; power > 0; --power) {
            c[power] = c[power - 1] - node[i] * c[power];
        }
        c[0] = difference[i] - node[i] * c[0];
    }
}

NormalTable make() {
    NormalTable table{};
    for (std::size_t i = 0; i < NormalTable::kIntervals; ++i) {
        double c[kPoints];
        fit(kWidth * static_cast<double>(i), c);
        for (std::size_t power = 0; power < kPoints; ++power) {
            table.coefficients[power][i] = static_cast<float>(c[power]);
        }
    }
    return table;
}

}  // namespace

float NormalTable::value(double t) const {
    const double place = std::min(t / kWidth, kIntervals - 1e-6);
    const auto i = static_cast<std::size_t>(place);
    const auto u = static_cast<float>(place - static_cast<double>(i));
    float v = 0.0f;
    for (std::size_t power = kPoints; power-- > 0;) {
        v = v * u + coefficients[power][i];
    }
    return v;
}

const NormalTable& normal_table() {
    static const NormalTable table = make();
    return table;
}

}  // namespace fuseq::kernels::gemm
