// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/low_precision/laws/channel_tracking.hpp"

#include <algorithm>

#include "ops/op_spec.hpp"
#include "transformations/support/constants.hpp"

namespace fuseq {
namespace {

// Tracking computes with one float an element of the data.
constexpr std::size_t kMaxElements = std::size_t{1} << 24;

// Positions that no element was seen at.
constexpr float kUnknown = -1.0f;

// The shape with open dimensions of size 1; nothing where the channels are open or there are too
// many elements.
std::optional<Shape> representative(const PartialShape& partial, std::size_t axis) {
    Shape shape;
    for (const Dimension& d : partial) {
        shape.push_back(d.is_static() ? static_cast<std::size_t>(d.get_length()) : 1);
    }
    const std::size_t size = shape_size(shape);
    const bool usable = partial[axis].is_static() && size > 0 && size <= kMaxElements;
    return usable ? std::optional<Shape>(shape) : std::nullopt;
}

// Runs the operation on the numbers; nothing when an input is not known or the representative
// shape does not suit it.
std::vector<Tensor> moved_numbers(const Node& node, Tensor numbers) {
    std::vector<Tensor> inputs{std::move(numbers)};
    for (std::size_t i = 1; i < node.input_count(); ++i) {
        const auto value = evaluate_constant(node.input(i));
        if (!value) {
            return {};
        }
        inputs.push_back(*value);
    }
    try {
        return evaluate_node(node, inputs);
    } catch (const Error&) {
        return {};  // a pattern made for other sizes of the open dimensions
    }
}

// For each channel the first one with the same scale and zero point: which of them it is does not
// matter.
std::vector<float> representatives(const Dequantize& dq, std::size_t channels) {
    std::vector<float> first(channels);
    for (std::size_t c = 0; c < channels; ++c) {
        std::size_t same = 0;
        while (dq.scale[same] != dq.scale[c] || dq.zero_point[same] != dq.zero_point[c]) {
            ++same;
        }
        first[c] = static_cast<float>(same);
    }
    return first;
}

// Elements in the dimensions before one and after it.
struct Around {
    std::size_t outer = 1;
    std::size_t inner = 1;
};

Around around_of(const Shape& shape, std::size_t axis) {
    Around around;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        around.outer *= d < axis ? shape[d] : 1;
        around.inner *= d > axis ? shape[d] : 1;
    }
    return around;
}

Tensor channel_numbers(const Shape& shape, const Dequantize& dq) {
    const std::vector<float> first = representatives(dq, shape[dq.axis()]);
    Tensor numbers(ElementType::f32, shape);
    const Around around = around_of(shape, dq.axis());
    float* out = numbers.data<float>();
    for (std::size_t o = 0; o < around.outer; ++o) {
        for (const float number : first) {
            out = std::fill_n(out, around.inner, number);
        }
    }
    return numbers;
}

// The channel at each position of dimension d of a result, when nothing else decides it.
std::optional<std::vector<float>> along(const Tensor& numbers,
                                        const PartialShape& result,
                                        std::size_t d) {
    const Shape& shape = numbers.get_shape();
    if (result.rank() != shape.size() ||
        result[d] != Dimension(static_cast<Dimension::value_type>(shape[d]))) {
        return std::nullopt;
    }
    const Around around = around_of(shape, d);
    std::vector<float> channels(shape[d], kUnknown);
    const float* value = numbers.data<float>();
    for (std::size_t o = 0; o < around.outer; ++o) {
        for (float& channel : channels) {
            for (std::size_t i = 0; i < around.inner; ++i, ++value) {
                channel = channel == kUnknown ? *value : channel;
                if (channel != *value) {
                    return std::nullopt;
                }
            }
        }
    }
    return channels;
}

Dequantize with_channels(const Dequantize& dq, const std::vector<float>& channels, std::size_t d) {
    std::vector<float> scales;
    std::vector<float> zero_points;
    for (const float channel : channels) {
        const auto c = static_cast<std::size_t>(channel);
        scales.push_back(dq.scale[c]);
        zero_points.push_back(dq.zero_point[c]);
    }
    Dequantize moved = dq;
    moved.scale = {std::move(scales), d};
    moved.zero_point = {std::move(zero_points), d};
    return moved;
}

}  // namespace

std::optional<std::vector<Dequantize>> track_channels(const Node& node, const Dequantize& dq) {
    if (dq.per_tensor()) {
        return std::vector<Dequantize>(node.output_count(), dq);
    }
    const auto shape = representative(node.input(0).partial_shape(), dq.axis());
    if (!shape) {
        return std::nullopt;
    }
    const std::vector<Tensor> results = moved_numbers(node, channel_numbers(*shape, dq));
    std::vector<Dequantize> moved;
    for (std::size_t i = 0; i < results.size(); ++i) {
        std::optional<std::vector<float>> channels;
        for (std::size_t d = 0; d < results[i].get_shape().size() && !channels; ++d) {
            channels = along(results[i], node.port(i).shape, d);
            if (channels) {
                moved.push_back(with_channels(dq, *channels, d));
            }
        }
        if (!channels) {
            return std::nullopt;
        }
    }
    if (moved.empty()) {
        return std::nullopt;
    }
    return moved;
}

}  // namespace fuseq
