// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/model.hpp"

namespace fuseq {

// Whether a quantization of that tensor would fuse into an integer convolution, deconvolution or
// matmul: only element-wise operations, and MaxPool that quantizations pass, stand between, and
// nobody else reads what is on the way.
bool comes_from_integer_anchor(const Output& tensor);

// The same of a convolution in two dimensions, of integers or floats, of at most four channels:
// the first layer of a network, which costs more to store than to quantize.
bool comes_from_convolution_of_few_channels(const Output& tensor);

// Whether a linear Interpolate of integers gave the tensor, as move_dequantize_down leaves it: shifted
// and scaled by constants at most; nobody else reads what is on the way.
bool comes_from_resized_integers(const Output& tensor);

}  // namespace fuseq
