// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Which convolutions and matrix products of integers of 16 bits and weights of 8 there is a kernel
// for (kernels/gemm/u16_product.hpp): what the pass quantize_wide_sources makes.
#pragma once

#include "fuseq/model.hpp"

namespace fuseq::cpu {

bool is_u16_depthwise(const Node& node);
bool is_u16_product(const Node& node);

}  // namespace fuseq::cpu
