// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// How well the integers of each quantized tensor fit what was seen of it.
#pragma once

#include "quantizer/insertion.hpp"

namespace fuseq::quantizer {

// One entry a place, in its order.
std::vector<QuantizedTensor> diagnose_tensors(const Placement& placement,
                                              const std::vector<PlaceScales>& scales,
                                              const Profile& profile);

}  // namespace fuseq::quantizer
