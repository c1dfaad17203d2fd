// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace fuseq::kernels::gemm {

// How many channels of a panel of 16 there are: all, 8, or another number. Many networks have
// multiples of 8.
enum class PanelFill : std::uint8_t { kWhole, kHalf, kPart };

inline PanelFill fill_of(std::size_t channels) {
    constexpr std::size_t kWhole = 16;
    return channels == kWhole       ? PanelFill::kWhole
           : channels == kWhole / 2 ? PanelFill::kHalf
                                    : PanelFill::kPart;
}

}  // namespace fuseq::kernels::gemm
