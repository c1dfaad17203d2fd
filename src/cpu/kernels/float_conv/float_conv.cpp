// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/float_conv/float_conv.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/core.h>

#include "cpu/kernels/float_conv/float_conv_rows.hpp"
#include "fuseq/error.hpp"

namespace fuseq::kernels {
namespace {

using float_conv::kLanes;
using float_conv::kMaxTaps;
using float_conv::kMaxVectors;
using float_conv::Taps;

constexpr std::size_t kMaxChannels = 4;
constexpr std::size_t kMaxRows = 16;   // of a kernel
constexpr std::size_t kMinWidth = 24;  // the pixels of any tile

// Whether a window reaches over the edge of the image.
bool is_padded(const ConvGeometry& s) {
    const auto reach = [](std::size_t dst, std::size_t stride, std::size_t kernel) {
        return static_cast<std::ptrdiff_t>((dst - 1) * stride + kernel);
    };
    return s.pad_top > 0 || s.pad_left > 0 ||
           reach(s.dst_height, s.stride_height, s.kernel_height) - s.pad_top >
               static_cast<std::ptrdiff_t>(s.src_height) ||
           reach(s.dst_width, s.stride_width, s.kernel_width) - s.pad_left >
               static_cast<std::ptrdiff_t>(s.src_width);
}

// Pixels that the windows of a row read.
std::size_t window_pixels(const ConvGeometry& s) {
    return (s.dst_width - 1) * s.stride_width + s.kernel_width;
}

}  // namespace

// The source rows of a row of dst: where they lie, or copied with their padding.
class FloatConv::Source {
public:
    Source(const FloatConv& conv, const float* src, float* scratch)
        : s_(conv.shape_),
          planes_(conv.planes_ ? s_.src_channels : 1),
          floats_(conv.planes_ ? 1 : s_.src_channels),
          src_(src),
          scratch_(is_padded(s_) ? scratch : nullptr) {
        held_.fill(kNone);
    }

    void taps_of(std::size_t row, Taps& taps) {
        const std::size_t image = row / s_.dst_height;
        const auto first =
            static_cast<std::ptrdiff_t>(row % s_.dst_height * s_.stride_height) - s_.pad_top;
        taps.count = 0;
        for (std::size_t ky = 0; ky < s_.kernel_height; ++ky) {
            std::array<const float*, kMaxChannels> rows{};
            find_rows(image, first + static_cast<std::ptrdiff_t>(ky), rows);
            for (std::size_t kx = 0; kx < s_.kernel_width; ++kx) {
                for (std::size_t c = 0; c < s_.src_channels; ++c) {
                    const float* const from = planes_ == 1 ? rows[0] + c : rows[c];
                    taps.at[taps.count++] = from + kx * floats_;
                }
            }
        }
    }

private:
    static constexpr std::ptrdiff_t kNone = PTRDIFF_MIN;

    const float* source_row(std::size_t image, std::size_t plane, std::ptrdiff_t y) const {
        const std::size_t of_image = (image * planes_ + plane) * s_.src_height;
        return src_ + (of_image + static_cast<std::size_t>(y)) * s_.src_width * floats_;
    }

    // Row y of each plane.
    void find_rows(std::size_t image,
                   std::ptrdiff_t y,
                   std::array<const float*, kMaxChannels>& rows) {
        if (scratch_ == nullptr) {
            for (std::size_t p = 0; p < planes_; ++p) {
                rows[p] = source_row(image, p, y);
            }
            return;
        }
        // Rows of an image, by number; -1 and the like are rows of an image too.
        const auto height = static_cast<std::ptrdiff_t>(s_.src_height + 2 * kMaxRows);
        const std::ptrdiff_t number =
            static_cast<std::ptrdiff_t>(image) * height + y + static_cast<std::ptrdiff_t>(kMaxRows);
        const std::size_t slot = static_cast<std::size_t>(number) % s_.kernel_height;
        const std::size_t size = window_pixels(s_) * floats_;
        for (std::size_t p = 0; p < planes_; ++p) {
            float* const to = scratch_ + (slot * planes_ + p) * size;
            if (held_[slot] != number) {
                fill(image, p, y, to);
            }
            rows[p] = to;
        }
        held_[slot] = number;
    }

    void fill(std::size_t image, std::size_t plane, std::ptrdiff_t y, float* to) const {
        const std::size_t size = window_pixels(s_) * floats_;
        if (y < 0 || y >= static_cast<std::ptrdiff_t>(s_.src_height)) {
            std::fill_n(to, size, 0.0f);
            return;
        }
        const float* from = source_row(image, plane, y);
        const auto pixels = static_cast<std::ptrdiff_t>(window_pixels(s_));
        const std::ptrdiff_t begin = std::clamp<std::ptrdiff_t>(s_.pad_left, 0, pixels);
        const std::ptrdiff_t end = std::clamp<std::ptrdiff_t>(
            static_cast<std::ptrdiff_t>(s_.src_width) + s_.pad_left, begin, pixels);
        const auto floats = static_cast<std::ptrdiff_t>(floats_);
        std::fill_n(to, begin * floats, 0.0f);
        std::copy_n(from + (begin - s_.pad_left) * floats, (end - begin) * floats,
                    to + begin * floats);
        std::fill_n(to + end * floats, (pixels - end) * floats, 0.0f);
    }

    const ConvGeometry& s_;
    std::size_t planes_;
    std::size_t floats_;  // of a pixel
    const float* src_;
    float* scratch_;
    std::array<std::ptrdiff_t, kMaxRows> held_{};
};

bool FloatConv::takes(const ConvGeometry& s) {
    constexpr std::size_t kMaxStride = 2;
    return s.src_channels >= 1 && s.src_channels <= kMaxChannels && s.dst_channels % kLanes == 0 &&
           s.dst_channels >= kLanes && s.dst_channels <= kMaxVectors * kLanes &&
           s.stride_width <= kMaxStride && s.dilation_height == 1 && s.dilation_width == 1 &&
           s.kernel_height >= 1 && s.kernel_height <= kMaxRows && s.dst_width >= kMinWidth &&
           s.dst_height >= 1 && s.pad_top >= 0 && s.pad_left >= 0 &&
           s.pad_top < static_cast<std::ptrdiff_t>(s.kernel_height) &&
           s.src_channels * s.kernel_height * s.kernel_width <= kMaxTaps &&
           float_conv::row_function(1, s.stride_width * s.src_channels) != nullptr;
}

FloatConv::FloatConv(const FloatConvParams& p)
    : shape_(p.shape),
      planes_(p.planes),
      relu_(p.relu),
      slope_(p.slope),
      dst_type_(p.dst_type),
      vectors_(p.shape.dst_channels / kLanes),
      weights_(p.weights.size()),
      bias_(p.shape.dst_channels),
      shift_(p.shift.begin(), p.shift.end()) {
    const ConvGeometry& s = shape_;
    const std::size_t plane = s.kernel_height * s.kernel_width;
    const auto fits = [&](std::span<const float> values) {
        return values.empty() || values.size() == s.dst_channels;
    };
    if (p.weights.size() != s.dst_channels * s.src_channels * plane || !fits(p.bias) ||
        !fits(p.shift) || (p.dst_type != ElementType::f32 && size_of(p.dst_type) != 1)) {
        throw Error("compile", fmt::format("float convolution of few channels: {} weights, {} "
                                           "biases and {} shifts for {} x {} x {}",
                                           p.weights.size(), p.bias.size(), p.shift.size(),
                                           s.dst_channels, s.src_channels, plane));
    }
    std::copy(p.bias.begin(), p.bias.end(), bias_.begin());
    for (std::size_t i = 0; i < p.weights.size(); ++i) {
        const std::size_t tap = i % plane;
        const std::size_t from = i / plane % s.src_channels;
        weights_[(tap * s.src_channels + from) * s.dst_channels + i / plane / s.src_channels] =
            p.weights[i];
    }
}

std::size_t FloatConv::scratch() const {
    return is_padded(shape_) ? shape_.kernel_height * window_pixels(shape_) * shape_.src_channels
                             : 0;
}

void FloatConv::run(const float* src, Range rows, float* scratch, void* dst) const {
    const std::size_t step = shape_.stride_width * (planes_ ? 1 : shape_.src_channels);
    const float_conv::RowFunction row = float_conv::row_function(vectors_, step);
    const float_conv::Constants constants{
        weights_.data(), bias_.data(), shift_.empty() ? nullptr : shift_.data(),
        relu_,           slope_,       dst_type_};
    Source source(*this, src, scratch);
    Taps taps;
    auto* to = static_cast<std::byte*>(dst);
    for (std::size_t y = rows.begin; y < rows.end; ++y) {
        source.taps_of(y, taps);
        row(taps, constants, shape_.dst_width, to);
        to += shape_.dst_width * shape_.dst_channels * size_of(dst_type_);
    }
}

}  // namespace fuseq::kernels
