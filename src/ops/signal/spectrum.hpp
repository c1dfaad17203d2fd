// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Complex numbers of a tensor, transformed an axis at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/op_spec.hpp"
#include "ops/signal/fft.hpp"

namespace fuseq {

// A size that a model may ask for.
inline constexpr std::int64_t kLongestSignal = std::int64_t{1} << 28;

struct Spectrum {
    Shape shape;  // without the dimension of pairs
    std::vector<Complex> values;
};

// Input 0.
Spectrum read_pairs(const EvalContext& context);
Spectrum read_real(const EvalContext& context);
// Output 0.
void write_pairs(EvalContext& context, const Spectrum& spectrum);
void write_real(EvalContext& context, const Spectrum& spectrum);

// Keeps the first `size` values along the axis; adds zeros after them where there are fewer. Fails
// where the spectrum grows beyond the limit of check_element_count().
void resize_axis(const EvalContext& context,
                 Spectrum& spectrum,
                 std::size_t axis,
                 std::size_t size);
// All lines along the axis.
void transform_axis(Spectrum& spectrum, std::size_t axis, FftDirection direction);
// The values of a real signal's spectrum that mirror the first size / 2 + 1: x[n - k] is the
// conjugate of x[k]. The axis has `size` values already.
void mirror_axis(Spectrum& spectrum, std::size_t axis);

}  // namespace fuseq
