// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes a convolution of a product whose quantized weights are the first operand.
//
//   Law:     sum over k of W[m, k] * x[n, k, l] is a convolution of kernel 1 over l.
//   Before:  MatMul(weights [M, K] or, transposed, [K, M]; x [N, K, L])
//   After:   Convolution(x, Unsqueeze(weights, 2))
//   Refuses: weights that are not quantized or not a matrix, an x that is no batch of matrices or
//            is transposed: the product stays in float, its first operand being no activation.
//   Source:  the definitions of both. Non-local blocks and channel attention are spelled so.
#include "transformations/common/matmul_to_convolution.hpp"

#include "ops/convolution.hpp"
#include "ops/matmul.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace matmul_to_convolution_pass {
namespace {

constexpr std::string_view kName = "matmul_to_convolution";

bool has_rank(const Output& source, std::size_t rank) {
    return source.partial_shape().rank_is_static() && source.partial_shape().rank() == rank;
}

bool fuse(Node& matmul) {
    const Output weights = matmul.input(0);
    const Output x = matmul.input(1);
    const auto& attrs = matmul.attrs<MatMulAttrs>();
    if (weights.node->is_constant() || !is_constant_expression(weights) ||
        is_constant_expression(x) || matmul.port().type != ElementType::f32 ||
        !has_rank(weights, 2) || !has_rank(x, 3) || attrs.transpose_b) {
        return false;
    }
    Model& model = matmul.model();
    const std::string& name = matmul.name();
    Output kernel = weights;
    if (attrs.transpose_a) {
        const std::vector<std::int64_t> order = {1, 0};
        kernel =
            model
                .add("Transpose", 1, name + "/transpose",
                     {kernel, make_constant(model, name + "/order", Tensor::of(Shape{2}, order))})
                ->output();
    }
    const Output axis =
        make_constant(model, name + "/axis", Tensor::of(Shape{1}, std::vector<std::int64_t>{2}));
    kernel = model.add("Unsqueeze", 1, name + "/unsqueeze", {kernel, axis})->output();
    ConvolutionAttrs window;
    window.strides = {1};
    window.dilations = {1};
    window.pads_begin = {0};
    window.pads_end = {0};
    Node* convolution = model.add("Convolution", 1, name, {x, kernel}, window);
    convolution->origins = origins_of(matmul);
    redirect(matmul.output(), convolution->output());
    return true;
}

bool run(Model& model, PassContext& context) {
    return rewrite_each(model, "MatMul", context, kName, fuse);
}

}  // namespace
}  // namespace matmul_to_convolution_pass

bool matmul_to_convolution(Model& model, PassContext& context) {
    return matmul_to_convolution_pass::run(model, context);
}

}  // namespace fuseq
