// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What values can stand at a place of a chain: intervals over all channels, and integers.
#pragma once

#include <cstddef>

#include "cpu/post_ops/simplify.hpp"

namespace fuseq::post_ops {

// Values before operation `at`, for inputs in [options.input_low, options.input_high]. A superset.
Interval interval_before(const Chain& chain, std::size_t at, const SimplifyOptions& options);
// Whether the values before operation `at` are whole numbers, whatever the input.
bool integers_before(const Chain& chain, std::size_t at);
// Range of an integer type that a chain can store.
Interval range_of(ElementType type);

}  // namespace fuseq::post_ops
