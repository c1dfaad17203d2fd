// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The data that benchmark_app feeds: from files, or random.
#pragma once

#include <string>
#include <vector>

#include "benchmark_app/options.hpp"
#include "fuseq/model.hpp"
#include "fuseq/tensor.hpp"

namespace fuseq::samples {

// One tensor an input.
using InputSet = std::vector<Tensor>;

// Sets to feed in turn: as many as there are files for the input that has most, or one for each
// of -data_shape, or one. Files are .npy (values are converted), .bin (the bytes of the tensor,
// or of one element of the batch, which are then stacked) or pictures (one element of the batch). Random data is the same at every run.
// Throws UsageError or Error naming the input and the file.
std::vector<InputSet> make_inputs(const Model& model, const Options& options);

// Random values that suit the type: u8 and i8 all values, other integers 0 to 9 (they are often
// indices), reals [0, 255) for images (rank 4, 1 or 3 channels), [0, 1) otherwise.
Tensor random_tensor(ElementType type, const Shape& shape, unsigned seed);

}  // namespace fuseq::samples
