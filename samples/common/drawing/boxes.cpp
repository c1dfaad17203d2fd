// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "common/drawing/boxes.hpp"

#include <algorithm>
#include <cmath>

#include "common/drawing/palette.hpp"
#include "common/drawing/rectangle.hpp"
#include "common/drawing/text.hpp"

namespace fuseq::samples {
namespace {

// A model may say anything; a box ends one picture outside of this one.
std::int64_t pixel_of(float fraction, std::size_t size) {
    const float inside = std::isnan(fraction) ? 0 : std::clamp(fraction, -1.0F, 2.0F);
    return std::lround(inside * static_cast<float>(size));
}

std::string caption_of(const Detection& detection, const std::vector<std::string>& names) {
    const bool named =
        detection.label >= 0 && static_cast<std::size_t>(detection.label) < names.size();
    const std::string name =
        named ? names[static_cast<std::size_t>(detection.label)] : std::to_string(detection.label);
    return name + " " + std::to_string(std::lround(detection.confidence * 100)) + "%";
}

}  // namespace

void draw_boxes(Picture& picture,
                const std::vector<Detection>& detections,
                const std::vector<std::string>& names) {
    constexpr std::int64_t kPixelsOfADot = 200;
    const auto shorter = static_cast<std::int64_t>(std::min(picture.height, picture.width));
    const std::int64_t scale = 1 + shorter / kPixelsOfADot;
    for (const Detection& found : detections) {
        const Color color =
            color_of_class(static_cast<std::size_t>(std::max<std::int64_t>(found.label, 0)));
        const Area area = {pixel_of(found.left, picture.width), pixel_of(found.top, picture.height),
                           pixel_of(found.right, picture.width) - 1,
                           pixel_of(found.bottom, picture.height) - 1};
        draw_rectangle(picture, area, scale, color);
        const std::string caption = caption_of(found, names);
        const std::int64_t height = text_height(scale) + 2 * scale;
        // Above the box, or inside where there is no room.
        const std::int64_t top = area.top >= height ? area.top - height : area.top;
        fill_rectangle(picture,
                       {area.left, top, area.left + text_width(caption, scale) + 2 * scale - 1,
                        top + height - 1},
                       color);
        draw_text(picture, area.left + scale, top + scale, caption, scale, readable_on(color));
    }
}

}  // namespace fuseq::samples
