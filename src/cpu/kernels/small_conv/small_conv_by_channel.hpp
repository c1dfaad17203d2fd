// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What follows a channel-vectorized convolution, made ready for its registers.
#pragma once

#include "cpu/kernels/small_conv/small_conv_detail.hpp"

namespace fuseq::kernels::small_conv {

// Whether operations and results suit the shape; there are none where it is not channel-vectorized.
bool channel_vectors_fit(const SmallConvParams& params);
// Whether no result ever falls where a sum rises: there is one, of bytes.
bool rises(const SmallConvParams& params);
// Fills ops and results.
void pack_lanes(const SmallConvParams& params, Packed& packed);
void pack_results(const SmallConvParams& params, Packed& packed);

}  // namespace fuseq::kernels::small_conv
