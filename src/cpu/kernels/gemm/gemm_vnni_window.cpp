// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of windows of src, for zero points of weights. The channels of a pixel are summed once for
// all windows, the columns of a window once for all rows of dst.
#include <algorithm>

#include <immintrin.h>

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/common/vnni_products-inl.h"
#include "cpu/kernels/common/vnni_target.hpp"
#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"

FUSEQ_BEGIN_VNNI

namespace fuseq::kernels::gemm {
namespace {

constexpr std::size_t kVector = 64;

__mmask64 first_bytes(std::size_t count) {
    return count >= kVector ? ~__mmask64{0} : (__mmask64{1} << count) - 1;
}

// Dense pixels of one, two or three channels, four at a time.
void sum_few(const std::uint8_t* src,
             std::size_t channels,
             std::size_t pixels,
             std::int32_t* sums) {
    constexpr std::size_t kBytes = 16;
    alignas(kBytes) std::uint8_t order[kBytes];
    for (std::size_t i = 0; i < kBytes; ++i) {
        const std::size_t channel = i % 4;
        order[i] =
            static_cast<std::uint8_t>(channel < channels ? i / 4 * channels + channel : 0x80);
    }
    const __m128i spread = _mm_load_si128(reinterpret_cast<const __m128i*>(order));
    const __m128i ones = _mm_set1_epi8(1);
    std::size_t i = 0;
    for (; i + 4 <= pixels && (pixels - i) * channels >= kBytes; i += 4, src += 4 * channels) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(src));
        const __m128i four =
            _mm_dpbusd_epi32(_mm_setzero_si128(), _mm_shuffle_epi8(bytes, spread), ones);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(sums + i), four);
    }
    for (; i < pixels; ++i, src += channels) {
        sums[i] = 0;
        for (std::size_t c = 0; c < channels; ++c) {
            sums[i] += src[c];
        }
    }
}

// One pixel after the other, whatever is between them.
void sum_to_16(const std::uint8_t* src,
               std::size_t step,
               std::size_t channels,
               std::size_t pixels,
               std::int32_t* sums) {
    const auto mask = static_cast<__mmask16>(first_bytes(channels));
    for (std::size_t i = 0; i < pixels; ++i, src += step) {
        const __m128i sum = _mm_sad_epu8(_mm_maskz_loadu_epi8(mask, src), _mm_setzero_si128());
        sums[i] = _mm_cvtsi128_si32(_mm_add_epi32(sum, _mm_unpackhi_epi64(sum, sum)));
    }
}

// Neighbouring lanes of each vector, added.
__m512i add_lanes(__m512i a, __m512i b) {
    return _mm512_add_epi32(_mm512_shuffle_i64x2(a, b, 0x88), _mm512_shuffle_i64x2(a, b, 0xDD));
}

// 16 pixels; beyond `count` the last pixel is repeated.
template <bool kLong>
FUSEQ_INLINE __m512i sum_16(const std::uint8_t* src,
                            std::size_t step,
                            std::size_t whole,
                            __mmask64 rest,
                            std::size_t count) {
    const __m512i ones = _mm512_set1_epi8(1);
    __m512i sum[kLanes];
#pragma GCC unroll 16
    for (std::size_t p = 0; p < kLanes; ++p) {
        sum[p] = _mm512_dpbusd_epi32(_mm512_setzero_si512(),
                                     _mm512_maskz_loadu_epi8(rest, src + whole), ones);
        for (std::size_t c = 0; kLong && c < whole; c += kVector) {
            sum[p] = _mm512_dpbusd_epi32(sum[p], _mm512_loadu_si512(src + c), ones);
        }
        src += p + 1 < count ? step : 0;
    }
    const __m512i low = add_lanes(add_in_lanes(sum), add_in_lanes(sum + 4));
    return add_lanes(low, add_lanes(add_in_lanes(sum + 8), add_in_lanes(sum + 12)));
}

template <bool kLong>
void sum_many(const std::uint8_t* src,
              std::size_t step,
              std::size_t channels,
              std::size_t pixels,
              std::int32_t* sums) {
    const std::size_t whole = (channels - 1) / kVector * kVector;
    const __mmask64 rest = first_bytes(channels - whole);
    std::size_t i = 0;
    for (; i + kLanes <= pixels; i += kLanes, src += kLanes * step) {
        _mm512_storeu_si512(sums + i, sum_16<kLong>(src, step, whole, rest, kLanes));
    }
    if (i < pixels) {
        const auto mask = static_cast<__mmask16>((1u << (pixels - i)) - 1);
        _mm512_mask_storeu_epi32(sums + i, mask, sum_16<kLong>(src, step, whole, rest, pixels - i));
    }
}

// Dense pixels of 32 channels, two in a vector; returns how many.
std::size_t sum_dense_32(const std::uint8_t* src, std::size_t pixels, std::int32_t* sums) {
    const __m512i ones = _mm512_set1_epi8(1);
    const __m512i order = _mm512_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15);
    std::size_t i = 0;
    for (; i + kLanes <= pixels; i += kLanes, src += kLanes / 2 * kVector) {
        __m512i sum[kLanes / 2];
#pragma GCC unroll 8
        for (std::size_t p = 0; p < kLanes / 2; ++p) {
            sum[p] = _mm512_dpbusd_epi32(_mm512_setzero_si512(),
                                         _mm512_loadu_si512(src + p * kVector), ones);
        }
        const __m512i all = add_lanes(add_in_lanes(sum), add_in_lanes(sum + 4));
        _mm512_storeu_si512(sums + i, _mm512_permutexvar_epi32(order, all));
    }
    return i;
}

// Dense pixels of 4, 8 or 16 channels, a vector of 16, 8 or 4 pixels at a time; returns how many.
std::size_t sum_dense(const std::uint8_t* src,
                      std::size_t channels,
                      std::size_t pixels,
                      std::int32_t* sums) {
    const __m512i zero = _mm512_setzero_si512();
    const std::size_t at_once = kVector / channels;
    std::size_t i = 0;
    for (; i + at_once <= pixels; i += at_once, src += kVector) {
        const __m512i bytes = _mm512_loadu_si512(src);
        if (channels == 4) {
            _mm512_storeu_si512(sums + i, _mm512_dpbusd_epi32(zero, bytes, _mm512_set1_epi8(1)));
            continue;
        }
        __m512i eight = _mm512_sad_epu8(bytes, zero);
        if (channels == 8) {
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums + i), _mm512_cvtepi64_epi32(eight));
            continue;
        }
        eight = _mm512_add_epi64(eight, _mm512_bsrli_epi128(eight, 8));
        const __m512i pick = _mm512_setr_epi32(0, 4, 8, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(sums + i),
                         _mm512_castsi512_si128(_mm512_permutexvar_epi32(pick, eight)));
    }
    return i;
}

void sum_channels(const std::uint8_t* src,
                  std::size_t step,
                  std::size_t channels,
                  std::size_t pixels,
                  std::int32_t* sums) {
    constexpr std::size_t kFew = 3;
    if (step == channels && channels <= kFew) {
        return sum_few(src, channels, pixels, sums);
    }
    std::size_t done = 0;
    if (step == channels && (channels == 4 || channels == 8 || channels == 16)) {
        done = sum_dense(src, channels, pixels, sums);
    } else if (step == channels && channels == 32) {
        done = sum_dense_32(src, pixels, sums);
    }
    const auto rest = channels <= kLanes    ? sum_to_16
                      : channels <= kVector ? sum_many<false>
                                            : sum_many<true>;
    rest(src + done * step, step, channels, pixels - done, sums + done);
}

// Calls f(first, mask) for whole vectors of `count` values and for the last values.
template <class F>
FUSEQ_INLINE void over_vectors(std::size_t count, F&& f) {
    std::size_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        f(i, __mmask16{0xffff});
    }
    if (i < count) {
        f(i, static_cast<__mmask16>((1u << (count - i)) - 1));
    }
}

// to[i] = from[i * stride]
void pick_columns(const std::int32_t* from,
                  std::size_t stride,
                  std::size_t count,
                  std::int32_t* to) {
    std::size_t i = 0;
    if (stride == 2) {
        const __m512i even =
            _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
        // The last of 32 values need not exist.
        for (; i + kLanes < count; i += kLanes) {
            const __m512i low = _mm512_loadu_si512(from + 2 * i);
            const __m512i high = _mm512_loadu_si512(from + 2 * i + kLanes);
            _mm512_storeu_si512(to + i, _mm512_permutex2var_epi32(low, even, high));
        }
    }
    for (; i < count; ++i) {
        to[i] = from[i * stride];
    }
}

// Sums of the columns of the windows in a row: to[i] = sum of pixels[i * stride + x * dilation],
// where `pixels`, of which there are `width`, is overwritten.
void sum_columns(const GemmShape& s, std::size_t width, std::int32_t* pixels, std::int32_t* to) {
    const std::size_t reach = (s.kernel_width - 1) * s.dilation_width;
    // In place: a vector is read before it is written, and what is after it later.
    std::int32_t* sums = s.stride_width == 1 ? to : pixels;
    over_vectors(width - reach, [&](std::size_t i, __mmask16 mask) FUSEQ_LAMBDA {
        __m512i sum = _mm512_maskz_loadu_epi32(mask, pixels + i);
        for (std::size_t x = s.dilation_width; x <= reach; x += s.dilation_width) {
            sum = _mm512_add_epi32(sum, _mm512_maskz_loadu_epi32(mask, pixels + i + x));
        }
        _mm512_mask_storeu_epi32(sums + i, mask, sum);
    });
    if (s.stride_width != 1) {
        pick_columns(pixels, s.stride_width, s.dst_width, to);
    }
}

// to[i] = sum of `count` values that are `step` apart, less `minus`.
void sum_rows(const std::int32_t* from,
              std::size_t step,
              std::size_t count,
              std::size_t width,
              std::int32_t minus,
              float* to) {
    over_vectors(width, [&](std::size_t i, __mmask16 mask) FUSEQ_LAMBDA {
        __m512i sum = _mm512_set1_epi32(-minus);
        for (std::size_t k = 0; k < count; ++k) {
            sum = _mm512_add_epi32(sum, _mm512_maskz_loadu_epi32(mask, from + k * step + i));
        }
        _mm512_mask_storeu_ps(to + i, mask, _mm512_cvtepi32_ps(sum));
    });
}

// What padding, and a pixel of the value of the zero point, adds to the sums of windows.
std::int32_t fill_of_window(const Packed& p) {
    const GemmShape& s = p.shape;
    return static_cast<std::int32_t>(p.fill * s.src_channels * s.kernel_height * s.kernel_width);
}

}  // namespace

const float* sum_pixels(
    const Packed& p, const std::uint8_t* src, std::size_t step, std::size_t pixels, void* memory) {
    auto* sums = static_cast<float*>(memory);
    auto* whole = reinterpret_cast<std::int32_t*>(sums + pixels + kLanes);
    sum_channels(src, step, p.shape.src_channels, pixels, whole);
    sum_rows(whole, 0, 1, pixels, fill_of_window(p), sums);
    return sums;
}

const float* sum_windows(const Packed& p,
                         const std::uint8_t* src,
                         std::size_t count,
                         void* memory) {
    const GemmShape& s = p.shape;
    const std::size_t rows = p.rows_read(count);
    const std::size_t width = p.pitch / s.src_channels;
    auto* sums = static_cast<float*>(memory);
    auto* columns = reinterpret_cast<std::int32_t*>(sums + count * s.dst_width + kLanes);
    std::int32_t* pixels = columns + rows * s.dst_width;
    for (std::size_t r = 0; r < rows; ++r) {
        sum_channels(src + r * p.pitch, s.src_channels, s.src_channels, width, pixels);
        sum_columns(s, width, pixels, columns + r * s.dst_width);
    }
    for (std::size_t y = 0; y < count; ++y) {
        sum_rows(columns + y * s.stride_height * s.dst_width, s.dilation_height * s.dst_width,
                 s.kernel_height, s.dst_width, fill_of_window(p), sums + y * s.dst_width);
    }
    return sums;
}

}  // namespace fuseq::kernels::gemm

FUSEQ_END_VNNI
