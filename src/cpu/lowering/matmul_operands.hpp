// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Matrix products that read their operands, and write their result, through transpositions, as
// around the products of attention: a transposition is an order of strides.
#pragma once

#include "cpu/lowering/step_builder.hpp"
#include "cpu/steps/dnnl_support.hpp"

namespace fuseq::cpu {

// Descriptor of a plain tensor of `dims`, its last two dimensions exchanged when transposed.
dnnl::memory::desc matrix_desc(ElementType type, const Shape& dims, bool transposed);

// Ones in front until the rank is `rank`.
Shape padded(const Shape& shape, std::size_t rank);

// Where an operand is in memory, which need not be plain.
struct MatMulOperand {
    Output output;
    dnnl::memory::desc desc;
};
// As it is before its transposition, if that waits; else as it is. The rank of the operand is that
// of the result.
MatMulOperand matmul_operand(const StepBuilder& builder,
                             const Node& node,
                             std::size_t input,
                             bool transposed);

// A transposition that alone reads the result of a product of two computed tensors, and leaves its
// rows in one piece: the product may write its result. Null: there is none.
Node* transpose_after(const StepBuilder& builder, const Group& group);
// The result of the product in the memory of that of the transposition.
dnnl::memory::desc desc_before(const Node& transpose, ElementType type);

}  // namespace fuseq::cpu
