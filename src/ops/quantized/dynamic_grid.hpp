// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The grid of ONNX's DynamicQuantizeLinear: u8, chosen when the values are known.
#pragma once

#include <cmath>
#include <cstdint>

namespace fuseq {

struct DynamicGrid {
    float scale = 1.0F;
    std::uint8_t zero_point = 0;
};

// Of values in [min, max], which contains 0. As ONNX Runtime: scale = (max - min) / 255, 1 where
// all values are 0; zero point = rint(-min / scale) within u8.
inline DynamicGrid dynamic_grid(float min, float max) {
    DynamicGrid grid;
    grid.scale = max == min ? 1.0F : (max - min) / 255.0F;
    const float zero = 0.0F - min / grid.scale;
    grid.zero_point = static_cast<std::uint8_t>(
        std::nearbyint(zero > 0.0F ? (zero < 255.0F ? zero : 255.0F) : 0.0F));
    return grid;
}

}  // namespace fuseq
