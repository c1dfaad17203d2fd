// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Inputs that hold one number (thresholds, counts), optional or not.
#pragma once

#include <optional>
#include <string_view>

#include "ops/op_spec.hpp"

namespace fuseq {

// The number of an input with one element; `otherwise` where the input is absent. Fails naming
// `what` when there are more elements or none.
double scalar_input(const EvalContext& context,
                    std::size_t i,
                    std::string_view what,
                    double otherwise);
std::int64_t int_input(const EvalContext& context,
                       std::size_t i,
                       std::string_view what,
                       std::int64_t otherwise);

// In inference: the input, if present, has one element and is real / an integer.
void require_real_scalar(const InferContext& context, std::size_t i, std::string_view what);
void require_int_scalar(const InferContext& context, std::size_t i, std::string_view what);

// The integer of an input where it is known; `otherwise` where the input is absent.
std::optional<std::int64_t> known_int(const InferContext& context,
                                      std::size_t i,
                                      std::int64_t otherwise);

}  // namespace fuseq
