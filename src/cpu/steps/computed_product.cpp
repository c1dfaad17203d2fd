// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/computed_product.hpp"

namespace fuseq::cpu {
namespace {

kernels::MatrixOperand operand(const ComputedProduct::Matrix& matrix) {
    const std::size_t rank = matrix.strides.size();
    return {.type = matrix.type,
            .zero_point = matrix.zero_point,
            .row = matrix.strides[rank - 2],
            .column = matrix.strides[rank - 1]};
}

}  // namespace

std::size_t ComputedProduct::offset(const Matrix& matrix, std::size_t place) const {
    std::size_t offset = 0;
    for (std::size_t d = dims.size() - 2; d-- > 0; place /= dims[d]) {
        offset += place % dims[d] * matrix.strides[d];
    }
    return offset;
}

std::size_t ComputedProduct::source_bytes(std::size_t source) const {
    for (const kernels::GemmOp& op : ops) {
        if (op.reads_tensor() && op.binary.input == source) {
            return size_of(op.binary.type);
        }
    }
    return 0;
}

bool ComputedProduct::is_dense(const Matrix& matrix, std::size_t row) const {
    std::size_t step = 1;
    for (std::size_t d = dims.size(); d-- > 0;) {
        const std::size_t size = d + 1 == dims.size() ? row : dims[d];
        if (size != 1 && matrix.strides[d] != step) {
            return false;
        }
        step *= size;
    }
    return true;
}

kernels::DataProductParams ComputedProduct::params() const {
    kernels::DataProductParams params;
    params.rows = rows();
    params.columns = columns();
    params.depth = depth;
    params.a = operand(a);
    params.b = operand(b);
    params.dst_row = dst.strides[dims.size() - 2];
    params.dst_type = dst.type;
    params.scale = scale;
    params.bias = bias;
    params.ops = ops;
    params.form = form;
    return params;
}

}  // namespace fuseq::cpu
