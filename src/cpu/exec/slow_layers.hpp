// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Which layers are slower on integers than in float, from what was measured of both.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace fuseq::cpu {

// Of a convolution, deconvolution or matrix product and of what belongs to it, in microseconds.
struct LayerTime {
    std::string layer;
    double us = 0;
};

struct SlowLayer {
    std::string layer;
    double int8_us = 0;
    double float_us = 0;
};

// A layer is slower when it takes more than kSlowerBy times as long and more than kSlowerByUs
// microseconds longer: less is the noise of a measurement. In the order of `int8`; layers that only
// one of the lists has, or has without a finite time, are left out: nothing is known of them.
inline constexpr double kSlowerBy = 1.10;
inline constexpr double kSlowerByUs = 3.0;
std::vector<SlowLayer> slower_in_int8(std::span<const LayerTime> int8,
                                      std::span<const LayerTime> in_float);

}  // namespace fuseq::cpu
