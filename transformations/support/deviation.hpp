// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// sqrt(v + eps) and its reciprocal in the spellings of exporters, for passes that look for
// normalisations.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fuseq/model.hpp"
#include "ops/mvn.hpp"

namespace fuseq {

struct Deviation {
    Output variance;  // v: some mean
    double eps = 0;
    EpsMode mode = EpsMode::kInsideSqrt;
    std::vector<const Node*> nodes;  // from v, which is not among them, to the root
};

// sqrt(v + eps) or sqrt(v) + eps, eps being a number above 0; the root may be a power of 0.5.
std::optional<Deviation> match_deviation(const Output& deviation);
// 1 / sqrt(v + eps), also as a power of -0.5; 1 / (sqrt(v) + eps).
std::optional<Deviation> match_inverse_deviation(const Output& inverse);

// Axes of a ReduceMean that keeps dimensions, from 0, ascending.
std::optional<std::vector<std::int64_t>> axes_of_mean(const Output& mean);

// x of x^2, as a Power or a product.
Output under_square(const Output& square);

}  // namespace fuseq
