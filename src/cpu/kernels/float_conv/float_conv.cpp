// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/float_conv/float_conv.hpp"

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include <fmt/core.h>

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/common/unrolled-inl.h"
#include "cpu/kernels/common/vnni_target.hpp"
#include "cpu/machine/instructions.hpp"
#include "fuseq/error.hpp"

namespace fuseq::kernels {
namespace {

constexpr std::size_t kLanes = 16;
constexpr std::size_t kMaxVectors = 4;  // of output channels
constexpr std::size_t kMaxChannels = 4;
constexpr std::size_t kMaxTaps = 256;
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

// Of a row of dst: where each tap of the first pixel is read.
struct Taps {
    std::array<const float*, kMaxTaps> at;
    std::size_t count = 0;
};

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

FUSEQ_BEGIN_VNNI

namespace {

struct Constants {
    const float* weights;
    const float* bias;
    const float* shift;  // null: none
    bool relu;
    float slope;
    ElementType dst_type;
};

// Pixels of a tile: with the weights of all vectors and a number of the source in registers.
constexpr std::size_t tile_pixels(std::size_t vectors) {
    return 24 / vectors;
}

// Above the integers of 32 bits the conversion gives the least of them.
FUSEQ_INLINE __m512i integers(__m512 v) {
    return _mm512_cvtps_epi32(_mm512_min_ps(v, _mm512_set1_ps(255.0f)));
}
// Four vectors as bytes, one after the other: packs work within 128 bits.
FUSEQ_INLINE __m512i bytes_of(__m512 a, __m512 b, __m512 c, __m512 d, bool is_signed) {
    const __m512i low = _mm512_packs_epi32(integers(a), integers(b));
    const __m512i high = _mm512_packs_epi32(integers(c), integers(d));
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return _mm512_permutexvar_epi32(
        order, is_signed ? _mm512_packs_epi16(low, high) : _mm512_packus_epi16(low, high));
}

// A tile that begins at pixel x. kStep: floats from a window to the next.
template <std::size_t kPixels, std::size_t kVectors, std::size_t kStep>
FUSEQ_INLINE void tile(const Taps& taps,
                       const Constants& constants,
                       std::size_t x,
                       std::byte* dst) {
    Registers<__m512, kPixels * kVectors> acc;
    unrolled<kPixels * kVectors>([&](auto i) FUSEQ_LAMBDA { acc.v[i] = _mm512_setzero_ps(); });
    const float* weights = constants.weights;
    for (std::size_t t = 0; t < taps.count; ++t, weights += kVectors * kLanes) {
        const float* const at = taps.at[t] + x * kStep;
        Registers<__m512, kVectors> w;
        unrolled<kVectors>([&](auto v)
                               FUSEQ_LAMBDA { w.v[v] = _mm512_load_ps(weights + v * kLanes); });
        unrolled<kPixels>([&](auto p) FUSEQ_LAMBDA {
            const __m512 number = _mm512_set1_ps(at[p * kStep]);
            unrolled<kVectors>([&](auto v) FUSEQ_LAMBDA {
                constexpr std::size_t kPlace = decltype(p)::value * kVectors + decltype(v)::value;
                acc.v[kPlace] = _mm512_fmadd_ps(number, w.v[v], acc.v[kPlace]);
            });
        });
    }
    unrolled<kVectors>([&](auto v) FUSEQ_LAMBDA {
        const __m512 bias = _mm512_load_ps(constants.bias + v * kLanes);
        unrolled<kPixels>([&](auto p) FUSEQ_LAMBDA {
            constexpr std::size_t kPlace = decltype(p)::value * kVectors + decltype(v)::value;
            acc.v[kPlace] = _mm512_add_ps(acc.v[kPlace], bias);
        });
        if (constants.relu && constants.slope == 0.0f) {
            unrolled<kPixels>([&](auto p) FUSEQ_LAMBDA {
                constexpr std::size_t kPlace = decltype(p)::value * kVectors + decltype(v)::value;
                acc.v[kPlace] = _mm512_max_ps(acc.v[kPlace], _mm512_setzero_ps());
            });
        } else if (constants.relu) {
            const __m512 slope = _mm512_set1_ps(constants.slope);
            unrolled<kPixels>([&](auto p) FUSEQ_LAMBDA {
                constexpr std::size_t kPlace = decltype(p)::value * kVectors + decltype(v)::value;
                const __m512 value = acc.v[kPlace];
                const __mmask16 below = _mm512_cmp_ps_mask(value, _mm512_setzero_ps(), _CMP_NGT_UQ);
                acc.v[kPlace] = _mm512_mask_mul_ps(value, below, value, slope);
            });
        }
        if (constants.shift != nullptr) {
            const __m512 shift = _mm512_load_ps(constants.shift + v * kLanes);
            unrolled<kPixels>([&](auto p) FUSEQ_LAMBDA {
                constexpr std::size_t kPlace = decltype(p)::value * kVectors + decltype(v)::value;
                acc.v[kPlace] = _mm512_add_ps(acc.v[kPlace], shift);
            });
        }
    });
    const std::size_t first = x * kVectors * kLanes;
    if (constants.dst_type == ElementType::f32) {
        float* const to = reinterpret_cast<float*>(dst) + first;
        unrolled<kPixels * kVectors>(
            [&](auto i) FUSEQ_LAMBDA { _mm512_storeu_ps(to + i * kLanes, acc.v[i]); });
        return;
    }
    const bool is_signed = constants.dst_type == ElementType::i8;
    unrolled<kPixels * kVectors / 4>([&](auto g) FUSEQ_LAMBDA {
        constexpr std::size_t kFirst = decltype(g)::value * 4;
        _mm512_storeu_si512(dst + first + kFirst * kLanes,
                            bytes_of(acc.v[kFirst], acc.v[kFirst + 1], acc.v[kFirst + 2],
                                     acc.v[kFirst + 3], is_signed));
    });
}

// The last tile ends at the end of the row: it may compute pixels again. It is half a tile where
// that suffices.
template <std::size_t kVectors, std::size_t kStep>
void row_of(const Taps& taps, const Constants& constants, std::size_t width, std::byte* dst) {
    constexpr std::size_t kPixels = tile_pixels(kVectors);
    constexpr std::size_t kHalf = kPixels / 2;
    std::size_t x = 0;
    for (; x + kHalf < width; x += kPixels) {
        tile<kPixels, kVectors, kStep>(taps, constants, std::min(x, width - kPixels), dst);
    }
    if (x < width) {
        tile<kHalf, kVectors, kStep>(taps, constants, width - kHalf, dst);
    }
}

using RowFunction = void (*)(const Taps&, const Constants&, std::size_t, std::byte*);

template <std::size_t kStep>
RowFunction of_vectors(std::size_t vectors) {
    constexpr std::array<RowFunction, kMaxVectors> kAll = {row_of<1, kStep>, row_of<2, kStep>,
                                                           row_of<3, kStep>, row_of<4, kStep>};
    return kAll[vectors - 1];
}

// Null: there is none for the step.
RowFunction row_function(std::size_t vectors, std::size_t step) {
    switch (step) {
        case 1: return of_vectors<1>(vectors);
        case 2: return of_vectors<2>(vectors);
        case 3: return of_vectors<3>(vectors);
        case 4: return of_vectors<4>(vectors);
        case 6: return of_vectors<6>(vectors);
        case 8: return of_vectors<8>(vectors);
        default: return nullptr;
    }
}

}  // namespace

FUSEQ_END_VNNI

bool FloatConv::takes(const ConvGeometry& s) {
    constexpr std::size_t kMaxStride = 2;
    return has_avx512_vnni() && s.src_channels >= 1 && s.src_channels <= kMaxChannels &&
           s.dst_channels % kLanes == 0 && s.dst_channels >= kLanes &&
           s.dst_channels <= kMaxVectors * kLanes && s.stride_width <= kMaxStride &&
           s.dilation_height == 1 && s.dilation_width == 1 && s.kernel_height >= 1 &&
           s.kernel_height <= kMaxRows && s.dst_width >= kMinWidth && s.dst_height >= 1 &&
           s.pad_top >= 0 && s.pad_left >= 0 &&
           s.pad_top < static_cast<std::ptrdiff_t>(s.kernel_height) &&
           s.src_channels * s.kernel_height * s.kernel_width <= kMaxTaps &&
           row_function(1, s.stride_width * s.src_channels) != nullptr;
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
    const RowFunction row = row_function(vectors_, step);
    const Constants constants{
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
