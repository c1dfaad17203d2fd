// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/metrics.hpp"

#include <algorithm>
#include <cmath>

#include "fuseq/error.hpp"

namespace fuseq::quantizer {
namespace {

constexpr double kMaxOutputDecibels = 200;
constexpr float kMinConfidence = 0.2f;
constexpr float kMinOverlap = 0.5f;

double minus_sqnr(const Outputs& exact, const Outputs& quantized) {
    double sum = 0;
    const std::size_t outputs = exact[0].size();
    for (std::size_t o = 0; o < outputs; ++o) {
        double signal = 0;
        double noise = 0;
        for (std::size_t n = 0; n < exact.size(); ++n) {
            const std::vector<float> a = to_floats(exact[n][o]);
            const std::vector<float> b = to_floats(quantized[n][o]);
            for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
                const double value = a[i];
                signal += value * value;
                noise += std::pow(value - static_cast<double>(b[i]), 2);
            }
        }
        sum += noise > 0 ? std::min(kMaxOutputDecibels, 10 * std::log10(signal / noise))
                         : kMaxOutputDecibels;
    }
    return -sum / static_cast<double>(outputs);
}

double one_minus_cosine(const Outputs& exact, const Outputs& quantized) {
    double worst = 0;
    for (std::size_t n = 0; n < exact.size(); ++n) {
        double product = 0;
        double lengths[2] = {0, 0};
        for (std::size_t o = 0; o < exact[n].size(); ++o) {
            const std::vector<float> a = to_floats(exact[n][o]);
            const std::vector<float> b = to_floats(quantized[n][o]);
            for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
                const double x = a[i];
                const double y = b[i];
                product += x * y;
                lengths[0] += x * x;
                lengths[1] += y * y;
            }
        }
        const double length = std::sqrt(lengths[0] * lengths[1]);
        worst = std::max(worst, length > 0 ? 1 - product / length : 0);
    }
    return worst;
}

double other_class(const Outputs& exact, const Outputs& quantized) {
    const auto best = [](const Tensor& tensor) {
        const std::vector<float> values = to_floats(tensor);
        return std::max_element(values.begin(), values.end()) - values.begin();
    };
    std::size_t other = 0;
    for (std::size_t n = 0; n < exact.size(); ++n) {
        other += best(exact[n].at(0)) != best(quantized[n].at(0)) ? 1 : 0;
    }
    return static_cast<double>(other) / static_cast<double>(exact.size());
}

struct Box {
    float label = 0;
    float x0 = 0;
    float y0 = 0;
    float x1 = 0;
    float y1 = 0;
};

std::vector<Box> boxes_of(const std::vector<Tensor>& outputs) {
    for (const Tensor& tensor : outputs) {
        const std::size_t columns = tensor.get_shape().empty() ? 0 : tensor.get_shape().back();
        if (columns != 5 && columns != 7) {
            continue;
        }
        const std::vector<float> values = to_floats(tensor);
        std::vector<Box> boxes;
        for (std::size_t i = 0; i + columns <= values.size(); i += columns) {
            const float* row = values.data() + i;
            if (columns == 7 && row[0] < 0) {
                break;  // the end of the list
            }
            const float confidence = columns == 7 ? row[2] : row[4];
            const float* corners = columns == 7 ? row + 3 : row;
            if (confidence >= kMinConfidence) {
                boxes.push_back(
                    {columns == 7 ? row[1] : 0, corners[0], corners[1], corners[2], corners[3]});
            }
        }
        return boxes;
    }
    throw Error("quantize", "the metric 'detections' needs an output of 5 or 7 columns");
}

float overlap(const Box& a, const Box& b) {
    const float width = std::min(a.x1, b.x1) - std::max(a.x0, b.x0);
    const float height = std::min(a.y1, b.y1) - std::max(a.y0, b.y0);
    if (width <= 0 || height <= 0) {
        return 0;
    }
    const float both = width * height;
    const float all = (a.x1 - a.x0) * (a.y1 - a.y0) + (b.x1 - b.x0) * (b.y1 - b.y0) - both;
    return all > 0 ? both / all : 0;
}

double lost_boxes(const Outputs& exact, const Outputs& quantized) {
    std::size_t all = 0;
    std::size_t lost = 0;
    for (std::size_t n = 0; n < exact.size(); ++n) {
        const std::vector<Box> wanted = boxes_of(exact[n]);
        std::vector<Box> found = boxes_of(quantized[n]);
        for (const Box& box : wanted) {
            const auto partner = std::find_if(found.begin(), found.end(), [&](const Box& other) {
                return other.label == box.label && overlap(box, other) >= kMinOverlap;
            });
            if (partner == found.end()) {
                ++lost;
            } else {
                found.erase(partner);
            }
        }
        all += wanted.size();
        lost += found.size();  // boxes that were not there
        all += found.size();
    }
    return all > 0 ? static_cast<double>(lost) / static_cast<double>(all) : 0;
}

}  // namespace

double drop_of(DropMetric metric, const Outputs& exact, const Outputs& quantized) {
    if (exact.empty() || exact[0].empty()) {
        throw Error("quantize", "there are no outputs to compare");
    }
    switch (metric) {
        case DropMetric::kSqnr: return minus_sqnr(exact, quantized);
        case DropMetric::kCosine: return one_minus_cosine(exact, quantized);
        case DropMetric::kTop1: return other_class(exact, quantized);
        case DropMetric::kDetections: return lost_boxes(exact, quantized);
        case DropMetric::kOwn: break;
    }
    throw Error("quantize", "a metric of one's own has no outputs");
}

}  // namespace fuseq::quantizer
