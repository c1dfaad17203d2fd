// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// CompressedMatMul: [..., K] x codes -> [..., N], made by keep_compressed_weights:
//
//   dst[n] = sum over k of src[k] * (code[k][n] - zero_point[n][g]) * scale[n][g],  g = k / (K / G)
//
// Inputs: src f32; codes [K, N], or [N, K] with transpose_b, i8, u8, i4, u4 or nf4 (its values);
// scale f32 [N, G]; zero_point f32 [N, G], optional.
#include "ops/compressed_matmul.hpp"

#include "model/typed.hpp"
#include "ops/op_list.hpp"

namespace fuseq {
namespace {

void check_table(const InferContext& context, std::size_t input, const Shape& codes) {
    const auto& attrs = context.attrs<CompressedMatMulAttrs>();
    const char* what = input == 2 ? "the scale" : "the zero point";
    const std::size_t channels = codes[attrs.transpose_b ? 0 : 1];
    const std::size_t depth = codes[attrs.transpose_b ? 1 : 0];
    context.require_type(input, ElementType::f32, what);
    const PartialShape& shape = context.shape(input);
    context.require(shape.is_static() && shape.rank() == 2, what, " has shape ", to_string(shape),
                    ", expected two known dimensions");
    const Shape dims = shape.to_shape();
    context.require(dims[0] == channels, what, " has ", dims[0], " rows, expected ", channels,
                    ", one an output channel");
    context.require(dims[1] != 0 && depth % dims[1] == 0, what, " has ", dims[1],
                    " groups, which do not divide the depth of ", depth);
    context.require(shape == context.shape(2), "the zero point has shape ", to_string(shape),
                    ", the scale ", to_string(context.shape(2)));
}

void infer(InferContext& context) {
    context.require_type(0, ElementType::f32, "the source");
    context.require(is_weight_code(context.type(1)), "the codes are ", to_string(context.type(1)),
                    ", expected i8, u8, i4, u4 or nf4");
    const PartialShape& codes = context.shape(1);
    context.require(codes.is_static() && codes.rank() == 2, "the codes have shape ",
                    to_string(codes), ", expected two known dimensions");
    const Shape matrix = codes.to_shape();
    for (std::size_t i = 2; i < context.input_count(); ++i) {
        check_table(context, i, matrix);
    }
    const PartialShape& src = context.shape(0);
    if (!src.rank_is_static()) {
        context.set_output(0, ElementType::f32, PartialShape::dynamic());
        return;
    }
    const bool transposed = context.attrs<CompressedMatMulAttrs>().transpose_b;
    const std::size_t depth = matrix[transposed ? 1 : 0];
    context.require(src.rank() >= 1, "the source is a scalar, expected rank 1 or more");
    context.require(src[src.rank() - 1].compatible(Dimension(static_cast<std::int64_t>(depth))),
                    "the source has ", to_string(src[src.rank() - 1]), " columns, the codes have ",
                    depth, " rows");
    std::vector<Dimension> dims = src.dims();
    dims.back() = Dimension(static_cast<std::int64_t>(matrix[transposed ? 0 : 1]));
    context.set_output(0, ElementType::f32, PartialShape(dims));
}

void evaluate(EvalContext& context) {
    const bool transposed = context.attrs<CompressedMatMulAttrs>().transpose_b;
    const Tensor& src = context.input(0);
    const Shape matrix = context.input(1).get_shape();
    const std::size_t channels = matrix[transposed ? 0 : 1];
    const std::size_t depth = matrix[transposed ? 1 : 0];
    const std::size_t groups = context.input(2).get_shape()[1];
    context.require(src.get_shape().back() == depth, "the source has ", src.get_shape().back(),
                    " columns, the codes have ", depth, " rows");
    Shape shape = src.get_shape();
    shape.back() = channels;
    const Tensor codes = context.input(1).to(ElementType::f32);
    const float* scale = context.input(2).data<float>();
    const float* zero_point = context.has_input(3) ? context.input(3).data<float>() : nullptr;
    float* dst = context.output(0, shape).data<float>();
    const float* x = src.data<float>();
    const std::size_t k_step = transposed ? 1 : channels;
    const std::size_t n_step = transposed ? depth : 1;
    for (std::size_t i = 0; i < shape_size(shape); ++i) {
        const std::size_t n = i % channels;
        const float* row = x + i / channels * depth;
        const float* code = codes.data<float>() + n * n_step;
        double sum = 0;
        for (std::size_t k = 0; k < depth; ++k) {
            const std::size_t at = n * groups + k / (depth / groups);
            const double zero = zero_point == nullptr ? 0.0 : zero_point[at];
            sum += static_cast<double>(row[k]) * (code[k * k_step] - zero) * scale[at];
        }
        dst[i] = static_cast<float>(sum);
    }
}

const OpSpec kOps[] = {
    {.type = "CompressedMatMul",
     .version = 1,
     .inputs = {3, 4},
     .make_attributes = make_attributes<CompressedMatMulAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Product with weights that stay in 8 or 4 bits, of a MatMul",
     .refused = "",
     .internal = true},
};

}  // namespace

std::span<const OpSpec> compressed_matmul_ops() {
    return kOps;
}

}  // namespace fuseq
