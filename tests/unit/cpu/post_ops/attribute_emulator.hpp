// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What oneDNN does with the attributes of an emission, in double precision, from its
// documentation and from trying it out (docs of emit.hpp). The second opinion in the tests of
// emit(); oneDNN itself is the third.
#pragma once

#include <vector>

#include "cpu/post_ops/emit.hpp"

namespace fuseq::post_ops::testing {

// The value stored for accumulator `acc` of an int8 or f32 anchor. `binary_sources` holds the raw
// elements of the binary sources, those that lie in the dst buffer too.
double emulate(const Emission& emission,
               double acc,
               std::size_t channel,
               const std::vector<double>& binary_sources);

}  // namespace fuseq::post_ops::testing
