// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "readers/onnx/operator.hpp"
#include "readers/onnx/ops/resize_weights.hpp"

namespace fuseq::onnx_reader {

// Whether Interpolate has this form of Resize.
bool is_interpolate(const ResizeForm& form);

// Whether nearest takes other pixels than Interpolate, which computes places in double: those that
// lie halfway between two pixels, or nearly so, decide. False where sizes are not known.
bool takes_other_pixels(const Operator& op,
                        const ResizeForm& form,
                        const Output& values,
                        bool by_scales,
                        const std::vector<std::int64_t>& axes);

// Resize as one product with a constant matrix an axis, nearest as one Gather an axis. `values`: scales or sizes of `axes`; `crop`:
// roi of tf_crop_and_resize, null without. Sizes have to be known.
Output resize_by_matrices(Operator& op,
                          const ResizeForm& form,
                          const Output& values,
                          bool by_scales,
                          const std::vector<std::int64_t>& axes,
                          const Output& crop);

}  // namespace fuseq::onnx_reader
