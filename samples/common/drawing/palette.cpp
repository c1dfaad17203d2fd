// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "common/drawing/palette.hpp"

#include <array>

namespace fuseq::samples {

Color color_of_class(std::size_t index) {
    static constexpr std::array<Color, 16> kColors = {{{0, 114, 189},
                                                       {230, 80, 30},
                                                       {240, 190, 30},
                                                       {140, 60, 160},
                                                       {110, 180, 50},
                                                       {70, 200, 240},
                                                       {170, 20, 50},
                                                       {255, 130, 190},
                                                       {0, 130, 120},
                                                       {150, 110, 60},
                                                       {90, 90, 220},
                                                       {190, 230, 90},
                                                       {255, 170, 120},
                                                       {60, 60, 60},
                                                       {0, 80, 30},
                                                       {210, 200, 255}}};
    return kColors[index % kColors.size()];
}

Color readable_on(const Color& ground) {
    const int light = 299 * ground.red + 587 * ground.green + 114 * ground.blue;
    return light > 140 * 1000 ? Color{0, 0, 0} : Color{255, 255, 255};
}

}  // namespace fuseq::samples
