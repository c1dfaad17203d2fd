// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Inverse-14: inverses of square matrices by elimination with partial pivoting, in double. A
// singular matrix is no error: a pivot of 0 is divided by, as in OpenVINO, and gives infinities and
// NaN.
#include "ops/linear_algebra/inverse.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ops/axis_groups.hpp"
#include "ops/op_list.hpp"

namespace fuseq::inverse_ops {
namespace {

template <class Context>
void check_square(const Context& context, const PartialShape& shape) {
    const bool matrix = shape.rank() >= 2;
    context.require(matrix && shape[shape.rank() - 1].compatible(shape[shape.rank() - 2]),
                    "input has shape ", to_string(shape),
                    ", expected square matrices in the last two dimensions");
}

void infer(InferContext& context) {
    require_real(context, 0, "input");
    PartialShape shape = context.shape(0);
    if (shape.rank_is_static()) {
        check_square(context, shape);
        Dimension& rows = shape[shape.rank() - 2];
        Dimension& columns = shape[shape.rank() - 1];
        Dimension::merge(rows, rows, columns);
        columns = rows;
    }
    context.set_output(0, context.type(0), shape);
}

// Turns `a` into the identity and `b`, the identity at first, into its inverse: both get the same
// row operations. Returns the determinant.
double eliminate(std::vector<double>& a, std::vector<double>& b, std::size_t n) {
    double determinant = 1;
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t pivot = k;
        for (std::size_t r = k + 1; r < n; ++r) {
            pivot = std::abs(a[r * n + k]) > std::abs(a[pivot * n + k]) ? r : pivot;
        }
        if (pivot != k) {
            std::swap_ranges(&a[k * n], &a[k * n] + n, &a[pivot * n]);
            std::swap_ranges(&b[k * n], &b[k * n] + n, &b[pivot * n]);
            determinant = -determinant;
        }
        const double diagonal = a[k * n + k];
        determinant *= diagonal;
        for (std::size_t c = 0; c < n; ++c) {
            a[k * n + c] /= diagonal;
            b[k * n + c] /= diagonal;
        }
        for (std::size_t r = 0; r < n; ++r) {
            if (r == k) {
                continue;
            }
            const double factor = a[r * n + k];
            for (std::size_t c = 0; c < n; ++c) {
                a[r * n + c] -= factor * a[k * n + c];
                b[r * n + c] -= factor * b[k * n + c];
            }
        }
    }
    return determinant;
}

template <class T>
void invert(const T* src, T* dst, std::size_t n, bool adjoint) {
    std::vector<double> matrix(src, src + n * n);
    std::vector<double> inverse(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        inverse[i * n + i] = 1;
    }
    const double determinant = eliminate(matrix, inverse, n);
    const double scale = adjoint ? determinant : 1.0;
    std::transform(inverse.begin(), inverse.end(), dst,
                   [&](double value) { return static_cast<T>(value * scale); });
}

void evaluate(EvalContext& context) {
    const Tensor& in = context.input(0);
    const Shape& shape = in.get_shape();
    check_square(context, shape);
    const std::size_t n = shape.back();
    const bool adjoint = context.attrs<InverseAttrs>().adjoint;
    Tensor& out = context.output(0, shape);
    dispatch_real(context, in.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        for (std::size_t first = 0; first < in.get_size(); first += n * n) {
            invert(in.data<T>() + first, out.data<T>() + first, n, adjoint);
        }
    });
}

const OpSpec kOps[] = {
    {.type = "Inverse",
     .version = 14,
     .inputs = {1, 1},
     .make_attributes = make_attributes<InverseAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Inverse or adjugate of square matrices; a singular matrix gives infinities, NaN"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::inverse_ops
