// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// MatMul-1: [..., M, K] x [..., K, N] -> [..., M, N], leading dimensions broadcast by numpy rules.
// A first operand [K] is a row, a second one [K] a column; their dimension 1 leaves the result, and
// the transpose of such an operand is ignored.
// u8 and i8 operands (after the low-precision transformations) give f32, and so does a first one of
// u16 with such a second one; inputs 2 and 3, optional, are then the zero points of the two operands: one integer each, or, of the second operand, f32,
// one value or one a column.
#include "ops/matmul.hpp"

#include <algorithm>

#include "model/typed.hpp"
#include "ops/broadcast.hpp"
#include "ops/op_list.hpp"
#include "ops/strided_copy.hpp"
#include "ops/zero_points.hpp"

namespace fuseq::matmul_ops {
namespace {

bool is_byte(ElementType type) {
    return type == ElementType::u8 || type == ElementType::i8;
}

bool are_quantized(ElementType a, ElementType b) {
    return (is_byte(a) || a == ElementType::u16) && is_byte(b);
}

ElementType output_type(const InferContext& context) {
    if (are_quantized(context.type(0), context.type(1))) {
        for (std::size_t i = 2; i < 4; ++i) {
            const bool fits = !context.has_input(i) || is_integral(context.type(i)) ||
                              (i == 3 && context.type(i) == ElementType::f32);
            context.require(fits, "the zero point, input ", i, ", is ",
                            i == 3 ? "neither an integer nor f32" : "not an integer");
        }
        return ElementType::f32;
    }
    context.require_same_type(0, 1);
    context.require(!context.has_input(2) && !context.has_input(3),
                    "zero points need u8 or i8 operands, or u16 by those");
    return context.type(0);
}

// Both operands as matrices: transposes resolved, vectors made to matrices.
struct Matrices {
    PartialShape a;  // [..., M, K]
    PartialShape b;  // [..., K, N]
    bool row = false;
    bool column = false;
};

Matrices matrices(const MatMulAttrs& attrs, const PartialShape& a, const PartialShape& b) {
    const auto as_matrix = [](const PartialShape& shape, bool transposed, bool first) {
        std::vector<Dimension> dims = shape.dims();
        if (dims.size() == 1) {
            dims.insert(first ? dims.begin() : dims.end(), Dimension(1));
        } else if (transposed) {
            std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
        }
        return PartialShape(dims);
    };
    return {as_matrix(a, attrs.transpose_a, true), as_matrix(b, attrs.transpose_b, false),
            a.rank() == 1, b.rank() == 1};
}

PartialShape batch_of(const PartialShape& shape) {
    return PartialShape(std::vector<Dimension>(shape.begin(), shape.end() - 2));
}
Shape batch_of(const Shape& shape) {
    return Shape(std::vector<std::size_t>(shape.begin(), shape.end() - 2));
}

template <class Context>
void check_operands(const Context& context, const PartialShape& a, const PartialShape& b) {
    context.require(a.rank() >= 1 && b.rank() >= 1, "operands have shapes ", to_string(a), " and ",
                    to_string(b), ", expected rank 1 or more");
}

template <class Context>
void check_depth(const Context& context, const Matrices& m) {
    const Dimension& k = m.a[m.a.rank() - 1];
    const Dimension& other = m.b[m.b.rank() - 2];
    context.require(k.compatible(other), "the operands do not match: ", to_string(k),
                    " columns against ", to_string(other), " rows (as matrices ", to_string(m.a),
                    " and ", to_string(m.b), ")");
}

void infer(InferContext& context) {
    const ElementType type = output_type(context);
    const PartialShape& a = context.shape(0);
    const PartialShape& b = context.shape(1);
    if (!a.rank_is_static() || !b.rank_is_static()) {
        context.set_output(0, type, PartialShape::dynamic());
        return;
    }
    check_operands(context, a, b);
    const Matrices m = matrices(context.attrs<MatMulAttrs>(), a, b);
    check_depth(context, m);
    std::vector<Dimension> dims = broadcast_shapes(context, batch_of(m.a), batch_of(m.b)).dims();
    if (!m.row) {
        dims.push_back(m.a[m.a.rank() - 2]);
    }
    if (!m.column) {
        dims.push_back(m.b[m.b.rank() - 1]);
    }
    context.set_output(0, type, PartialShape(dims));
}

// One product of two matrices in memory: element (i, k) of a at i * a_row + k * a_col.
struct Product {
    std::size_t m, n, k;
    std::size_t a_row, a_col, b_row, b_col;
    double a_zero = 0;
    ZeroPoints b_zero;  // of the columns
};

template <class T, class Dst>
using Accumulator = std::conditional_t<std::is_integral_v<T> && std::is_same_v<T, Dst>,
                                       std::uint64_t,  // wraps as the type itself does
                                       double>;

template <class A, class B, class Dst>
void multiply(const Product& p, const A* a, const B* b, Dst* dst) {
    using Sum = Accumulator<A, Dst>;
    for (std::size_t i = 0; i < p.m; ++i) {
        for (std::size_t j = 0; j < p.n; ++j) {
            Sum sum = 0;
            const A* x = a + i * p.a_row;
            const B* y = b + j * p.b_col;
            const double b_zero = p.b_zero[j];
            for (std::size_t k = 0; k < p.k; ++k, x += p.a_col, y += p.b_row) {
                if constexpr (std::is_same_v<Sum, double>) {
                    sum +=
                        (static_cast<double>(*x) - p.a_zero) * (static_cast<double>(*y) - b_zero);
                } else {
                    sum += static_cast<Sum>(*x) * static_cast<Sum>(*y);
                }
            }
            *dst++ = static_cast<Dst>(sum);
        }
    }
}

double zero_point(const EvalContext& context, std::size_t i) {
    if (!context.has_input(i)) {
        return 0;
    }
    const std::vector<std::int64_t> values = to_ints(context.input(i));
    context.require(values.size() == 1, "the zero point, input ", i, ", has ", values.size(),
                    " values, expected 1");
    return static_cast<double>(values[0]);
}

struct Plan {
    Product product;
    Shape a, b, batch, dst;  // a and b as matrices
};

Plan plan(const EvalContext& context) {
    const auto& attrs = context.attrs<MatMulAttrs>();
    const PartialShape a = context.input(0).get_shape();
    const PartialShape b = context.input(1).get_shape();
    check_operands(context, a, b);
    const Matrices m = matrices(attrs, a, b);
    check_depth(context, m);
    Plan plan;
    plan.a = m.a.to_shape();
    plan.b = m.b.to_shape();
    plan.batch = broadcast_shapes(batch_of(plan.a), batch_of(plan.b));
    Product& p = plan.product;
    p.m = plan.a[plan.a.size() - 2];
    p.k = plan.a.back();
    p.n = plan.b.back();
    const bool flip_a = attrs.transpose_a && !m.row;
    const bool flip_b = attrs.transpose_b && !m.column;
    p.a_row = flip_a ? 1 : p.k;
    p.a_col = flip_a ? p.m : 1;
    p.b_row = flip_b ? 1 : p.n;
    p.b_col = flip_b ? p.k : 1;
    p.a_zero = zero_point(context, 2);
    p.b_zero = ZeroPoints(context, 3, p.n);
    plan.dst = plan.batch;
    if (!m.row) {
        plan.dst.push_back(p.m);
    }
    if (!m.column) {
        plan.dst.push_back(p.n);
    }
    return plan;
}

template <class A, class B, class Dst>
void run(const Plan& plan, const A* a, const B* b, Dst* dst) {
    const Product& p = plan.product;
    for (StridedLoop loop(plan.batch, {broadcast_strides(batch_of(plan.a), plan.batch),
                                       broadcast_strides(batch_of(plan.b), plan.batch)});
         !loop.done(); loop.next()) {
        multiply(p, a + loop.offset(0) * p.m * p.k, b + loop.offset(1) * p.k * p.n,
                 dst + loop.position() * p.m * p.n);
    }
}

void evaluate(EvalContext& context) {
    const Plan work = plan(context);
    const Tensor& a = context.input(0);
    const Tensor& b = context.input(1);
    Tensor& dst = context.output(0, work.dst);
    if (!are_quantized(a.get_element_type(), b.get_element_type())) {
        dispatch_numeric(a.get_element_type(), [&](auto tag) {
            using T = typename decltype(tag)::type;
            run(work, a.data<T>(), b.data<T>(), dst.data<T>());
        });
        return;
    }
    const auto with_bytes = [](const Tensor& tensor, auto function) {
        if (tensor.get_element_type() == ElementType::u8) {
            function(tensor.data<std::uint8_t>());
        } else {
            function(tensor.data<std::int8_t>());
        }
    };
    const auto multiply_by_b = [&](const auto* x) {
        with_bytes(b, [&](const auto* y) { run(work, x, y, dst.data<float>()); });
    };
    if (a.get_element_type() == ElementType::u16) {
        multiply_by_b(a.data<std::uint16_t>());
    } else {
        with_bytes(a, multiply_by_b);
    }
}

const OpSpec kOps[] = {
    {.type = "MatMul",
     .version = 1,
     .inputs = {2, 2},
     .make_attributes = make_attributes<MatMulAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Matrix product with transposes and numpy broadcasting of the batch",
     .refused = "scalars",
     .binary_sources = 2},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::matmul_ops
