// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What follows a convolution with channels in lanes, made ready for its registers.
#pragma once

#include "cpu/kernels/small_conv/small_conv_detail.hpp"

namespace fuseq::kernels::thin {

// Whether operations and results suit the shape; there are none without channels in lanes.
bool lanes_fit(const ThinConvParams& params);
// Whether no result ever falls where a sum rises: there is one, of bytes.
bool rises(const ThinConvParams& params);
// Fills ops and results.
void pack_lanes(const ThinConvParams& params, Packed& packed);
void pack_results(const ThinConvParams& params, Packed& packed);

}  // namespace fuseq::kernels::thin
