// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The source rows of a tile are copied with their padding into a ring in the L1 cache. In a row the
// weights of a window meet neighbouring bytes, four of which fill a lane: one or two byte
// permutations collect the same four bytes of 16 windows, and a dot product with a broadcast
// weight adds them for one output channel.
#include "cpu/kernels/thin_conv.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include <immintrin.h>

#include "cpu/kernels/aligned_vector.hpp"
#include "cpu/kernels/copy_flipped.hpp"
#include "cpu/kernels/instructions.hpp"
#include "fuseq/error.hpp"

namespace fuseq::kernels {
namespace {

constexpr std::size_t kLanes = 16;
constexpr std::size_t kQuad = 4;              // bytes of a lane
constexpr std::size_t kMostPixelStep = 8;     // bytes from one window to the next
constexpr std::size_t kRingBytes = 96 << 10;  // on the stack
constexpr std::size_t kSlack = 320;           // read behind the last window
constexpr std::size_t kMostQuads = 256;       // of one row of a window
constexpr std::size_t kMostRows = 32;

std::size_t ceil_div(std::size_t a, std::size_t b) {
    return (a + b - 1) / b;
}

// Byte offsets in a source row of the quads that a window consists of.
std::vector<std::size_t> quad_offsets(const ThinConvShape& s) {
    std::vector<std::size_t> offsets;
    const std::size_t runs = s.dilation_width == 1 ? 1 : s.kernel_width;
    const std::size_t bytes = s.src_channels * (s.dilation_width == 1 ? s.kernel_width : 1);
    for (std::size_t run = 0; run < runs; ++run) {
        for (std::size_t q = 0; q < ceil_div(bytes, kQuad); ++q) {
            offsets.push_back(run * s.dilation_width * s.src_channels + q * kQuad);
        }
    }
    return offsets;
}

std::size_t ring_rows(const ThinConvShape& s) {
    return (s.kernel_height - 1) * s.dilation_height + 1;
}

// Bytes that the windows of `count` pixels read of a row.
std::size_t row_bytes(const ThinConvShape& s, std::size_t count) {
    const std::size_t pixels =
        (count - 1) * s.stride_width + (s.kernel_width - 1) * s.dilation_width + 1;
    return pixels * s.src_channels;
}

// Bytes between the rows of a ring for so many pixels of dst.
std::size_t ring_stride(const ThinConvShape& s, std::size_t count) {
    return ceil_div(row_bytes(s, count) + kSlack, 64) * 64;
}

// Pixels of a row of dst that are worked on together: whole tiles, as many as fit.
std::size_t ring_width(const ThinConvShape& s) {
    std::size_t width = kThinTile;
    while (width < s.dst_width && ring_rows(s) * ring_stride(s, width + kThinTile) <= kRingBytes) {
        width += kThinTile;
    }
    return width;
}

}  // namespace

struct ThinConv::Packed {
    ThinConvShape shape;
    std::uint8_t flip = 0;                    // makes signed bytes unsigned
    std::uint8_t padding = 0;                 // what a pixel outside is, flipped
    std::uint8_t index[kLanes * kQuad] = {};  // bytes of 16 windows that meet the same weights
    std::size_t width = 0;                    // of the ring, in pixels of dst
    std::vector<std::size_t> offsets;
    // [kernel row][quad][dst channel, and one of ones for the sums], four bytes each
    AlignedVector<std::int32_t> weights;
    std::int32_t init[kThinChannels + 1] = {};
    bool sums = false;                 // weights have zero points
    float of_sum[kThinChannels] = {};  // these, negated
    float scale[kThinChannels] = {};
    float bias[kThinChannels] = {};
};

namespace {

// ---- the rows of a tile -----------------------------------------------------------------------

// Source rows with padding, by number modulo the size of the ring.
class Ring {
public:
    Ring(const ThinConvShape& shape, std::uint8_t flip, std::uint8_t padding, std::size_t width)
        : shape_(shape),
          flip_(flip),
          padding_(padding),
          rows_(static_cast<std::ptrdiff_t>(ring_rows(shape))),
          stride_(ring_stride(shape, width)) {}

    void begin(const std::uint8_t* image, std::size_t x) {
        image_ = image;
        first_ = static_cast<std::ptrdiff_t>(x * shape_.stride_width) - shape_.pad_left;
        held_.fill(kNone);
    }

    const std::uint8_t* row(std::ptrdiff_t y) {
        const auto slot = static_cast<std::size_t>((y % rows_ + rows_) % rows_);
        std::uint8_t* const to = bytes_ + slot * stride_;
        if (held_[slot] != y) {
            fill(y, to);
            held_[slot] = y;
        }
        return to;
    }

private:
    static constexpr std::ptrdiff_t kNone = PTRDIFF_MIN;

    void fill(std::ptrdiff_t y, std::uint8_t* to) const {
        const auto width = static_cast<std::ptrdiff_t>(shape_.src_width);
        const auto channels = static_cast<std::ptrdiff_t>(shape_.src_channels);
        const auto size = static_cast<std::ptrdiff_t>(stride_);
        const std::ptrdiff_t last = first_ + (size - 64) / channels;
        if (y < 0 || y >= static_cast<std::ptrdiff_t>(shape_.src_height)) {
            std::memset(to, padding_, stride_);
            return;
        }
        const std::ptrdiff_t begin = std::clamp<std::ptrdiff_t>(0, first_, last);
        const std::ptrdiff_t end = std::clamp<std::ptrdiff_t>(width, begin, last);
        const std::ptrdiff_t left = (begin - first_) * channels;
        const std::ptrdiff_t right = (end - first_) * channels;
        std::memset(to, padding_, static_cast<std::size_t>(left));
        const std::uint8_t* from = image_ + (y * width + begin) * channels;
        copy_flipped(from, to + left, static_cast<std::size_t>(right - left), flip_);
        std::memset(to + right, padding_, static_cast<std::size_t>(size - right));
    }

    const ThinConvShape& shape_;
    std::uint8_t flip_;
    std::uint8_t padding_;
    std::ptrdiff_t rows_;
    std::size_t stride_;
    const std::uint8_t* image_ = nullptr;
    std::ptrdiff_t first_ = 0;  // source column at the beginning of a row
    std::array<std::ptrdiff_t, kMostRows> held_{};
    alignas(64) std::uint8_t bytes_[kRingBytes];
};

// What a tile reads: a row of the ring for each row of the kernel.
struct Windows {
    const std::uint8_t* rows[kMostRows];
    std::size_t kernel_rows;
    const std::size_t* offsets;
    std::size_t quads;
    std::size_t step;  // bytes from one window to the next
};

#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx512vbmi")

#define FUSEQ_INLINE inline __attribute__((always_inline))

// How the same quad of 16 windows gets into one vector.
enum class Collect { kLoad, kOne, kTwo };

struct Permutation {
    __m512i index;  // bytes of the windows
};

template <Collect kHow>
FUSEQ_INLINE __m512i collect(const std::uint8_t* at, const Permutation& p) {
    if constexpr (kHow == Collect::kLoad) {
        return _mm512_loadu_si512(at);
    } else if constexpr (kHow == Collect::kOne) {
        return _mm512_permutexvar_epi8(p.index, _mm512_loadu_si512(at));
    } else {
        return _mm512_permutex2var_epi8(_mm512_loadu_si512(at), p.index,
                                        _mm512_loadu_si512(at + 64));
    }
}

// kVectors times 16 pixels of kChannels output channels from pixel `at` of the tile on.
// `kSums`: 1 where weights have zero points, else 0.
template <Collect kHow,
          std::size_t kChannels,
          std::size_t kSums,
          std::size_t kVectors,
          class Packed>
FUSEQ_INLINE void run_block(const Packed& packed,
                            const Windows& windows,
                            const Permutation& p,
                            std::size_t at,
                            float* planes) {
    __m512i acc[kChannels + kSums][kVectors];
#pragma GCC unroll 9
    for (std::size_t c = 0; c < kChannels + kSums; ++c) {
#pragma GCC unroll 8
        for (std::size_t v = 0; v < kVectors; ++v) {
            acc[c][v] = _mm512_set1_epi32(packed.init[c]);
        }
    }
    const std::int32_t* weights = packed.weights.data();
    for (std::size_t y = 0; y < windows.kernel_rows; ++y) {
        const std::uint8_t* row = windows.rows[y] + at * windows.step;
        for (std::size_t q = 0; q < windows.quads; ++q, weights += kChannels + kSums) {
            __m512i bytes[kVectors];
#pragma GCC unroll 8
            for (std::size_t v = 0; v < kVectors; ++v) {
                bytes[v] = collect<kHow>(row + windows.offsets[q] + v * kLanes * windows.step, p);
            }
#pragma GCC unroll 9
            for (std::size_t c = 0; c < kChannels + kSums; ++c) {
                const __m512i w = _mm512_set1_epi32(weights[c]);
#pragma GCC unroll 8
                for (std::size_t v = 0; v < kVectors; ++v) {
                    acc[c][v] = _mm512_dpbusd_epi32(acc[c][v], bytes[v], w);
                }
            }
        }
    }
#pragma GCC unroll 8
    for (std::size_t c = 0; c < kChannels; ++c) {
        const __m512 scale = _mm512_set1_ps(packed.scale[c]);
        const __m512 bias = _mm512_set1_ps(packed.bias[c]);
#pragma GCC unroll 8
        for (std::size_t v = 0; v < kVectors; ++v) {
            __m512 x = _mm512_cvtepi32_ps(acc[c][v]);
            if constexpr (kSums != 0) {
                x = _mm512_fmadd_ps(_mm512_cvtepi32_ps(acc[kChannels][v]),
                                    _mm512_set1_ps(packed.of_sum[c]), x);
            }
            _mm512_store_ps(planes + c * kThinTile + at + v * kLanes,
                            _mm512_fmadd_ps(x, scale, bias));
        }
    }
}

template <Collect kHow, std::size_t kChannels, class Packed>
void run_tile(const Packed& packed, const Windows& windows, std::size_t count, float* planes) {
    constexpr std::size_t kVectors = kChannels <= 4 ? 4 : 2;
    const Permutation p{_mm512_loadu_si512(packed.index)};
    for (std::size_t at = 0; at < count; at += kVectors * kLanes) {
        packed.sums ? run_block<kHow, kChannels, 1, kVectors>(packed, windows, p, at, planes)
                    : run_block<kHow, kChannels, 0, kVectors>(packed, windows, p, at, planes);
    }
}

template <Collect kHow, class Packed>
void run_channels(const Packed& packed, const Windows& windows, std::size_t count, float* planes) {
    switch (packed.shape.dst_channels) {
        case 1: return run_tile<kHow, 1>(packed, windows, count, planes);
        case 2: return run_tile<kHow, 2>(packed, windows, count, planes);
        case 3: return run_tile<kHow, 3>(packed, windows, count, planes);
        case 4: return run_tile<kHow, 4>(packed, windows, count, planes);
        case 5: return run_tile<kHow, 5>(packed, windows, count, planes);
        case 6: return run_tile<kHow, 6>(packed, windows, count, planes);
        case 7: return run_tile<kHow, 7>(packed, windows, count, planes);
        default: return run_tile<kHow, 8>(packed, windows, count, planes);
    }
}

#pragma GCC pop_options

template <class Packed>
void run_any(const Packed& packed, const Windows& windows, std::size_t count, float* planes) {
    if (windows.step == kQuad) {
        run_channels<Collect::kLoad>(packed, windows, count, planes);
    } else if (windows.step < kQuad) {
        run_channels<Collect::kOne>(packed, windows, count, planes);
    } else {
        run_channels<Collect::kTwo>(packed, windows, count, planes);
    }
}

// A row of dst from at.x on, at.count pixels or as many as there are.
template <class Packed>
void run_row(const Packed& packed, Ring& ring, ThinTile at, const ThinConv::Receive& receive) {
    const ThinConvShape& s = packed.shape;
    alignas(64) float planes[kThinChannels * kThinTile];
    const std::size_t step = s.src_channels * s.stride_width;
    Windows windows{{}, s.kernel_height, packed.offsets.data(), packed.offsets.size(), step};
    for (std::size_t k = 0; k < s.kernel_height; ++k) {
        windows.rows[k] =
            ring.row(static_cast<std::ptrdiff_t>(at.y * s.stride_height + k * s.dilation_height) -
                     s.pad_top);
    }
    const std::size_t end = std::min(at.x + at.count, s.dst_width);
    for (std::size_t x = at.x; x < end; x += kThinTile) {
        const std::size_t count = std::min(kThinTile, end - x);
        run_any(packed, windows, count, planes);
        receive({planes, at.image, at.y, x, count});
        for (std::size_t k = 0; k < s.kernel_height; ++k) {
            windows.rows[k] += kThinTile * step;
        }
    }
}

void check(const ThinConvParams& p) {
    const ThinConvShape& s = p.shape;
    const auto fits = [&](std::span<const float> values, bool may_lack) {
        return values.size() == s.dst_channels || values.size() == 1 ||
               (may_lack && values.empty());
    };
    const bool unsigned_src = p.src_type == ElementType::u8;
    const bool zero_point_fits = unsigned_src ? p.src_zero_point >= 0 && p.src_zero_point <= 255
                                              : p.src_zero_point >= -128 && p.src_zero_point <= 127;
    if ((!unsigned_src && p.src_type != ElementType::i8) || !zero_point_fits ||
        p.weights.size() != s.dst_channels * s.src_channels * s.kernel_height * s.kernel_width ||
        !fits(p.scale, false) || !fits(p.bias, true) || !fits(p.wei_zero_point, true)) {
        throw Error(
            "compile",
            detail::cat("thin convolution: source ", to_string(p.src_type), " with zero point ",
                        p.src_zero_point, ", ", p.weights.size(), " weights, ", p.scale.size(),
                        " scales, ", p.bias.size(), " biases, ", p.wei_zero_point.size(),
                        " zero points of weights for ", s.dst_channels, " x ", s.src_channels,
                        " x ", s.kernel_height, " x ", s.kernel_width));
    }
}

}  // namespace

bool ThinConv::takes(const ThinConvShape& s) {
    const std::size_t step = s.src_channels * s.stride_width;
    return has_avx512_vbmi() && s.dst_channels >= 1 && s.dst_channels <= kThinChannels &&
           s.src_channels >= 1 && step <= kMostPixelStep && ring_rows(s) <= kMostRows &&
           s.kernel_width <= kMostQuads && s.dilation_width <= kMostQuads &&
           ring_rows(s) * ring_stride(s, kThinTile) <= kRingBytes && s.dst_height != 0 &&
           s.dst_width != 0;
}

ThinConv::ThinConv(const ThinConvParams& p) {
    check(p);
    const ThinConvShape& s = p.shape;
    auto packed = std::make_unique<Packed>();
    packed->shape = s;
    packed->flip = p.src_type == ElementType::i8 ? 0x80 : 0;
    packed->padding =
        static_cast<std::uint8_t>(static_cast<std::uint8_t>(p.src_zero_point) ^ packed->flip);
    for (std::size_t i = 0; i < std::size(packed->index); ++i) {
        const std::size_t byte = i / kQuad * s.src_channels * s.stride_width + i % kQuad;
        packed->index[i] = static_cast<std::uint8_t>(byte);
    }
    packed->width = ring_width(s);
    packed->offsets = quad_offsets(s);
    const std::size_t quads = packed->offsets.size();
    packed->sums = !p.wei_zero_point.empty();
    const std::size_t channels = s.dst_channels + (packed->sums ? 1 : 0);
    packed->weights.assign(s.kernel_height * quads * channels, 0);
    auto* bytes = reinterpret_cast<std::int8_t*>(packed->weights.data());
    const std::size_t run_quads = quads / (s.dilation_width == 1 ? 1 : s.kernel_width);
    for (std::size_t c = 0; c < channels; ++c) {
        std::int32_t sum = 0;
        for (std::size_t ic = 0; ic < s.src_channels; ++ic) {
            for (std::size_t y = 0; y < s.kernel_height; ++y) {
                for (std::size_t x = 0; x < s.kernel_width; ++x) {
                    const std::size_t number =
                        ((c * s.src_channels + ic) * s.kernel_height + y) * s.kernel_width + x;
                    const std::int8_t w = c < s.dst_channels ? p.weights[number] : std::int8_t{1};
                    const std::size_t at = s.dilation_width == 1 ? x * s.src_channels + ic
                                                                 : x * run_quads * kQuad + ic;
                    bytes[((y * quads + at / kQuad) * channels + c) * kQuad + at % kQuad] = w;
                    sum += w;
                }
            }
        }
        packed->init[c] = -(p.src_zero_point + (packed->flip == 0 ? 0 : 128)) * sum;
        if (c == s.dst_channels) {
            break;
        }
        packed->of_sum[c] =
            packed->sums ? -p.wei_zero_point[p.wei_zero_point.size() == 1 ? 0 : c] : 0.0f;
        packed->scale[c] = p.scale[p.scale.size() == 1 ? 0 : c];
        packed->bias[c] = p.bias.empty() ? 0.0f : p.bias[p.bias.size() == 1 ? 0 : c];
    }
    packed_ = std::move(packed);
}

ThinConv::~ThinConv() = default;
ThinConv::ThinConv(ThinConv&&) noexcept = default;
ThinConv& ThinConv::operator=(ThinConv&&) noexcept = default;

std::size_t ThinConv::rows() const {
    return packed_->shape.batch * packed_->shape.dst_height;
}

std::size_t ThinConv::packed_bytes() const {
    return packed_->weights.size() * sizeof(std::int32_t) + sizeof(Packed);
}

void ThinConv::run(const void* src, Range rows, const Receive& receive) const {
    const Packed& packed = *packed_;
    const ThinConvShape& s = packed.shape;
    const std::size_t width = packed.width;
    Ring ring(s, packed.flip, packed.padding, width);
    const std::size_t image_bytes = s.src_height * s.src_width * s.src_channels;
    for (std::size_t row = rows.begin; row < rows.end;) {
        const std::size_t image = row / s.dst_height;
        const std::size_t end = std::min(rows.end, (image + 1) * s.dst_height);
        for (std::size_t x = 0; x < s.dst_width; x += width) {
            ring.begin(static_cast<const std::uint8_t*>(src) + image * image_bytes, x);
            for (std::size_t r = row; r < end; ++r) {
                run_row(packed, ring, {nullptr, image, r - image * s.dst_height, x, width},
                        receive);
            }
        }
        row = end;
    }
}

}  // namespace fuseq::kernels
