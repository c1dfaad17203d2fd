// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// One operation between dequantized sources and a quantizer, as an operation on integers: the groups
// that ONNX Runtime fuses. Each function takes the last node of the operation and the grid of the
// quantizer after it.
#pragma once

#include <string>

#include "transformations/qdq/qdq_value.hpp"

namespace fuseq {

struct QdqMatch {
    Node* fused = nullptr;
    std::string reason{};  // why not
};

// Convolution or GroupConvolution, and an Add of its bias.
QdqMatch fuse_qdq_convolution(Node& last, Node& convolution, const QdqGrid& dst);
// MatMul, and an Add of a row.
QdqMatch fuse_qdq_matmul(Node& last, Node& matmul, QdqGrid dst);
// Add and Multiply, Concat, AvgPool, the mean over an image, LeakyReLU, Sigmoid, SoftMax. Neither a
// match nor a reason: another operation.
QdqMatch fuse_qdq_operation(Node& node, const QdqGrid& dst);

// Why an operation of 8 bits cannot have this source: empty where it can.
std::string qdq_source_refusal(const std::optional<QdqValue>& value, const QdqGrid& dst);

}  // namespace fuseq
