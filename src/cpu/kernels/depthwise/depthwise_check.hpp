// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What a depthwise kernel refuses. Private to its files.
#pragma once

#include <string>

#include "cpu/kernels/depthwise/depthwise_conv.hpp"

namespace fuseq::kernels::depthwise {

[[noreturn]] void refuse(const std::string& rule);
// Of tensors. Strides are filled in.
void check_shape(const DepthwiseShape& shape);
// The other parameters.
void check(const DepthwiseParams& params);

}  // namespace fuseq::kernels::depthwise
