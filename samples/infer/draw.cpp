// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "infer/draw.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "common/drawing/disc.hpp"
#include "common/drawing/mask.hpp"
#include "common/drawing/palette.hpp"
#include "fuseq/error.hpp"

namespace fuseq::samples {
namespace {

// What a tensor may be, by its shape and type.
std::vector<std::string> readings_of(const Tensor& tensor, const NetworkLook& look) {
    std::vector<std::string> readings;
    const auto add = [&](bool possible, const char* what) {
        if (possible) {
            readings.emplace_back(what);
        }
    };
    add(may_be_boxes(tensor), "boxes");
    add(may_be_mask(tensor), "mask");
    add(may_be_points(tensor), "keypoints");
    add(may_be_picture(tensor, look), "image");
    return readings;
}

bool is_larger(const Tensor& tensor, const NetworkLook& look) {
    const Shape& shape = tensor.get_shape();
    const std::size_t first = look.channels_last ? 1 : 2;
    return shape[first] > look.height && shape[first + 1] > look.width;
}

// What it surely is; empty when that is not known.
std::string sure_reading(const Tensor& tensor, const NetworkLook& look) {
    if (may_be_boxes(tensor)) {
        return "boxes";
    }
    if (may_be_picture(tensor, look) && is_larger(tensor, look)) {
        return "image";
    }
    return may_be_mask(tensor) && !is_real(tensor.get_element_type()) ? "mask" : "";
}

std::string list_of(const std::vector<NamedTensor>& outputs, const NetworkLook& look) {
    std::string text;
    for (const NamedTensor& output : outputs) {
        const std::string readings =
            fmt::format("{}", fmt::join(readings_of(output.value, look), " or "));
        text += fmt::format("{}'{}' {}{} ({})", text.empty() ? "" : ", ", output.name,
                            to_string(output.value.get_element_type()),
                            to_string(output.value.get_shape()),
                            readings.empty() ? "nothing that is drawn" : readings);
    }
    return text;
}

struct Choice {
    const NamedTensor* output = nullptr;
    std::string what;
};

Choice choose(const std::vector<NamedTensor>& outputs,
              const NetworkLook& look,
              const DrawOptions& options) {
    std::vector<Choice> found;
    bool known = options.output.empty();
    for (const NamedTensor& output : outputs) {
        if (!options.output.empty() && output.name != options.output) {
            continue;
        }
        known = true;
        const std::vector<std::string> readings = readings_of(output.value, look);
        const std::string what =
            options.what == "auto" ? sure_reading(output.value, look) : options.what;
        if (std::find(readings.begin(), readings.end(), what) != readings.end()) {
            found.push_back({&output, what});
        }
    }
    if (!known) {
        throw Error("draw", fmt::format("-draw_output: there is no output '{}' among {}",
                                        options.output, list_of(outputs, look)));
    }
    if (found.size() > 1) {
        throw Error("draw", fmt::format("-draw {}: say with -draw_output which one of {}",
                                        options.what, list_of(outputs, look)));
    }
    if (found.empty()) {
        throw Error("draw", fmt::format("-draw {}: {}; outputs are {}", options.what,
                                        options.what == "auto"
                                            ? "say what is meant (boxes, mask, keypoints, image)"
                                            : "no output is that",
                                        list_of(outputs, look)));
    }
    return found.front();
}

// The labels beside boxes of five values: integers, one a box.
const Tensor* labels_beside(const std::vector<NamedTensor>& outputs, const Tensor& boxes) {
    for (const NamedTensor& output : outputs) {
        const Tensor& tensor = output.value;
        if (tensor.get_shape() == Shape{boxes.get_shape()[0]} &&
            !is_real(tensor.get_element_type())) {
            return &tensor;
        }
    }
    return nullptr;
}

std::size_t pixel_at(float fraction, std::size_t size) {
    const float inside = std::isnan(fraction) ? 0 : std::clamp(fraction, 0.0F, 1.0F);
    return std::min(static_cast<std::size_t>(inside * static_cast<float>(size)), size - 1);
}

void draw_points(Picture& picture, const std::vector<KeyPoint>& points) {
    constexpr std::size_t kPixelsOfARadius = 80;
    const std::size_t radius = 1 + std::min(picture.height, picture.width) / kPixelsOfARadius;
    for (const KeyPoint& point : points) {
        fill_disc(picture, static_cast<std::int64_t>(pixel_at(point.x, picture.width)),
                  static_cast<std::int64_t>(pixel_at(point.y, picture.height)),
                  static_cast<std::int64_t>(radius), color_of_class(point.index));
    }
}

}  // namespace

Drawn draw_result(const std::vector<NamedTensor>& outputs,
                  const Picture& picture,
                  const NetworkLook& look,
                  const DrawOptions& options) {
    const auto [output, what] = choose(outputs, look, options);
    const Tensor& tensor = output->value;
    Drawn drawn = {picture, ""};
    if (what == "boxes") {
        const auto boxes =
            read_boxes(tensor, labels_beside(outputs, tensor), look, options.threshold);
        draw_boxes(drawn.picture, boxes, options.labels);
        drawn.said = fmt::format("{} boxes", boxes.size());
    } else if (what == "mask") {
        draw_mask(drawn.picture, read_mask(tensor, look, options.threshold));
        drawn.said = "mask";
    } else if (what == "keypoints") {
        const auto points = read_points(tensor, look, options.threshold);
        draw_points(drawn.picture, points);
        drawn.said = fmt::format("{} key points", points.size());
    } else {
        drawn.picture = read_result_picture(tensor, look, options.white, options.bgr);
        drawn.said = "image";
    }
    drawn.said += fmt::format(" of '{}'", output->name);
    return drawn;
}

}  // namespace fuseq::samples
