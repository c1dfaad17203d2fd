// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Operators on quantized tensors as operations of the set "fuseq", with method ONNX. Null where
// scales or zero points are not constant, or lie along another axis than those operations have
// scales for: arithmetic says it then.
#pragma once

#include "readers/onnx/operator.hpp"

namespace fuseq::onnx_reader {

Output quantized_convolution(Operator& op);     // QLinearConv
Output quantized_matmul(Operator& op);          // QLinearMatMul
Output quantized_gemm(Operator& op);            // QGemm
Output quantized_sum(Operator& op);             // QLinearAdd
Output quantized_product(Operator& op);         // QLinearMul
Output quantized_concat(Operator& op);          // QLinearConcat
Output quantized_average(Operator& op);         // QLinearAveragePool
Output quantized_global_average(Operator& op);  // QLinearGlobalAveragePool
Output quantized_leaky_relu(Operator& op);
Output quantized_sigmoid(Operator& op);
Output quantized_softmax(Operator& op);

}  // namespace fuseq::onnx_reader
