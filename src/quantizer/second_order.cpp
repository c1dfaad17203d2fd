// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/second_order.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fuseq::quantizer {
namespace {

// Added to the diagonal, as a share of its mean: what the sample did not see may still occur.
constexpr double kDamping = 0.01;
constexpr std::size_t kLanes = 8;

// Several sums at a time: the compiler keeps the order of one.
template <class T>
T dot(const T* a, const T* b, std::size_t count) {
    T sums[kLanes]{};
    std::size_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            sums[lane] += a[i + lane] * b[i + lane];
        }
    }
    T sum{};
    for (const T part : sums) {
        sum += part;
    }
    for (; i < count; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

// Lower Cholesky factor in place; row by row.
void factorize(std::vector<double>& matrix, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
        double* row = matrix.data() + i * size;
        for (std::size_t j = 0; j < i; ++j) {
            const double* other = matrix.data() + j * size;
            row[j] = (row[j] - dot(row, other, j)) / other[j];
        }
        row[i] = std::sqrt(std::max(row[i] - dot(row, row, i), 1e-30));
    }
}

}  // namespace

RoundingOrder::RoundingOrder(const Moments& moments, bool centred)
    : taps_(moments.taps), order_(moments.taps), columns_(moments.taps * moments.taps) {
    const auto value = [&](std::size_t i, std::size_t j) {
        return moments.second(i, j) - (centred ? moments.mean(i) * moments.mean(j) : 0);
    };
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return value(a, a) < value(b, b); });
    double trace = 0;
    for (std::size_t i = 0; i < taps_; ++i) {
        trace += value(i, i);
    }
    const double damping = std::max(kDamping * trace / static_cast<double>(taps_), 1e-20);
    std::vector<double> matrix(taps_ * taps_);
    for (std::size_t i = 0; i < taps_; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            matrix[i * taps_ + j] = value(order_[i], order_[j]) + (i == j ? damping : 0);
        }
    }
    factorize(matrix, taps_);
    for (std::size_t k = 0; k < taps_; ++k) {
        for (std::size_t j = k + 1; j < taps_; ++j) {
            columns_[k * taps_ + j] =
                static_cast<float>(matrix[j * taps_ + k] / matrix[k * taps_ + k]);
        }
    }
}

std::vector<std::int64_t> RoundingOrder::round(const std::vector<float>& weights,
                                               const ScaleAndOffset& scale) const {
    std::vector<std::int64_t> integers(taps_);
    std::vector<float> errors(taps_);
    for (std::size_t k = taps_; k-- > 0;) {
        const std::size_t at = order_[k];
        const float* column = columns_.data() + k * taps_ + k + 1;
        const float wanted = weights[at] + dot(errors.data() + k + 1, column, taps_ - k - 1);
        integers[at] = scale.quantize(wanted);
        errors[k] = weights[at] - scale.dequantize(integers[at]);
    }
    return integers;
}

double output_error(const Moments& moments, const std::vector<float>& errors, double shift) {
    double sum = shift * shift + 2 * shift * -mean_shift(moments, errors);
    for (std::size_t i = 0; i < moments.taps; ++i) {
        const float row =
            dot(moments.squares.data() + i * moments.taps, errors.data(), moments.taps);
        sum += static_cast<double>(errors[i]) * static_cast<double>(row) / moments.count;
    }
    return std::max(sum, 0.0);
}

double mean_shift(const Moments& moments, const std::vector<float>& errors) {
    double sum = 0;
    for (std::size_t i = 0; i < moments.taps; ++i) {
        sum -= static_cast<double>(errors[i]) * moments.mean(i);
    }
    return sum;
}

}  // namespace fuseq::quantizer
