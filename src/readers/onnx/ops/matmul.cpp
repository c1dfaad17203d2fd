// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Products of matrices.
#include "readers/onnx/ops/matmul.hpp"

#include "readers/onnx/operator_table.hpp"

namespace fuseq::onnx_reader::matmul_operators {
namespace {

using Outputs = std::vector<Output>;

Outputs matmul(Operator& op) {
    return {op.add("MatMul", {op.input(0), op.input(1)})};
}

Output scaled(Operator& op, const Output& value, float factor) {
    return factor == 1.0F ? value : op.add("Multiply", {value, op.scalar(factor, value)});
}

Outputs gemm(Operator& op) {
    return {gemm_product(op)};
}

Outputs fused_matmul(Operator& op) {
    op.require(op.attributes.integer("transBatchA", 0) == 0 &&
                   op.attributes.integer("transBatchB", 0) == 0,
               "transBatchA and transBatchB are not supported");
    const Output product = op.add("MatMul", {op.input(0), op.input(1)},
                                  {{"transpose_a", op.attributes.integer("transA", 0) != 0},
                                   {"transpose_b", op.attributes.integer("transB", 0) != 0}});
    return {scaled(op, product, op.attributes.real("alpha", 1.0F))};
}

Outputs einsum(Operator& op) {
    return {op.add("Einsum", op.inputs(), {{"equation", op.attributes.text("equation", "")}})};
}

const OperatorRow kRows[] = {
    {.type = "MatMul", .since = 1, .translate = matmul},
    {.type = "Gemm", .since = 7, .translate = gemm},
    {.type = "Einsum", .since = 12, .translate = einsum},
    {.type = "FusedMatMul",
     .since = 1,
     .translate = fused_matmul,
     .domain = "com.microsoft",
     .note = "transBatchA and transBatchB refused"},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::onnx_reader::matmul_operators

namespace fuseq::onnx_reader {

Output gemm_product(Operator& op) {
    const Output product = op.add("MatMul", {op.input(0), op.input(1)},
                                  {{"transpose_a", op.attributes.integer("transA", 0) != 0},
                                   {"transpose_b", op.attributes.integer("transB", 0) != 0}});
    const Output result = matmul_operators::scaled(op, product, op.attributes.real("alpha", 1.0F));
    const float beta = op.attributes.real("beta", 1.0F);
    if (!op.has_input(2) || beta == 0.0F) {
        return result;
    }
    return op.add("Add", {result, matmul_operators::scaled(op, op.input(2), beta)});
}

}  // namespace fuseq::onnx_reader
