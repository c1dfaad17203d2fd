// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm/gemm_vnni_rounding.hpp"

namespace fuseq::kernels::gemm {

void round_sums(const EpilogueCall& call, const SumRounding& rounding) {
    const Panel& panel = *call.panel;
    auto* const dst = static_cast<char*>(call.args->dst);
    rounding.run(SumTile<std::int32_t>{.sums = call.tile,
                                       .step = panel.vectors * kLanes,
                                       .pixels = call.rows,
                                       .channel = panel.channel,
                                       .channels = panel.channels,
                                       .dst = dst + call.pixel * call.channels + panel.channel,
                                       .dst_step = call.channels});
}

}  // namespace fuseq::kernels::gemm
