// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "infer/results.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fuseq::samples {
namespace {

// A tensor as [channels, height, width], whatever its order in memory.
class Planes {
public:
    // Of four dimensions, or of three without channels.
    Planes(const Tensor& tensor, const NetworkLook& look) : values_(tensor.to(ElementType::f32)) {
        const Shape& shape = tensor.get_shape();
        if (shape.size() == 3) {
            height = shape[1];
            width = shape[2];
            row_ = width;
            column_ = 1;
            return;
        }
        channels = look.channels_last ? shape[3] : shape[1];
        height = look.channels_last ? shape[1] : shape[2];
        width = look.channels_last ? shape[2] : shape[3];
        channel_ = look.channels_last ? 1 : height * width;
        column_ = look.channels_last ? channels : 1;
        row_ = width * column_;
    }
    float at(std::size_t channel, std::size_t y, std::size_t x) const {
        return std::as_const(values_).data<float>()[channel * channel_ + y * row_ + x * column_];
    }

    std::size_t channels = 1;
    std::size_t height = 0;
    std::size_t width = 0;

private:
    Tensor values_;
    std::size_t channel_ = 0;
    std::size_t row_ = 0;
    std::size_t column_ = 0;
};

bool is_detection_output(const Shape& shape) {
    return shape.size() == 4 && shape[0] == 1 && shape[1] == 1 && shape[3] == 7;
}

// A bad model may give any number.
std::int64_t label_of(float value) {
    constexpr float kMax = 1e9F;
    return std::abs(value) <= kMax ? static_cast<std::int64_t>(value) : -1;
}

std::vector<Detection> of_detection_output(const Tensor& real, float threshold) {
    std::vector<Detection> found;
    const float* row = real.data<float>();
    for (std::size_t i = 0; i < real.get_shape()[2] && row[0] >= 0; ++i, row += 7) {
        if (row[2] >= threshold) {
            found.push_back({label_of(row[1]), row[2], row[3], row[4], row[5], row[6]});
        }
    }
    return found;
}

std::vector<Detection> of_rows_of_five(const Tensor& real,
                                       const Tensor* labels,
                                       const NetworkLook& look,
                                       float threshold) {
    std::vector<Detection> found;
    const auto width = static_cast<float>(look.width);
    const auto height = static_cast<float>(look.height);
    const Tensor kinds = labels == nullptr ? Tensor() : labels->to(ElementType::i64);
    const float* row = real.data<float>();
    for (std::size_t i = 0; i < real.get_shape()[0]; ++i, row += 5) {
        if (row[4] >= threshold) {
            const std::int64_t label = labels == nullptr ? 0 : kinds.data<std::int64_t>()[i];
            found.push_back(
                {label, row[4], row[0] / width, row[1] / height, row[2] / width, row[3] / height});
        }
    }
    return found;
}

bool has_classes(const Tensor& tensor) {
    return tensor.get_shape().size() == 4;
}

std::vector<KeyPoint> of_maps(const Planes& maps, float threshold) {
    std::vector<KeyPoint> points;
    for (std::size_t c = 0; c < maps.channels; ++c) {
        std::size_t best = 0;
        for (std::size_t i = 1; i < maps.height * maps.width; ++i) {
            if (maps.at(c, i / maps.width, i % maps.width) >
                maps.at(c, best / maps.width, best % maps.width)) {
                best = i;
            }
        }
        const std::size_t y = best / maps.width;
        const std::size_t x = best % maps.width;
        if (maps.at(c, y, x) >= threshold) {
            points.push_back({c, (static_cast<float>(x) + 0.5F) / static_cast<float>(maps.width),
                              (static_cast<float>(y) + 0.5F) / static_cast<float>(maps.height)});
        }
    }
    return points;
}

// Values of a row: x, y, perhaps a confidence.
std::size_t values_of_a_point(const Shape& shape) {
    return shape.size() == 3 && (shape[2] == 2 || shape[2] == 3) ? shape[2] : 2;
}

bool is_vector(const Shape& shape) {
    return shape.size() >= 2 && shape[0] == 1 && shape_size(shape) == shape[1];
}

float white_of(const Tensor& tensor, const Tensor& real) {
    if (!is_real(tensor.get_element_type())) {
        return 255;
    }
    const float* first = real.data<float>();
    const bool small = std::all_of(first, first + real.get_size(),
                                   [](float value) { return value >= -0.5F && value <= 1.5F; });
    return small ? 1 : 255;
}

}  // namespace

bool may_be_boxes(const Tensor& tensor) {
    const Shape& shape = tensor.get_shape();
    return is_detection_output(shape) || (shape.size() == 2 && shape[1] == 5);
}

std::vector<Detection> read_boxes(const Tensor& tensor,
                                  const Tensor* labels,
                                  const NetworkLook& look,
                                  float threshold) {
    const Tensor real = tensor.to(ElementType::f32);
    return is_detection_output(tensor.get_shape()) ? of_detection_output(real, threshold)
                                                   : of_rows_of_five(real, labels, look, threshold);
}

bool may_be_mask(const Tensor& tensor) {
    const Shape& shape = tensor.get_shape();
    const bool integers = !is_real(tensor.get_element_type());
    const bool plane = shape.size() == 3 && integers;
    return !shape.empty() && shape[0] == 1 && tensor.get_size() > 0 &&
           !is_detection_output(shape) && !is_vector(shape) && (plane || shape.size() == 4);
}

Mask read_mask(const Tensor& tensor, const NetworkLook& look, float threshold) {
    const Planes planes(tensor, look);
    const bool integers = !is_real(tensor.get_element_type());
    Mask mask = {planes.height, planes.width, {}};
    for (std::size_t y = 0; y < mask.height; ++y) {
        for (std::size_t x = 0; x < mask.width; ++x) {
            std::size_t best = 0;
            for (std::size_t c = 1; c < planes.channels; ++c) {
                best = planes.at(c, y, x) > planes.at(best, y, x) ? c : best;
            }
            const float value = planes.at(best, y, x);
            const bool one = planes.channels == 1;
            mask.classes.push_back(one && integers ? static_cast<std::int64_t>(value)
                                   : one           ? std::int64_t{value >= threshold}
                                                   : static_cast<std::int64_t>(best));
        }
    }
    return mask;
}

bool may_be_points(const Tensor& tensor) {
    const Shape& shape = tensor.get_shape();
    if (shape.empty() || shape[0] != 1 || tensor.get_size() == 0 || is_detection_output(shape)) {
        return false;
    }
    const bool rows = shape.size() == 3 && (shape[2] == 2 || shape[2] == 3);
    return rows || (is_vector(shape) ? shape[1] % 2 == 0 : has_classes(tensor));
}

std::vector<KeyPoint> read_points(const Tensor& tensor, const NetworkLook& look, float threshold) {
    const Shape& shape = tensor.get_shape();
    if (shape.size() == 4 && !is_vector(shape)) {
        return of_maps(Planes(tensor, look), threshold);
    }
    const Tensor real = tensor.to(ElementType::f32);
    const float* row = real.data<float>();
    const std::size_t values = values_of_a_point(shape);
    std::vector<KeyPoint> points;
    for (std::size_t i = 0; i < tensor.get_size() / values; ++i, row += values) {
        if (values == 2 || row[2] >= threshold) {
            points.push_back({i, row[0], row[1]});
        }
    }
    return points;
}

bool may_be_picture(const Tensor& tensor, const NetworkLook& look) {
    const Shape& shape = tensor.get_shape();
    if (shape.size() != 4 || shape[0] != 1 || tensor.get_size() == 0) {
        return false;
    }
    const std::size_t channels = look.channels_last ? shape[3] : shape[1];
    return channels == 1 || channels == 3;
}

Picture read_result_picture(const Tensor& tensor, const NetworkLook& look, float white, bool bgr) {
    const Planes planes(tensor, look);
    const float unit = white > 0 ? white : white_of(tensor, tensor.to(ElementType::f32));
    const auto byte = [&](std::size_t channel, std::size_t y, std::size_t x) {
        const float value = planes.at(planes.channels == 1 ? 0 : channel, y, x) / unit * 255;
        return static_cast<std::uint8_t>(
            std::isnan(value) ? 0 : std::lround(std::clamp(value, 0.0F, 255.0F)));
    };
    Picture picture(planes.height, planes.width);
    for (std::size_t y = 0; y < picture.height; ++y) {
        for (std::size_t x = 0; x < picture.width; ++x) {
            picture.at(y, x) = {byte(bgr ? 2 : 0, y, x), byte(1, y, x), byte(bgr ? 0 : 2, y, x)};
        }
    }
    return picture;
}

}  // namespace fuseq::samples
