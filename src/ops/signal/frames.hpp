// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Inputs 1 to 3 of STFT and ISTFT: the window, the size of a frame and the step to the next one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ops/op_spec.hpp"

namespace fuseq {

struct Frames {
    std::size_t size = 0;
    std::size_t step = 0;
};

Frames read_frames(const EvalContext& context);
// `size` values: zeros on both sides of a shorter window. The caller has checked that the data has
// frames of that size.
std::vector<double> padded_window(const EvalContext& context, std::size_t size);

struct KnownFrames {
    std::optional<std::int64_t> size;
    std::optional<std::int64_t> step;
};

// Checks the inputs 0 to 3 and says which numbers are known.
KnownFrames infer_frames(const InferContext& context);

}  // namespace fuseq
