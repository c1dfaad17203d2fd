// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transformations/pass.hpp"

namespace fuseq {

// Pictures in NHWC are resized as NCHW, which kernels know.
bool transpose_around_interpolate(Model& model, PassContext& context);

}  // namespace fuseq
