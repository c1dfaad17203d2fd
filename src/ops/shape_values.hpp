// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// For operations on shapes: values that follow from partly known shapes.
#pragma once

#include <optional>
#include <vector>

#include "ops/op_spec.hpp"

namespace fuseq {

// Elements of input i when it is an integer scalar or vector of known length, such as a shape is.
// Nothing otherwise. An element that is not known, or negative, is an open dimension.
std::optional<std::vector<Dimension>> shape_values(const InferContext& context, std::size_t i);

// Gives output i these elements when their number fits the output's shape.
void set_shape_values(InferContext& context, std::size_t i, std::vector<Dimension> dims);

// Number of elements of an integer list input (a vector or a scalar), where known and believable.
std::optional<std::size_t> list_length(const InferContext& context, std::size_t i);

// Input i is a list of integers: rank 0 or 1 (where known), of integer type.
void require_int_list(const InferContext& context, std::size_t i, std::string_view what);

}  // namespace fuseq
