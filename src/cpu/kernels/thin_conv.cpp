// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The source rows of a tile are copied with their padding into a ring in the L1 cache; what is
// computed from them is in thin_conv_vnni.cpp.
#include "cpu/kernels/thin_conv.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "cpu/kernels/copy_flipped.hpp"
#include "cpu/kernels/instructions.hpp"
#include "cpu/kernels/thin_conv_detail.hpp"
#include "fuseq/error.hpp"

namespace fuseq::kernels {
namespace {

using thin::Collect;
using thin::kLanes;
using thin::kMostRows;
using thin::kQuad;
using thin::Packed;
using thin::Windows;

constexpr std::size_t kRingBytes = 96 << 10;  // on the stack
constexpr std::size_t kSlack = 320;           // read behind the last window
constexpr std::size_t kMostQuads = 256;       // of one row of a window

std::size_t ceil_div(std::size_t a, std::size_t b) {
    return (a + b - 1) / b;
}

// Bytes from one window to the next.
std::size_t pixel_step(const ThinConvShape& s) {
    return s.src_channels * s.stride_width;
}

// Steps that are whole lanes are loaded as they lie.
bool lies_in_chunks(const ThinConvShape& s) {
    const std::size_t step = pixel_step(s);
    return step == kQuad || step == 2 * kQuad || step == 4 * kQuad;
}

std::size_t chunk_bytes(const ThinConvShape& s) {
    return lies_in_chunks(s) ? pixel_step(s) : kQuad;
}

// Neighbouring bytes in a row of a window: all of it, or a pixel.
std::size_t run_bytes_of(const ThinConvShape& s) {
    return s.src_channels * (s.dilation_width == 1 ? s.kernel_width : 1);
}

// Byte offsets in a source row of the chunks that a window consists of.
std::vector<std::size_t> chunk_offsets(const ThinConvShape& s) {
    std::vector<std::size_t> offsets;
    const std::size_t runs = s.dilation_width == 1 ? 1 : s.kernel_width;
    for (std::size_t run = 0; run < runs; ++run) {
        for (std::size_t q = 0; q < ceil_div(run_bytes_of(s), chunk_bytes(s)); ++q) {
            offsets.push_back(run * s.dilation_width * s.src_channels + q * chunk_bytes(s));
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

// Tiles of a row of dst from x to end. Calls tile(at, windows) for each. windows.rows are those of
// x.
template <class Tile>
void for_row(ThinTile at, std::size_t end, Windows& windows, const Tile& tile) {
    while (at.x < end) {
        at.count = std::min(kThinTile, end - at.x);
        tile(at, windows);
        for (std::size_t k = 0; k < windows.kernel_rows; ++k) {
            windows.rows[k] += at.count * windows.step;
        }
        at.x += at.count;
    }
}

Windows windows_of(const Packed& packed) {
    const ThinConvShape& s = packed.shape;
    return {{}, s.kernel_height, packed.offsets.data(), packed.offsets.size(), pixel_step(s), 0};
}

std::ptrdiff_t source_row(const ThinConvShape& s, std::size_t y, std::size_t k) {
    return static_cast<std::ptrdiff_t>(y * s.stride_height + k * s.dilation_height) - s.pad_top;
}

// From a ring that begins at pixel `from`.
template <class Tile>
void run_row(const Packed& packed, Ring& ring, ThinTile at, std::size_t end, const Tile& tile) {
    Windows windows = windows_of(packed);
    for (std::size_t k = 0; k < windows.kernel_rows; ++k) {
        windows.rows[k] = ring.row(source_row(packed.shape, at.y, k));
    }
    for_row(at, end, windows, tile);
}

// ---- wide images of unsigned bytes -------------------------------------------------------------

constexpr std::size_t kEdge = 64;         // pixels at the left edge that are copied
constexpr std::size_t kMostAtOnce = 128;  // pixels that are computed together, whether they exist

// The pixels of a row of dst of which the windows lie in the source, whole multiples of kEdge, with
// everything that is read behind them.
struct Middle {
    std::size_t begin = kEdge;
    std::size_t end = 0;  // not above begin: there are none
};

Middle middle_of(const Packed& packed) {
    const ThinConvShape& s = packed.shape;
    const std::size_t reach = (s.kernel_width - 1) * s.dilation_width;
    const auto pad = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, s.pad_left));
    const std::size_t row = s.src_width * s.src_channels;
    // What is read behind a row is in the next one.
    if (packed.flip != 0 || s.pad_left < 0 || pad > kEdge || s.src_width <= reach ||
        row < kMostAtOnce * pixel_step(s) + kSlack + row_bytes(s, 1)) {
        return {};
    }
    const std::size_t last = (s.src_width + pad - reach - 1) / s.stride_width + 1;
    return {kEdge, std::min(last, s.dst_width) / kEdge * kEdge};
}

bool is_inside(const ThinConvShape& s, std::size_t y) {
    return source_row(s, y, 0) >= 0 &&
           source_row(s, y, s.kernel_height - 1) + 1 < static_cast<std::ptrdiff_t>(s.src_height);
}

// From the source as it is.
template <class Tile>
void run_middle(const Packed& packed,
                const std::uint8_t* image,
                ThinTile at,
                std::size_t end,
                const Tile& tile) {
    const ThinConvShape& s = packed.shape;
    Windows windows = windows_of(packed);
    const std::size_t row = s.src_width * s.src_channels;
    const std::size_t column = at.x * s.stride_width - static_cast<std::size_t>(s.pad_left);
    for (std::size_t k = 0; k < s.kernel_height; ++k) {
        windows.rows[k] = image + static_cast<std::size_t>(source_row(s, at.y, k)) * row +
                          column * s.src_channels;
    }
    windows.ahead = row * s.stride_height;
    for_row(at, end, windows, tile);
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
    const bool dst_fits = p.dst_type == ElementType::f32 ||
                          ((p.dst_type == ElementType::u8 || p.dst_type == ElementType::i8) &&
                           ThinConv::stores_bytes(p));
    if ((!unsigned_src && p.src_type != ElementType::i8) || !zero_point_fits || !dst_fits ||
        p.weights.size() != s.dst_channels * s.src_channels * s.kernel_height * s.kernel_width ||
        !fits(p.scale, false) || !fits(p.bias, true) || !fits(p.wei_zero_point, true)) {
        throw Error(
            "compile",
            detail::cat("thin convolution: source ", to_string(p.src_type), " with zero point ",
                        p.src_zero_point, " to ", to_string(p.dst_type), ", ", p.weights.size(),
                        " weights, ", p.scale.size(), " scales, ", p.bias.size(), " biases, ",
                        p.wei_zero_point.size(), " zero points of weights for ", s.dst_channels,
                        " x ", s.src_channels, " x ", s.kernel_height, " x ", s.kernel_width));
    }
}

}  // namespace

bool ThinConv::takes(const ThinConvShape& s) {
    constexpr std::size_t kMostPermuted = 8;
    const std::size_t step = pixel_step(s);
    // With more channels short rows are better cut by channels.
    const bool wide = lies_in_chunks(s) && s.dst_width >= kLanes;
    return has_avx512_vbmi() && s.dst_channels >= 1 && s.dst_channels <= kThinChannels &&
           s.src_channels >= 1 && (step <= kMostPermuted || wide) && ring_rows(s) <= kMostRows &&
           s.kernel_width <= kMostQuads && s.dilation_width <= kMostQuads &&
           ring_rows(s) * ring_stride(s, kThinTile) <= kRingBytes && s.dst_height != 0 &&
           s.dst_width != 0;
}

bool ThinConv::stores_bytes(const ThinConvParams& p) {
    constexpr std::size_t kMostParts = 2;
    const ThinConvShape& s = p.shape;
    if (s.dst_channels > 4 && lies_in_chunks(s) && pixel_step(s) > kMostParts * kQuad) {
        return false;
    }
    // Floats beyond 32-bit integers would wrap.
    const auto largest = [](std::span<const float> values) {
        float most = 0.0f;
        for (const float v : values) {
            most = std::max(most, std::abs(v));
        }
        return static_cast<double>(most);
    };
    const double taps = static_cast<double>(s.src_channels * s.kernel_height * s.kernel_width);
    const double sum = taps * 255.0 * (128.0 + largest(p.wei_zero_point));
    return sum * largest(p.scale) + largest(p.bias) < 2e9;
}

namespace {

// The lane of each of 16 pixels once the parts of its sum are added.
void set_lanes(Packed& packed) {
    constexpr std::size_t kBlock = 4;  // lanes of 128 bits
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::size_t block = lane / kBlock;
        const std::size_t i = lane % kBlock;
        std::size_t pixel = lane;
        if (packed.partials == 2) {
            pixel = i / 2 * (kLanes / 2) + block * 2 + i % 2;
        } else if (packed.partials == 4) {
            pixel = i * kBlock + block;
        }
        packed.lane_of_pixel[pixel] = static_cast<std::int32_t>(lane);
    }
    const std::size_t channels = packed.shape.dst_channels;
    for (std::size_t i = 0; i < channels * kLanes; ++i) {
        const auto lane = static_cast<std::size_t>(packed.lane_of_pixel[i / channels]);
        const std::size_t c = i % channels;
        const std::size_t byte = c / 4 * 64 + lane / kBlock * 16 + c % 4 * 4 + lane % kBlock;
        packed.store[i / 64][i % 64] = static_cast<std::uint8_t>(byte);
    }
}

void set_form(Packed& packed) {
    const ThinConvShape& s = packed.shape;
    const std::size_t step = pixel_step(s);
    if (lies_in_chunks(s)) {
        packed.how = Collect::kChunks;
        packed.partials = step / kQuad;
    } else {
        packed.how = step < kQuad ? Collect::kOne : Collect::kTwo;
        for (std::size_t i = 0; i < std::size(packed.index); ++i) {
            packed.index[i] = static_cast<std::uint8_t>(i / kQuad * step + i % kQuad);
        }
    }
    packed.width = ring_width(s);
    packed.offsets = chunk_offsets(s);
    set_lanes(packed);
}

// Weights of a channel, behind the last one those of 1; returns their sum.
std::int32_t pack_channel(const ThinConvParams& p, std::size_t c, Packed& packed) {
    const ThinConvShape& s = p.shape;
    const std::size_t channels = s.dst_channels + (packed.sums ? 1 : 0);
    const std::size_t chunks = packed.offsets.size();
    const std::size_t size = chunk_bytes(s);
    auto* bytes = reinterpret_cast<std::int8_t*>(packed.weights.data());
    const std::size_t run_chunks = ceil_div(run_bytes_of(s), size);
    std::int32_t sum = 0;
    for (std::size_t ic = 0; ic < s.src_channels; ++ic) {
        for (std::size_t y = 0; y < s.kernel_height; ++y) {
            for (std::size_t x = 0; x < s.kernel_width; ++x) {
                const std::size_t number =
                    ((c * s.src_channels + ic) * s.kernel_height + y) * s.kernel_width + x;
                const std::int8_t w = c < s.dst_channels ? p.weights[number] : std::int8_t{1};
                const std::size_t at =
                    s.dilation_width == 1 ? x * s.src_channels + ic : x * run_chunks * size + ic;
                bytes[((y * chunks + at / size) * channels + c) * size + at % size] = w;
                sum += w;
            }
        }
    }
    return sum;
}

}  // namespace

ThinConv::ThinConv(const ThinConvParams& p) {
    check(p);
    const ThinConvShape& s = p.shape;
    auto packed = std::make_unique<Packed>();
    packed->shape = s;
    packed->flip = p.src_type == ElementType::i8 ? 0x80 : 0;
    packed->padding =
        static_cast<std::uint8_t>(static_cast<std::uint8_t>(p.src_zero_point) ^ packed->flip);
    packed->dst_type = p.dst_type;
    set_form(*packed);
    packed->sums = !p.wei_zero_point.empty();
    const std::size_t channels = s.dst_channels + (packed->sums ? 1 : 0);
    packed->weights.assign(
        s.kernel_height * packed->offsets.size() * channels * chunk_bytes(s) / kQuad, 0);
    for (std::size_t c = 0; c < channels; ++c) {
        const std::int32_t sum = pack_channel(p, c, *packed);
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

ElementType ThinConv::dst_type() const {
    return packed_->dst_type;
}

std::size_t ThinConv::packed_bytes() const {
    return packed_->weights.size() * sizeof(std::int32_t) + sizeof(Packed);
}

namespace {

// Rows of one image by way of rings that hold whole rows, or as much as fits.
template <class Tile>
void copied_rows(const Packed& packed,
                 const std::uint8_t* image,
                 std::size_t number,
                 Range rows,
                 const Tile& tile) {
    const std::size_t width = packed.width;
    Ring ring(packed.shape, packed.flip, packed.padding, width);
    for (std::size_t x = 0; x < packed.shape.dst_width; x += width) {
        ring.begin(image, x);
        for (std::size_t y = rows.begin; y < rows.end; ++y) {
            run_row(packed, ring, {nullptr, number, y, x, 0},
                    std::min(x + width, packed.shape.dst_width), tile);
        }
    }
}

// Rows of one image whose windows lie in it: copied at the edges only.
template <class Tile>
void inner_rows(const Packed& packed,
                const std::uint8_t* image,
                std::size_t number,
                Range rows,
                const Middle& middle,
                const Tile& tile) {
    const ThinConvShape& s = packed.shape;
    Ring left(s, 0, packed.padding, kMostAtOnce);
    Ring right(s, 0, packed.padding, kThinTile);
    left.begin(image, 0);
    right.begin(image, middle.end);
    for (std::size_t y = rows.begin; y < rows.end; ++y) {
        run_row(packed, left, {nullptr, number, y, 0, 0}, middle.begin, tile);
        run_middle(packed, image, {nullptr, number, y, middle.begin, 0}, middle.end, tile);
        run_row(packed, right, {nullptr, number, y, middle.end, 0}, s.dst_width, tile);
    }
}

// Calls tile(at, windows) for the tiles of the rows.
template <class Tile>
void for_tiles(const Packed& packed, const void* src, Range rows, const Tile& tile) {
    const ThinConvShape& s = packed.shape;
    const Middle middle = middle_of(packed);
    const std::size_t image_bytes = s.src_height * s.src_width * s.src_channels;
    while (rows.begin < rows.end) {
        const std::size_t number = rows.begin / s.dst_height;
        const std::size_t y = rows.begin % s.dst_height;
        const std::size_t end = std::min(s.dst_height, y + (rows.end - rows.begin));
        const auto* image = static_cast<const std::uint8_t*>(src) + number * image_bytes;
        const bool inside = middle.end > middle.begin && is_inside(s, y);
        std::size_t next = y + 1;
        while (next < end && (middle.end > middle.begin && is_inside(s, next)) == inside) {
            ++next;
        }
        if (inside) {
            inner_rows(packed, image, number, {y, next}, middle, tile);
        } else {
            copied_rows(packed, image, number, {y, next}, tile);
        }
        rows.begin += next - y;
    }
}

}  // namespace

void ThinConv::run(const void* src, Range rows, const Receive& receive) const {
    alignas(64) float planes[kThinChannels * kThinTile];
    for_tiles(*packed_, src, rows, [&](ThinTile at, const Windows& windows) {
        thin::run_planes(*packed_, windows, at.count, planes);
        at.planes = planes;
        receive(at);
    });
}

void ThinConv::run(const void* src, Range rows, void* dst) const {
    const ThinConvShape& s = packed_->shape;
    for_tiles(*packed_, src, rows, [&](const ThinTile& at, const Windows& windows) {
        const std::size_t pixel = (at.image * s.dst_height + at.y) * s.dst_width + at.x;
        thin::run_bytes(*packed_, windows, at.count,
                        static_cast<std::uint8_t*>(dst) + pixel * s.dst_channels);
    });
}

}  // namespace fuseq::kernels
