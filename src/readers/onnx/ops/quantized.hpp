// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Operators on quantized tensors as operations of the set "fuseq", with method ONNX. Null where
// scales or zero points are not constant, or lie along another axis than those operations have
// scales for: arithmetic says it then.
#pragma once

#include "readers/onnx/operator.hpp"

namespace fuseq::onnx_reader {

Output quantized_convolution(Operator& op);  // QLinearConv
Output quantized_matmul(Operator& op);       // QLinearMatMul
Output integer_convolution(Operator& op);    // ConvInteger: sums in i32
// Sums of a matrix product in i32, of a zero point that may be known at run time only. Null where
// the zero points are not one of the whole a and constant ones of b.
Output integer_product(
    Operator& op, const Output& a, const Output& za, const Output& b, const Output& zb);
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
