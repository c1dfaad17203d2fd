// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Operands of quantized products.
#pragma once

#include "readers/mxnet/operator.hpp"

namespace fuseq::mxnet_reader {

// A bias of 8 bits in the scale of the product, cut off towards zero as MXNet does.
Output integer_bias(Operator& op, const Output& bias, double scale, double product);

// Input 0 of a fully connected operator as its attributes say; checks the weights, input 1.
Output fully_connected_rows(Operator& op, const TextAttributes& attributes, const Place& place);

}  // namespace fuseq::mxnet_reader
