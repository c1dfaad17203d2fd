// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic with constant numbers, for passes that recognise functions by their formula.
#pragma once

#include <array>
#include <optional>

#include "fuseq/model.hpp"

namespace fuseq {

// factor * source + shift.
struct Affine {
    Output source;
    double factor = 1;
    double shift = 0;
};

// Through Add, Subtract, Multiply, Divide and Negative with one number that is constant, as far as
// nobody else reads the results; not beyond `stop`.
Affine affine_of(const Output& output, const Output& stop = {});

// Coefficients of 1, x, x^2, x^3.
using Polynomial = std::array<double, 4>;

// A value that is computed from x and constant numbers by sums, products and powers that nobody
// else reads. Nothing when something else goes in, or the degree is above three.
std::optional<Polynomial> polynomial_in(const Output& x, const Output& value);

}  // namespace fuseq
