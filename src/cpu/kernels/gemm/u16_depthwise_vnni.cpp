// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Depthwise convolutions of 3x3 of 16-bit values by vpdpwssd, 32 channels at a time. A column of
// three rows is two vectors of pairs for either half of the channels; windows side by side share
// columns. The image is read in place: a copy with padding took a third of the time. Pairs are made
// by interleaving within 128 bits, so that the first half has channels 0 to 3, 8 to 11, ... and a
// pack of both halves puts results in order again.
#include <array>

#include "cpu/kernels/gemm/u16_results_vnni-inl.h"

FUSEQ_BEGIN_VNNI

namespace fuseq::kernels::u16 {
namespace {

constexpr std::size_t kColumns = 3;

// What two vectors of 16 channels become: those of either half.
struct Halves {
    __m512i first, second;
};
FUSEQ_INLINE Halves halves_of(__m512i a, __m512i b) {
    const __m512i first =
        _mm512_setr_epi32(0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
    const __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(4));
    return {_mm512_permutex2var_epi32(a, first, b), _mm512_permutex2var_epi32(a, second, b)};
}
FUSEQ_INLINE __m512i in_half(bool second, __m512 a, __m512 b) {
    const Halves halves = halves_of(_mm512_castps_si512(a), _mm512_castps_si512(b));
    return second ? halves.second : halves.first;
}

// Rows 0 and 1 in pairs; row 2 in pairs whose other value meets a weight of zero.
struct Column {
    Halves upper, lower;
};
FUSEQ_INLINE Column column_of(__m512i a, __m512i b, __m512i c) {
    return {{_mm512_unpacklo_epi16(a, b), _mm512_unpackhi_epi16(a, b)},
            {_mm512_unpacklo_epi16(c, c), _mm512_unpackhi_epi16(c, c)}};
}

__mmask32 channels_of(const ColumnsCall& call) {
    const std::size_t left = call.channels - call.channel;
    return left >= 2 * kGroup ? ~__mmask32{0} : (__mmask32{1} << left) - __mmask32{1};
}

// Three rows of the image, of 32 channels; where it ends, of those that there are.
template <bool kWhole>
class Rows {
public:
    explicit Rows(const ColumnsCall& call)
        : mask_(channels_of(call)),
          channels_(static_cast<std::ptrdiff_t>(call.channels)),
          width_(static_cast<std::ptrdiff_t>(call.width)) {
        const __m512i pixel = _mm512_maskz_loadu_epi16(mask_, call.padding + call.channel);
        padding_ = column_of(pixel, pixel, pixel);
    }
    FUSEQ_INLINE void begin(const ColumnsCall& call, std::size_t row) {
        for (std::size_t i = 0; i < kColumns; ++i) {
            rows_[i] = call.rows[row * call.row_step + i] + call.channel;
        }
    }
    FUSEQ_INLINE Column operator[](std::ptrdiff_t x) const {
        const std::ptrdiff_t at = x * channels_;
        return column_of(load(rows_[0] + at), load(rows_[1] + at), load(rows_[2] + at));
    }
    FUSEQ_INLINE Column with_padding(std::ptrdiff_t x) const {
        return x < 0 || x >= width_ ? padding_ : (*this)[x];
    }
    std::ptrdiff_t width() const { return width_; }

private:
    // Less 32768.
    FUSEQ_INLINE __m512i load(const std::uint16_t* from) const {
        const __m512i middle = _mm512_set1_epi16(static_cast<std::int16_t>(-kMiddle));
        const __m512i values =
            kWhole ? _mm512_loadu_si512(from) : _mm512_maskz_loadu_epi16(mask_, from);
        return _mm512_xor_si512(values, middle);
    }

    const std::uint16_t* rows_[kColumns];
    Column padding_;
    __mmask32 mask_;
    std::ptrdiff_t channels_, width_;
};

struct ColumnWeights {
    Halves upper, lower;
};

FUSEQ_INLINE void add_column(Halves& sum, const Column& x, const ColumnWeights& w) {
    sum.first = _mm512_dpwssd_epi32(sum.first, x.upper.first, w.upper.first);
    sum.second = _mm512_dpwssd_epi32(sum.second, x.upper.second, w.upper.second);
    sum.first = _mm512_dpwssd_epi32(sum.first, x.lower.first, w.lower.first);
    sum.second = _mm512_dpwssd_epi32(sum.second, x.lower.second, w.lower.second);
}

// The sum of three columns.
class Window {
public:
    explicit Window(const ColumnsCall& call)
        : init_(halves_of(_mm512_loadu_si512(call.init), _mm512_loadu_si512(call.init + kGroup))) {
        for (std::size_t i = 0; i < kColumns; ++i) {
            const auto load = [&](std::size_t pair) FUSEQ_LAMBDA {
                const std::int16_t* from = call.wei + (2 * i + pair) * 2 * kGroup;
                return halves_of(_mm512_loadu_si512(from),
                                 _mm512_loadu_si512(from + call.wei_step));
            };
            wei_[i] = {load(0), load(1)};
        }
    }
    FUSEQ_INLINE Halves operator()(const Column& a, const Column& b, const Column& c) const {
        Halves sum = init_;
        add_column(sum, a, wei_[0]);
        add_column(sum, b, wei_[1]);
        add_column(sum, c, wei_[2]);
        return sum;
    }

private:
    ColumnWeights wei_[kColumns];
    Halves init_;
};

// Windows side by side, which share columns.
template <class Image, class Store>
FUSEQ_INLINE void add_dense_row(const Image& image,
                                const Window& window,
                                std::ptrdiff_t x,
                                std::size_t pixels,
                                const Store& store) {
    Column a = image.with_padding(x);
    Column b = image.with_padding(x + 1);
    x += 2;
    std::size_t p = 0;
    const std::ptrdiff_t inside = image.width() - static_cast<std::ptrdiff_t>(kColumns);
    for (; p + kColumns <= pixels && x <= inside; p += kColumns, x += kColumns) {
        const Column c = image[x];
        store(p, window(a, b, c));
        a = image[x + 1];
        store(p + 1, window(b, c, a));
        b = image[x + 2];
        store(p + 2, window(c, a, b));
    }
    for (; p < pixels; ++p, ++x) {
        const Column c = image.with_padding(x);
        store(p, window(a, b, c));
        a = b;
        b = c;
    }
}

template <class Image, class Store>
FUSEQ_INLINE void add_row(const Image& image,
                          const Window& window,
                          std::ptrdiff_t x,
                          std::ptrdiff_t stride,
                          std::size_t pixels,
                          const Store& store) {
    for (std::size_t p = 0; p < pixels; ++p, x += stride) {
        if (x >= 0 && x + 2 < image.width()) [[likely]] {
            store(p, window(image[x], image[x + 1], image[x + 2]));
        } else {
            store(p, window(image.with_padding(x), image.with_padding(x + 1),
                            image.with_padding(x + 2)));
        }
    }
}

// store(number of the pixel, sum).
template <bool kWhole, class Store>
FUSEQ_INLINE void add_windows(const ColumnsCall& call, const Store& store) {
    Rows<kWhole> image(call);
    const Window window(call);
    for (std::size_t r = 0; r < call.dst_rows; ++r) {
        image.begin(call, r);
        const auto store_row = [&](std::size_t pixel, const Halves& sum)
                                   FUSEQ_LAMBDA { store(r * call.pixels + pixel, sum); };
        if (call.stride == 1) {
            add_dense_row(image, window, call.first, call.pixels, store_row);
        } else {
            add_row(image, window, call.first, static_cast<std::ptrdiff_t>(call.stride),
                    call.pixels, store_row);
        }
    }
}

// Of one half of 32 channels.
Constants constants_of(const Results& results, bool second) {
    const Constants a = load_constants(*results.finish, results.channel);
    const Constants b = load_constants(*results.finish, results.channel + kGroup);
    const auto half = [&](__m512 x, __m512 y) {
        return _mm512_castsi512_ps(in_half(second, x, y));
    };
    return {.scale = half(a.scale, b.scale),
            .bias = half(a.bias, b.bias),
            .slope = half(a.slope, b.slope),
            .shift = half(a.shift, b.shift),
            .low = a.low,
            .high = half(a.high, b.high),
            .rescale = half(a.rescale, b.rescale),
            .slopes = a.slopes,
            .rescales = a.rescales,
            .mask = a.mask};
}

void store_sums(const ColumnsCall& call) {
    const __m512i first = _mm512_setr_epi32(0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23);
    const __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(8));
    add_windows<false>(call, [&](std::size_t pixel, const Halves& sum) FUSEQ_LAMBDA {
        float* const to = call.sums + pixel * call.pitch;
        _mm512_storeu_ps(
            to, _mm512_cvtepi32_ps(_mm512_permutex2var_epi32(sum.first, first, sum.second)));
        _mm512_storeu_ps(to + kGroup, _mm512_cvtepi32_ps(_mm512_permutex2var_epi32(
                                          sum.first, second, sum.second)));
    });
}

template <Way kWay>
void store_results(const ColumnsCall& call) {
    const Results& results = call.results;
    const Constants first = constants_of(results, false);
    const Constants second = constants_of(results, true);
    const std::size_t step = call.channels;
    std::uint16_t* const to = static_cast<std::uint16_t*>(results.dst) + results.channel;
    const auto both = [&](const Halves& sum) FUSEQ_LAMBDA {
        return _mm512_packus_epi32(finished<kWay>(sum.first, first),
                                   finished<kWay>(sum.second, second));
    };
    const __mmask32 mask = channels_of(call);
    if (mask == ~__mmask32{0}) {
        return add_windows<true>(call, [&](std::size_t pixel, const Halves& sum) FUSEQ_LAMBDA {
            _mm512_storeu_si512(to + pixel * step, both(sum));
        });
    }
    add_windows<false>(call, [&](std::size_t pixel, const Halves& sum) FUSEQ_LAMBDA {
        _mm512_mask_storeu_epi16(to + pixel * step, mask, both(sum));
    });
}

}  // namespace

void sum_columns_vnni512(const ColumnsCall& call) {
    const U16Finish* const finish = call.results.finish;
    if (finish == nullptr) {
        return store_sums(call);
    }
    with_way_of(*finish, [&](auto way) { store_results<way()>(call); });
}

}  // namespace fuseq::kernels::u16

FUSEQ_END_VNNI
