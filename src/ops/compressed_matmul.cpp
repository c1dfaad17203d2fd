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

#include <optional>

#include "model/typed.hpp"
#include "ops/op_list.hpp"

namespace fuseq::compressed_matmul_ops {
namespace {

struct Shapes {
    PartialShape src, codes, scale;
    std::optional<PartialShape> zero_point;
};

struct Sizes {
    Dimension channels, depth, groups;
};

// What is known of the sizes. Calls context.fail() where the shapes do not fit.
template <class Context>
Sizes check_shapes(const Context& context, const Shapes& shapes) {
    const bool transposed = context.template attrs<CompressedMatMulAttrs>().transpose_b;
    Sizes sizes;
    if (shapes.codes.rank_is_static()) {
        context.require(shapes.codes.rank() == 2, "the codes have shape ", to_string(shapes.codes),
                        ", expected two dimensions");
        sizes.channels = shapes.codes[transposed ? 0 : 1];
        sizes.depth = shapes.codes[transposed ? 1 : 0];
    }
    const PartialShape& scale = shapes.scale;
    if (scale.rank_is_static()) {
        context.require(scale.rank() == 2 && scale[0].compatible(sizes.channels),
                        "the scale has shape ", to_string(scale), ", expected a row for each of ",
                        to_string(sizes.channels), " output channels");
        sizes.groups = scale[1];
    }
    if (sizes.groups.is_static() && sizes.depth.is_static()) {
        const Dimension::value_type groups = sizes.groups.get_length();
        context.require(groups != 0 && sizes.depth.get_length() % groups == 0, "the scale has ",
                        groups, " groups, which do not divide the depth of ",
                        sizes.depth.get_length());
    }
    context.require(!shapes.zero_point || shapes.zero_point->compatible(scale),
                    "the zero point has shape ", to_string(shapes.zero_point.value_or(scale)),
                    ", the scale ", to_string(scale));
    if (shapes.src.rank_is_static()) {
        context.require(shapes.src.rank() >= 1, "the source is a scalar, expected rank 1 or more");
        const Dimension& columns = shapes.src[shapes.src.rank() - 1];
        context.require(columns.compatible(sizes.depth), "the source has ", to_string(columns),
                        " columns, the codes have ", to_string(sizes.depth), " rows");
    }
    return sizes;
}

void infer(InferContext& context) {
    context.require_type(0, ElementType::f32, "the source");
    context.require(is_weight_code(context.type(1)), "the codes are ", to_string(context.type(1)),
                    ", expected i8, u8, i4, u4 or nf4");
    context.require_type(2, ElementType::f32, "the scale");
    Shapes shapes{context.shape(0), context.shape(1), context.shape(2), std::nullopt};
    if (context.has_input(3)) {
        context.require_type(3, ElementType::f32, "the zero point");
        shapes.zero_point = context.shape(3);
    }
    const Sizes sizes = check_shapes(context, shapes);
    PartialShape dst = PartialShape::dynamic();
    if (shapes.src.rank_is_static()) {
        dst = shapes.src;
        dst[dst.rank() - 1] = sizes.channels;
    }
    context.set_output(0, ElementType::f32, dst);
}

void evaluate(EvalContext& context) {
    const bool transposed = context.attrs<CompressedMatMulAttrs>().transpose_b;
    const Tensor& src = context.input(0);
    Shapes shapes{src.get_shape(), context.input(1).get_shape(), context.input(2).get_shape(),
                  std::nullopt};
    if (context.has_input(3)) {
        shapes.zero_point = context.input(3).get_shape();
    }
    check_shapes(context, shapes);
    const Shape matrix = context.input(1).get_shape();
    const std::size_t channels = matrix[transposed ? 0 : 1];
    const std::size_t depth = matrix[transposed ? 1 : 0];
    const std::size_t groups = context.input(2).get_shape()[1];
    Shape shape = src.get_shape();
    shape.back() = channels;
    Tensor& dst = context.output(0, shape);
    const Tensor values = context.input(1).to(ElementType::f32);
    const float* codes = values.data<float>();
    const float* scale = context.input(2).data<float>();
    const float* zero_point = context.has_input(3) ? context.input(3).data<float>() : nullptr;
    const std::size_t k_step = transposed ? 1 : channels;
    const std::size_t n_step = transposed ? depth : 1;
    for (std::size_t i = 0; i < dst.get_size(); ++i) {
        const std::size_t n = i % channels;
        const float* row = src.data<float>() + i / channels * depth;
        double sum = 0;
        for (std::size_t k = 0; k < depth; ++k) {
            const std::size_t at = n * groups + k / (depth / groups);
            const double zero = zero_point == nullptr ? 0.0 : zero_point[at];
            const double code = codes[n * n_step + k * k_step];
            sum += row[k] * (code - zero) * scale[at];
        }
        dst.data<float>()[i] = static_cast<float>(sum);
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

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::compressed_matmul_ops
