// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Concats whose inputs keep ranges of their own: a convolution sums channels of different scales
// apart, which costs time, so only where one range for all would cost much.
#pragma once

#include <set>

#include "fuseq/model.hpp"
#include "quantizer/placement.hpp"
#include "quantizer/profile.hpp"

namespace fuseq::quantizer {

// Of `shared`, a placement of `model` in which inputs of Concats share ranges: the Concats along
// channels that only dense convolutions read, where ranges of their own halve the noise that
// rounded inputs add to the sums. By ranges and weights alone.
std::set<const Node*> concats_of_own_ranges(const Model& model,
                                            const Placement& shared,
                                            const Profile& profile);

}  // namespace fuseq::quantizer
