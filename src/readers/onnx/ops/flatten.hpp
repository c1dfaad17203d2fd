// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "readers/onnx/operator.hpp"

namespace fuseq::onnx_reader {

// Two dimensions: those before `axis`, in [0, rank], and the others, each multiplied.
Output flatten(Operator& op, const Output& x, std::size_t axis);

}  // namespace fuseq::onnx_reader
