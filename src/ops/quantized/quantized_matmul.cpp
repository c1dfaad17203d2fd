// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedMatMul: a [..., M, K], b [..., K, N], bias [N] -> [..., M, N], leading dimensions
// broadcast. b has one scale or one a column. Sums and rounding as QuantizedConvolution; with
// output_type f32: f32(sum) * (alpha * scale of a * scale of b).
#include <algorithm>

#include "ops/broadcast.hpp"
#include "ops/op_list.hpp"
#include "ops/quantized/product.hpp"

namespace fuseq::quantized_matmul_ops {
namespace {

PartialShape as_matrix(const PartialShape& shape, bool transposed) {
    std::vector<Dimension> dims = shape.dims();
    if (transposed) {
        std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
    }
    return PartialShape(dims);
}

PartialShape batch_of(const PartialShape& shape) {
    return PartialShape(std::vector<Dimension>(shape.begin(), shape.end() - 2));
}

template <class Context>
void check_shapes(const Context& context, const PartialShape& a, const PartialShape& b) {
    context.require(a.rank() >= 2 && b.rank() >= 2, "operands have shapes ", to_string(a), " and ",
                    to_string(b), ", expected rank 2 or more");
    context.require(a[a.rank() - 1].compatible(b[b.rank() - 2]),
                    "the operands do not match: ", to_string(a[a.rank() - 1]), " columns against ",
                    to_string(b[b.rank() - 2]), " rows (as matrices ", to_string(a), " and ",
                    to_string(b), ")");
}

void infer(InferContext& context) {
    const auto& attrs = context.attrs<QuantizedMatMulAttrs>();
    if (!context.shape(0).rank_is_static() || !context.shape(1).rank_is_static()) {
        check_product(context, attrs, Dimension::dynamic());
        context.set_output(0, attrs.output_type, PartialShape::dynamic());
        return;
    }
    context.require(context.shape(0).rank() >= 2 && context.shape(1).rank() >= 2,
                    "operands have shapes ", to_string(context.shape(0)), " and ",
                    to_string(context.shape(1)), ", expected rank 2 or more");
    const PartialShape a = as_matrix(context.shape(0), attrs.transpose_a);
    const PartialShape b = as_matrix(context.shape(1), attrs.transpose_b);
    check_shapes(context, a, b);
    check_product(context, attrs, b[b.rank() - 1]);
    std::vector<Dimension> dims = broadcast_shapes(context, batch_of(a), batch_of(b)).dims();
    dims.push_back(a[a.rank() - 2]);
    dims.push_back(b[b.rank() - 1]);
    context.set_output(0, attrs.output_type, PartialShape(dims));
}

struct Operand {
    std::vector<std::int32_t> values;
    Shape matrix;
    std::size_t row = 0;  // elements from row to row, from column to column
    std::size_t column = 0;
};

Operand operand(const Tensor& tensor, bool transposed, std::vector<std::int32_t> values) {
    Operand result{std::move(values), as_matrix(tensor.get_shape(), transposed).to_shape()};
    const std::size_t rows = result.matrix[result.matrix.size() - 2];
    result.row = transposed ? 1 : result.matrix.back();
    result.column = transposed ? rows : 1;
    return result;
}

void multiply(
    const Operand& a, std::size_t a_at, const Operand& b, std::size_t b_at, std::int64_t* sums) {
    const std::size_t depth = a.matrix.back();
    const std::size_t columns = b.matrix.back();
    for (std::size_t i = 0; i < a.matrix[a.matrix.size() - 2]; ++i) {
        const std::int32_t* x = a.values.data() + a_at + i * a.row;
        for (std::size_t j = 0; j < columns; ++j) {
            const std::int32_t* y = b.values.data() + b_at + j * b.column;
            std::int64_t sum = 0;
            for (std::size_t k = 0; k < depth; ++k) {
                sum += static_cast<std::int64_t>(x[k * a.column]) * y[k * b.row];
            }
            *sums++ = sum;
        }
    }
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<QuantizedMatMulAttrs>();
    const Operand a = operand(context.input(0), attrs.transpose_a,
                              centered(context.input(0), source_zero_point(context, attrs)));
    const Shape weights = as_matrix(context.input(1).get_shape(), attrs.transpose_b).to_shape();
    const std::size_t columns = weights.back();
    const std::size_t rows = weights[weights.size() - 2];
    const Operand b =
        operand(context.input(1), attrs.transpose_b,
                centered_weights(context.input(1), attrs.weight_zero_points, [&](std::size_t i) {
                    return attrs.transpose_b ? i / rows % columns : i % columns;
                }));
    check_shapes(context, a.matrix, b.matrix);
    const Shape batch_a = batch_of(a.matrix).to_shape();
    const Shape batch_b = batch_of(b.matrix).to_shape();
    Shape shape = broadcast_shapes(batch_a, batch_b);
    const std::size_t a_size = a.matrix[a.matrix.size() - 2] * a.matrix.back();
    const std::size_t size = a.matrix[a.matrix.size() - 2] * columns;
    std::vector<std::int64_t> sums(shape_size(shape) * size);
    for (StridedLoop loop(shape,
                          {broadcast_strides(batch_a, shape), broadcast_strides(batch_b, shape)});
         !loop.done(); loop.next()) {
        multiply(a, loop.offset(0) * a_size, b, loop.offset(1) * rows * columns,
                 sums.data() + loop.position() * size);
    }
    shape.push_back(a.matrix[a.matrix.size() - 2]);
    shape.push_back(columns);
    store_sums(context, attrs, sums, std::max<std::size_t>(columns, 1), 1, context.output(0, shape),
               attrs.alpha);
}

const OpSpec kOps[] = {
    {.type = "QuantizedMatMul",
     .version = 1,
     .inputs = {2, 4},
     .make_attributes = make_attributes<QuantizedMatMulAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Matrix product of integers, requantized by the rule of a method",
     .refused = "rank below 2; a method without a rule for it",
     .own_set = true},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::quantized_matmul_ops
