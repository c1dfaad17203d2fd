// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "readers/tflite/tensor_info.hpp"

namespace fuseq::tflite_reader {

// The values of a constant that is stored without its zeros, dense. `data`: the values stored.
// Throws Error where the description does not fit the shape or the data.
Tensor dense_value(const ::tflite::SparsityParameters& sparsity,
                   const TensorInfo& info,
                   std::span<const std::uint8_t> data,
                   const Place& place);

}  // namespace fuseq::tflite_reader
